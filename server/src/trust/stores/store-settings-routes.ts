import type { FastifyInstance } from 'fastify';
import { createReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import type { AppleReceipts } from '../../platform/lib/receipts/apple-receipts.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { findFlaw } from './store-settings-checks.js';
import { findStores, saveStores } from './store-settings-queries.js';
import {
  StoresBody,
  StoresResponse,
  TestedReceiptResponse,
  TestReceiptBody,
} from './store-settings-schemas.js';
import { testReceipt } from './test-receipt.js';

const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

/** Undefined without a root certificate in the settings. */
type StoresContext = AdminContext & Readonly<{ apple: AppleReceipts | undefined }>;

/** Which receipts a game believes, and which of its purchases count. */
export function storeSettingsRoutes(app: FastifyInstance, ctx: StoresContext): void {
  const routes = routesOfGame(app, ctx, 'Studio');
  const { pool, apple } = ctx;
  const checks = createReceiptChecks({ pool, apple, isLimited: false });

  routes.get('/admin/v1/games/:game/stores', {
    role: 'owner',
    operationId: 'getStores',
    summary: 'The settings of a game for stores and receipts',
    response: { 200: StoresResponse },
    handle: async ({ gameId }) => findStores(pool, gameId),
  });

  routes.put('/admin/v1/games/:game/stores', {
    role: 'owner',
    operationId: 'saveStores',
    summary: 'Set which receipts a game believes, and which purchases count',
    description:
      'Replaces all settings. Every node obeys them with its next batch; purchases that were received before count as they did. Those that wait for a store that is set up now (`store_not_configured`) are replayed within five minutes.',
    body: StoresBody,
    response: { 200: StoresResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body, actorNow }) => {
      const stores = { ...body, testers: body.testers.map((id) => id.toLowerCase()) };
      const flaw = findFlaw(stores);
      if (flaw !== undefined) throw new ApiError('body_invalid', { message: flaw });
      await saveStores(pool, gameId, stores, actorNow());
      return stores;
    },
  });

  routes.post('/admin/v1/games/:game/stores/test', {
    role: 'owner',
    operationId: 'testReceipt',
    summary: 'Say what would happen to a purchase with this receipt; nothing is stored',
    body: TestReceiptBody,
    response: { 200: TestedReceiptResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body }) => {
      const { receipt, userId = NO_PLAYER } = body;
      const sender = { userId: userId.toLowerCase(), gameId, nowMs: ctx.clock.now() };
      return testReceipt(checks, await findStores(pool, gameId), receipt, sender);
    },
  });
}
