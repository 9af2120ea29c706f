import { Gauge, Registry } from 'prom-client';
import { GRADED_NAMES, MODEL_NAMES } from '../../decide/predict/artefact.js';
import type { Pool } from '../../platform/db/pool.js';
import { listPredictionHealth, type PredictionHealth } from './daily-queries.js';

/** Prometheus keeps a series for each game, model and metric: of an installation with more games it gets the oldest ones. */
const MAX_GAMES = 200;

/** Metrics about the models of the games. They are queried from the database when the metrics are read. */
export function createPredictionMetrics(pool: Pool): { registry: Registry } {
  const registry = new Registry();
  /** All gauges of one reading share one query. */
  let reading: Promise<PredictionHealth[]> | undefined;
  const read = () => {
    // The other metrics must stay readable without the database.
    reading ??= listPredictionHealth(pool, MAX_GAMES)
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (
    name: string,
    help: string,
    tell: (health: PredictionHealth, set: (model: string, value: number) => void) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['tenant', 'game', 'model'] as const,
      registers: [registry],
      async collect() {
        const all = await read();
        this.reset();
        for (const health of all) {
          const { tenant, game } = health;
          tell(health, (model, value) => {
            if (Number.isFinite(value)) this.set({ tenant, game, model }, value);
          });
        }
      },
    });
  gauge(
    'savepoint_prediction_model_trusted',
    '1, or 0 if recent predictions of a model, or one of them, were wrong and players get averages instead.',
    ({ distrusted }, set) => {
      for (const model of GRADED_NAMES) set(model, distrusted.includes(model) ? 0 : 1);
    },
  );
  gauge(
    'savepoint_prediction_calibration_error',
    'Mean distance between predicted and observed rates in the newest graded week.',
    ({ grades }, set) => {
      for (const { model, ece } of grades ?? []) if (ece !== null) set(model, ece);
    },
  );
  gauge(
    'savepoint_prediction_brier_skill',
    'How much better than the base rate the probabilities of the newest graded week were: 1 is perfect, 0 is no better.',
    ({ grades }, set) => {
      for (const { model, brierSkill } of grades ?? []) if (brierSkill !== null) set(model, brierSkill);
    },
  );
  gauge(
    'savepoint_prediction_total_ratio',
    'Predicted divided by observed number in the newest week, or the newest 28 or 90 days, that were graded.',
    ({ grades }, set) => {
      for (const { model, totalRatio } of grades ?? []) if (totalRatio !== null) set(model, totalRatio);
    },
  );
  gauge(
    'savepoint_prediction_trained_timestamp_seconds',
    'When the models of a game were last trained.',
    ({ trainedAt }, set) => {
      for (const model of MODEL_NAMES) set(model, trainedAt / 1_000);
    },
  );
  return { registry };
}
