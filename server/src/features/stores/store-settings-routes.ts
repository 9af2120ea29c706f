import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { createReceiptChecks } from '../events/receipts/receipt-checks.js';
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

/** Which receipts a game believes, and which of its purchases count. */
export function storeSettingsRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = adminSchema('Studio');
  const routes = withSchemaTypes(app);
  const { pool, apple } = ctx;
  const checks = createReceiptChecks({ pool, apple, isLimited: false });

  routes.get(
    '/admin/v1/games/:game/stores',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'getStores',
        summary: 'The settings of a game for stores and receipts',
        params: GameParameters,
        response: { 200: StoresResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      return success(await findStores(pool, gameId));
    },
  );

  routes.put(
    '/admin/v1/games/:game/stores',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'saveStores',
        summary: 'Set which receipts a game believes, and which purchases count',
        description:
          'Replaces all settings. Every node obeys them with its next batch; purchases that were received before count as they did.',
        params: GameParameters,
        body: StoresBody,
        response: { 200: StoresResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const stores = { ...request.body, testers: request.body.testers.map((id) => id.toLowerCase()) };
      const flaw = findFlaw(stores);
      if (flaw !== undefined) throw new ApiError('body_invalid', { message: flaw });
      await saveStores(pool, gameId, stores, actorOf(ctx, request));
      return success(stores);
    },
  );

  routes.post(
    '/admin/v1/games/:game/stores/test',
    {
      onRequest: requireRole(ctx, 'owner'),
      schema: {
        ...common,
        operationId: 'testReceipt',
        summary: 'Say what would happen to a purchase with this receipt; nothing is stored',
        params: GameParameters,
        body: TestReceiptBody,
        response: { 200: TestedReceiptResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { receipt, userId = NO_PLAYER } = request.body;
      const sender = { userId: userId.toLowerCase(), gameId, nowMs: ctx.clock.now() };
      return success(await testReceipt(checks, await findStores(pool, gameId), receipt, sender));
    },
  );
}
