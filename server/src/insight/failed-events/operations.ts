import { createReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import { createRegistries, logUnusable } from '../../core/events/types/registries.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { done, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { deleteFailedRoutes } from './delete-routes.js';
import { deleteExpiredFailedEvents } from './expiry.js';
import { failedEventRoutes } from './failed-event-routes.js';
import { replayRoutes } from './replay-routes.js';
import { WAITING_PURCHASES, waitingPurchasesStep } from './replay-waiting.js';

export function openFailedEvents({ pool, apple, erasureHashes, logger }: OperationsContext): OperationsPart {
  const tools = {
    pool,
    registries: createRegistries(pool, logUnusable(logger)),
    receipts: createReceiptChecks({ pool, apple, isLimited: false }),
    hashes: erasureHashes,
  };
  return {
    adminRoutes: [failedEventRoutes, (app, admin) => replayRoutes(app, admin, tools), deleteFailedRoutes],
    steps: [EXPIRY, waitingPurchasesStep(tools)],
    frequent: [WAITING_PURCHASES],
  };
}

const EXPIRY: MaintenanceStep = {
  name: 'failed_events',
  maxMs: 10 * MINUTE_MS,
  run: async ({ connection, nowMs, signal }) =>
    done({ failedEventsDeleted: await deleteExpiredFailedEvents(connection, nowMs, signal) }),
};
