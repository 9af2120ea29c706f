import { MINUTE_MS } from '../platform/lib/day.js';
import { done, type MaintenanceStep } from '../platform/lifecycle/maintenance-step.js';
import type { OperationsContext, OperationsPart } from '../studio/module-type.js';
import { countDailySizes } from './audiences/count-daily-sizes.js';
import { playerListRoutes } from './audiences/player-list-routes.js';
import { sampledRoutes } from './audiences/sampled-routes.js';
import { segmentRoutes } from './audiences/segment-routes.js';
import { calendarRoutes } from './configs/calendar-routes.js';
import { catalogueRoutes } from './configs/catalogue/catalogue-routes.js';
import { pictureRoutes } from './configs/catalogue/picture-routes.js';
import { draftEditorRoutes } from './configs/draft-editor-routes.js';
import { draftRoutes } from './configs/draft-routes.js';
import { versionRoutes } from './configs/version-routes.js';
import { dryRunRoutes } from './dry-runs/dry-run-routes.js';
import { explainRoutes } from './explanations/explain-routes.js';
import { createBackFillRunner } from './own-attributes/back-fill-runner.js';
import { ownAttributeRoutes } from './own-attributes/own-attribute-routes.js';
import { adminPlayerRoutes } from './players/admin-player-routes.js';
import { noteRoutes } from './players/note-routes.js';
import { overrideImportRoutes } from './players/override-import-routes.js';
import { pinRoutes } from './players/pin-routes.js';
import { adminSessionRoutes } from './sessions/admin-session-routes.js';

export function openLiveops(ctx: OperationsContext): OperationsPart {
  const backFills = createBackFillRunner(ctx);
  const { forgottenId } = ctx.deviceHashes;
  return {
    adminRoutes: [
      draftRoutes,
      draftEditorRoutes,
      calendarRoutes,
      catalogueRoutes,
      pictureRoutes,
      dryRunRoutes,
      versionRoutes,
      ownAttributeRoutes,
      (app, admin) => playerListRoutes(app, { ...admin, forgottenId }),
      adminPlayerRoutes,
      noteRoutes,
      overrideImportRoutes,
      pinRoutes,
      adminSessionRoutes,
      segmentRoutes,
      sampledRoutes,
      explainRoutes,
    ],
    steps: [SEGMENT_SIZES],
    start: backFills.start,
    stop: backFills.stop,
  };
}

const SEGMENT_SIZES: MaintenanceStep = {
  name: 'segment_sizes',
  // A game takes a second or two. The games that are left are counted an hour later.
  maxMs: 10 * MINUTE_MS,
  run: async ({ pool, connection, nowMs, signal }) =>
    done({ gamesCounted: await countDailySizes(pool, connection, nowMs, signal) }),
};
