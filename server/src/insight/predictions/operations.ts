import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { gradeRoutes } from './grade-routes.js';
import { modelRoutes, type TrainModels } from './model-routes.js';
import { createPredictionMetrics } from './prediction-metrics.js';
import { predictionsStep } from './predictions-step.js';
import { runPredictionsInThread, trainInThread } from './run-predictions-thread.js';

export function openPredictions(
  { databaseUrl, pool, settings, logger }: OperationsContext,
  trainModels: TrainModels = (training, run) => trainInThread(databaseUrl, training, run),
): OperationsPart {
  return {
    adminRoutes: [(app, admin) => modelRoutes(app, { ...admin, trainModels }), gradeRoutes],
    steps: [
      predictionsStep((run) => runPredictionsInThread(databaseUrl, run), settings.trainingDays, logger),
    ],
    metrics: [createPredictionMetrics(pool)],
  };
}
