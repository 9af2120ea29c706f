import { createGoogleApi } from '../../platform/lib/google-play/google-api.js';
import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { googleAccountRoutes } from './google/account-routes.js';
import { createConfirmationRunner } from './google/confirmation-runner.js';
import { voidedPurchasesStep } from './google/voided-purchases.js';
import { storeSettingsRoutes } from './store-settings-routes.js';

export function openStores(ctx: OperationsContext): OperationsPart {
  const { pool, settings, clock, masterKeys, apple, erasureHashes: hashes, logger } = ctx;
  const google = createGoogleApi({
    tokenUrl: settings.googleTokenUrl,
    apiUrl: settings.googleApiUrl,
    now: clock.now,
  });
  const work = { pool, api: google, masterKeys, hashes, logger };
  const confirmations = createConfirmationRunner({ ...work, now: clock.now });
  return {
    adminRoutes: [
      (app, admin) => storeSettingsRoutes(app, { ...admin, apple }),
      (app, admin) => googleAccountRoutes(app, { ...admin, google }),
    ],
    steps: [voidedPurchasesStep(work)],
    start: confirmations.start,
    stop: confirmations.stop,
  };
}
