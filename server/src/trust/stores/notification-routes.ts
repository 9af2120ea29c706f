import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { StoreSettings } from '../../core/events/receipts/store-settings.js';
import { findGame, isSlug } from '../../platform/admin-api/tenants.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS, errorResponses } from '../../platform/http/api-schemas.js';
import { bearerToken } from '../../platform/http/bearer-token.js';
import type { RateLimits } from '../../platform/http/rate-limits.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { AppleReceipts } from '../../platform/lib/receipts/apple-receipts.js';
import { isProblem } from '../../platform/lib/receipts/store-sale.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { applyNotification } from './apply-notification.js';
import type { PushTokens } from './push-tokens.js';
import { ofApple, ofGoogle, type ReadNotification } from './read-notifications.js';
import { findStores } from './store-settings-queries.js';

/** What notifications of stores need of the process. */
export type NotificationContext = Readonly<{
  pool: Pool;
  clock: Clock;
  apple: AppleReceipts | undefined;
  pushTokens: PushTokens;
  rateLimits: RateLimits;
  /** Tell orders of erased players. */
  erasureHashes: () => Promise<ErasureHashes>;
}>;

const BODY_LIMIT = 131_072;
const StoreParameters = Type.Object({
  tenant: Type.String({ description: 'Id of the studio', examples: ['demo-studio'] }),
  game: Type.String({ description: 'Id of the game', examples: ['demo-game'] }),
});
const AppleBody = Type.Object(
  { signedPayload: Type.String({ description: 'JWS of App Store Server Notifications V2' }) },
  { title: 'AppleNotification', examples: [{ signedPayload: 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.c2ln' }] },
);
const GoogleBody = Type.Object(
  {
    message: Type.Object({ messageId: Type.String(), data: Type.String({ description: 'Base64 of JSON' }) }),
  },
  { title: 'GoogleNotification', examples: [{ message: { messageId: '136969346945', data: 'e30=' } }] },
);
const Taken = Type.Object(
  {
    data: Type.Object({
      outcome: Type.Union([Type.Literal('applied'), Type.Literal('duplicate'), Type.Literal('ignored')]),
    }),
    status: Type.Literal('success'),
  },
  { title: 'NotificationTaken', examples: [{ data: { outcome: 'applied' }, status: 'success' }] },
);
const COMMON_ERRORS = [...BODY_ERRORS, 'notification_invalid', 'rate_limited', 'unavailable'] as const;

/** Where Apple and Google tell about refunds. 200 after it is durable; anything else makes them send it again. */
export function notificationRoutes(app: FastifyInstance, ctx: NotificationContext): void {
  const routes = withSchemaTypes(app);
  type Params = { tenant: string; game: string };

  const gameOf = async ({ tenant, game }: Params): Promise<{ gameId: number; stores: StoreSettings }> => {
    const found = isSlug(tenant) && isSlug(game) ? await findGame(ctx.pool, tenant, game) : undefined;
    if (found === undefined) throw new ApiError('notification_invalid');
    return { gameId: found.id, stores: await findStores(ctx.pool, found.id) };
  };
  /** Failures count against the address: a forged notification costs a signature. */
  const counted = async <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.code !== 'unavailable') ctx.rateLimits.failures.take(request.ip);
      throw error;
    }
  };
  const apply = async (gameId: number, read: ReadNotification) => {
    const hashes = await ctx.erasureHashes();
    const outcome = await applyNotification(ctx.pool, hashes, { gameId, ...read }, ctx.clock.now());
    return { data: { outcome }, status: 'success' as const };
  };

  routes.post(
    '/stores/apple/:tenant/:game',
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        operationId: 'receiveAppleNotification',
        tags: ['Stores'],
        // The signature within the body is the credential.
        security: [],
        summary: 'A notification of Apple: the signed payload is the credential',
        description:
          'The address for App Store Connect. `REFUND`, `REVOKE` and `REFUND_REVERSED` change what the transaction counts as, once per notification; an older notification never takes back a newer one. The response follows when every player is reached for whom the transaction counts.',
        params: StoreParameters,
        body: AppleBody,
        response: { 200: Taken, ...errorResponses('data', COMMON_ERRORS) },
      },
    },
    (request) =>
      counted(request, async () => {
        const { gameId, stores } = await gameOf(request.params);
        if (ctx.apple === undefined || stores.apple === null) throw new ApiError('notification_invalid');
        const read = await ctx.apple.readNotification(request.body.signedPayload, stores.apple.bundleIds);
        if (isProblem(read)) throw new ApiError('notification_invalid', { message: read.message });
        return apply(gameId, ofApple(read));
      }),
  );

  routes.post(
    '/stores/google/:tenant/:game',
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        operationId: 'receiveGoogleNotification',
        tags: ['Stores'],
        security: [{ googlePush: [] }],
        summary: 'A notification of Google Play, pushed by Pub/Sub with a token of its service account',
        description:
          'The address of a push subscription with authentication. A voided purchase changes what its order counts as, once per message.',
        params: StoreParameters,
        body: GoogleBody,
        response: {
          200: Taken,
          ...errorResponses('data', [...COMMON_ERRORS, 'token_missing', 'token_invalid']),
        },
      },
    },
    (request) =>
      counted(request, async () => {
        const { gameId, stores } = await gameOf(request.params);
        const { google } = stores;
        if (google === null || google.push === null) throw new ApiError('notification_invalid');
        await ctx.pushTokens.verify(bearerToken(request.headers.authorization), google.push);
        const read = ofGoogle(request.body, google.packageName);
        if (read === undefined) throw new ApiError('notification_invalid');
        return apply(gameId, read);
      }),
  );
}
