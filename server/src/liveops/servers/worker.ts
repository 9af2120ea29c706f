import { createPlayerPredictions } from '../../core/predictions/player-predictions.js';
import type { WorkerContext, WorkerPart } from '../../studio/module-type.js';
import { serverChangeRoutes } from './server-change-routes.js';
import { serverEventRoutes } from './server-event-routes.js';
import { createServerKeys } from './server-keys.js';
import { serverPlayerRoutes } from './server-player-routes.js';

export function openServers(worker: WorkerContext): WorkerPart {
  const { readings, models: snapshots, gameConfigs, clock } = worker;
  const ctx = {
    ...worker,
    serverKeys: createServerKeys(worker),
    serverPredictions: createPlayerPredictions({ readings, snapshots, gameConfigs, clock, showsAll: true }),
  };
  return {
    // Each has guards of its own, which are hooks of its scope.
    async routes(scope) {
      await scope.register(async (reads) => serverPlayerRoutes(reads, ctx));
      await scope.register(async (changes) => serverChangeRoutes(changes, ctx));
    },
    eventRoutes: (scope, admission) => serverEventRoutes(scope, ctx, admission),
  };
}
