import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { scheduleCopies } from './event-files-copies.js';
import { createEventFilesMetrics } from './event-files-metrics.js';
import { eventFilesRoutes } from './event-files-routes.js';
import { eventFilesSteps } from './event-files-step.js';
import { writeFilesInThread } from './run-event-files-thread.js';

export function openEventFiles(ctx: OperationsContext): OperationsPart {
  const { pool, databaseUrl, clock, erasureHashes, logger } = ctx;
  const { eventFiles } = ctx.settings;
  let copies: { stop(): Promise<void> } | undefined;
  return {
    adminRoutes: [(app, admin) => eventFilesRoutes(app, { ...admin, eventFiles, erasureHashes })],
    stepsApart: eventFilesSteps(eventFiles, (settings, nowMs, signal) =>
      writeFilesInThread({ databaseUrl, settings, nowMs }, signal),
    ),
    metrics: [createEventFilesMetrics(pool, eventFiles !== undefined, clock)],
    start() {
      copies = scheduleCopies(eventFiles, clock.now, logger);
    },
    stop: async () => copies?.stop(),
  };
}
