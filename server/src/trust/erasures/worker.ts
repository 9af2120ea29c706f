import type { WorkerContext, WorkerPart } from '../../studio/module-type.js';
import { erasurePageRoutes } from './erasure-page-routes.js';
import { playerErasureRoutes } from './player-erasure-routes.js';

export function openErasureRoutes(ctx: WorkerContext): WorkerPart {
  return {
    async routes(scope) {
      await scope.register(async (players) => playerErasureRoutes(players, ctx));
      await scope.register(async (pages) => erasurePageRoutes(pages, ctx));
    },
  };
}
