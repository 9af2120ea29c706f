import type { FastifyInstance } from 'fastify';
import { experimentRoutes } from '../experiments/experiment-routes.js';
import { experimentExploreRoutes } from '../experiments/explore-routes.js';
import { experimentGradeRoutes } from '../experiments/grading/grade-routes.js';
import { holdoutRoutes } from '../experiments/holdouts/holdout-routes.js';
import { offerHoldoutRoutes } from '../experiments/offer-holdout-routes.js';
import { experimentPlanRoutes } from '../experiments/plan-routes.js';
import { breakdownRoutes } from '../insight/analytics/breakdowns/breakdown-routes.js';
import { dashboardRoutes } from '../insight/analytics/dashboard-routes.js';
import { forecastRoutes } from '../insight/analytics/forecast/forecast-routes.js';
import { funnelRoutes } from '../insight/analytics/funnels/funnel-routes.js';
import { installRoutes } from '../insight/analytics/installs/install-routes.js';
import { recountRoutes } from '../insight/analytics/recount-routes.js';
import { eventFilesRoutes } from '../insight/event-files/event-files-routes.js';
import { eventSchemaRoutes } from '../insight/event-types/event-schema-routes.js';
import { eventTypeRoutes } from '../insight/event-types/event-type-routes.js';
import { exportRoutes } from '../insight/exports/export-routes.js';
import { deleteFailedRoutes } from '../insight/failed-events/delete-routes.js';
import { failedEventRoutes } from '../insight/failed-events/failed-event-routes.js';
import { replayRoutes } from '../insight/failed-events/replay-routes.js';
import { liveRoutes } from '../insight/live/live-routes.js';
import { lossRoutes } from '../insight/losses/loss-routes.js';
import { gradeRoutes } from '../insight/predictions/grade-routes.js';
import { modelRoutes } from '../insight/predictions/model-routes.js';
import { timelineRoutes } from '../insight/timelines/timeline-routes.js';
import { playerListRoutes } from '../liveops/audiences/player-list-routes.js';
import { sampledRoutes } from '../liveops/audiences/sampled-routes.js';
import { segmentRoutes } from '../liveops/audiences/segment-routes.js';
import { backTestRoutes } from '../liveops/back-tests/back-test-routes.js';
import { calendarRoutes } from '../liveops/configs/calendar-routes.js';
import { catalogueRoutes } from '../liveops/configs/catalogue/catalogue-routes.js';
import { pictureRoutes } from '../liveops/configs/catalogue/picture-routes.js';
import { draftEditorRoutes } from '../liveops/configs/draft-editor-routes.js';
import { draftRoutes } from '../liveops/configs/draft-routes.js';
import { versionRoutes } from '../liveops/configs/version-routes.js';
import { dryRunRoutes } from '../liveops/dry-runs/dry-run-routes.js';
import { explainRoutes } from '../liveops/explanations/explain-routes.js';
import { ownAttributeRoutes } from '../liveops/own-attributes/own-attribute-routes.js';
import { adminPlayerRoutes } from '../liveops/players/admin-player-routes.js';
import { noteRoutes } from '../liveops/players/note-routes.js';
import { overrideImportRoutes } from '../liveops/players/override-import-routes.js';
import { pinRoutes } from '../liveops/players/pin-routes.js';
import { adminSessionRoutes } from '../liveops/sessions/admin-session-routes.js';
import { installationRoutes } from '../operations/lifecycle/installation-routes.js';
import { ApiError } from '../platform/errors.js';
import { registerBodyParser } from '../platform/http/body-parser.js';
import { refuseUnknownMembers } from '../platform/http/unknown-members.js';
import { registerValidation } from '../platform/http/validation.js';
import { checkStorable } from '../platform/lib/json-body.js';
import { observeResponses } from '../platform/telemetry/observation.js';
import { accessRoutes } from '../studio/accounts/access-routes.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { adminTokenRoutes } from '../studio/games-and-keys/admin-token-routes.js';
import { auditRoutes } from '../studio/games-and-keys/audit-routes.js';
import { gameRoutes } from '../studio/games-and-keys/game-routes.js';
import { keyRoutes } from '../studio/games-and-keys/key-routes.js';
import { studioRoutes } from '../studio/games-and-keys/studio-routes.js';
import { jobRoutes } from '../studio/jobs/job-routes.js';
import { rateRoutes } from '../studio/money/rate-routes.js';
import { adminErasureRoutes } from '../trust/erasures/admin-erasure-routes.js';
import { adminPlayerExportRoutes } from '../trust/player-exports/admin-player-export-routes.js';
import { googleAccountRoutes } from '../trust/stores/google/account-routes.js';
import { storeSettingsRoutes } from '../trust/stores/store-settings-routes.js';
import { adminLimitsRoutes } from './admin-limits-routes.js';

/** A whole configuration document with a thousand SKUs fits. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Deeper than any document. */
const MAX_DEPTH = 32;

type AdminRoutes = (app: FastifyInstance, ctx: AdminContext) => void;

/** Every route of the admin API. */
const ROUTES: readonly AdminRoutes[] = [
  studioRoutes,
  adminLimitsRoutes,
  installationRoutes,
  eventTypeRoutes,
  eventSchemaRoutes,
  draftRoutes,
  draftEditorRoutes,
  calendarRoutes,
  catalogueRoutes,
  pictureRoutes,
  dryRunRoutes,
  backTestRoutes,
  versionRoutes,
  ownAttributeRoutes,
  playerListRoutes,
  adminPlayerRoutes,
  adminPlayerExportRoutes,
  adminErasureRoutes,
  noteRoutes,
  overrideImportRoutes,
  pinRoutes,
  adminSessionRoutes,
  timelineRoutes,
  segmentRoutes,
  sampledRoutes,
  dashboardRoutes,
  breakdownRoutes,
  forecastRoutes,
  holdoutRoutes,
  experimentRoutes,
  experimentPlanRoutes,
  offerHoldoutRoutes,
  experimentGradeRoutes,
  experimentExploreRoutes,
  installRoutes,
  funnelRoutes,
  recountRoutes,
  failedEventRoutes,
  replayRoutes,
  deleteFailedRoutes,
  lossRoutes,
  exportRoutes,
  eventFilesRoutes,
  jobRoutes,
  liveRoutes,
  explainRoutes,
  modelRoutes,
  gradeRoutes,
  auditRoutes,
  gameRoutes,
  storeSettingsRoutes,
  googleAccountRoutes,
  rateRoutes,
  keyRoutes,
  adminTokenRoutes,
  accessRoutes,
];

/** The admin API under `/admin/v1`, for the second listener only. The console is one of its clients, without special rights. */
export async function registerAdminApi(app: FastifyInstance, ctx: AdminContext): Promise<void> {
  await app.register(async (scope) => {
    scope.decorateRequest('admin', undefined);
    scope.decorateRequest('signedIn', undefined);
    registerValidation(scope);
    registerBodyParser(scope);
    refuseUnknownMembers(scope);
    scope.addHook('onRoute', (route) => {
      route.bodyLimit ??= MAX_BODY_BYTES;
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    });
    scope.addHook('preValidation', async ({ json }) => {
      if (json !== undefined) refuseUnstorable(json.value, json.suspicious);
    });
    ctx.tracing?.traceRequests(scope);
    observeResponses(scope, {
      logger: ctx.logger,
      times: ctx.metrics.requests,
      who: ({ admin, signedIn }) => ({
        ...(admin === undefined ? {} : { tenant: admin.tenant, admin: admin.tokenId ?? admin.accountId }),
        ...(admin === undefined && signedIn !== undefined ? { admin: signedIn.accountId } : {}),
      }),
    });
    for (const routes of ROUTES) await scope.register(async (inner) => routes(inner, ctx));
  });
}

/** What PostgreSQL would refuse, or give back as something else. */
function refuseUnstorable(value: unknown, suspicious: boolean): void {
  const found = checkStorable(value, MAX_DEPTH, suspicious);
  if (found === undefined) return;
  throw new ApiError('body_invalid', {
    message: `The value at ${found.path || '/'} cannot be stored (${found.code}).`,
  });
}
