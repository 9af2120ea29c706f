import type { WorkerContext, WorkerPart } from '../../studio/module-type.js';
import { playerExportRoutes } from './player-export-routes.js';
import { createPlayerExports } from './player-exports.js';

export function openPlayerExportRoute(ctx: WorkerContext): WorkerPart {
  const playerExports = createPlayerExports(ctx.databaseUrl);
  return {
    routes: (scope) => playerExportRoutes(scope, { ...ctx, playerExports }),
    close: playerExports.close,
  };
}
