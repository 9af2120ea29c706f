import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { exportRoutes } from './export-routes.js';
import { createExportRunner } from './export-runner.js';

export function openExports(ctx: OperationsContext): OperationsPart {
  const runner = createExportRunner(ctx);
  return {
    adminRoutes: [(app, admin) => exportRoutes(app, { ...admin, nudgeExports: runner.nudge })],
    start: runner.start,
    stop: runner.stop,
  };
}
