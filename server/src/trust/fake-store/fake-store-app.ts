import { createPublicKey } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { exportJWK, SignJWT } from 'jose';
import { Type } from 'typebox';
import { compileValidator, withSchemaTypes } from '../../platform/http/validation.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { fakeGoogle } from './fake-google.js';
import type { FakeStoreKeys } from './kept-signers.js';

export type FakeStoreOptions = Readonly<{
  keys: FakeStoreKeys;
  /** The app that everything is sold for. */
  appId: string;
  /** `http://127.0.0.1:8080/stores`, and the studio and game that notifications are sent for. */
  notify: Readonly<{ url: string; tenant: string; game: string }>;
  /** The address of `/google/token`, as the settings of the service have it. */
  tokenUrl: () => string;
  now: () => number;
}>;

/** Whom the pushes of the fake store are for and from, as in the settings of the game. */
export const FAKE_PUSH = { audience: 'savepoint-fake-store', account: 'push@fake-store.example.com' };

const Purchase = Type.Object({
  productId: Type.String({ minLength: 1 }),
  /** In thousandths, as Apple states it. */
  price: Type.Optional(Type.Integer({ minimum: 0 })),
  currency: Type.Optional(Type.String()),
  quantity: Type.Optional(Type.Integer({ minimum: 1 })),
  userId: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
});
const GooglePurchase = Type.Object({
  ...Purchase.properties,
  /** Of Google: nothing was paid yet. */
  isPending: Type.Optional(Type.Boolean()),
});
const AppleChange = Type.Object({
  transactionId: Type.String({ minLength: 1 }),
  type: Type.Union([Type.Literal('REFUND'), Type.Literal('REVOKE'), Type.Literal('REFUND_REVERSED')]),
  /** Of a partial refund, in thousandths of a percent. */
  percentage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
});
const GoogleVoid = Type.Object({
  orderId: Type.String({ minLength: 1 }),
  /** False: only the list of voided purchases says so. */
  isPushed: Type.Optional(Type.Boolean()),
});

/** Sells what it is asked to sell, and speaks to the service as Apple and Google do. For development only. */
export function buildFakeStore({ keys, appId, notify, tokenUrl, now }: FakeStoreOptions): FastifyInstance {
  const app = fastify();
  app.setValidatorCompiler(compileValidator);
  const routes = withSchemaTypes(app);
  const { apple, google } = keys;
  const sold = new Map<string, Record<string, unknown>>();
  const play = fakeGoogle(app, { keys, appId, tokenUrl, now });
  app.addHook('onRequest', async (request, reply) => {
    // The web example buys from a page of another origin.
    reply.header('access-control-allow-origin', '*').header('access-control-allow-headers', 'content-type');
    if (request.method === 'OPTIONS') await reply.code(204).send();
  });
  app.options('*', async () => '');

  const tell = async (store: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${notify.url}/${store}/${notify.tenant}/${notify.game}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'manual',
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  };

  routes.post('/apple/purchases', { schema: { body: Purchase } }, async ({ body }) => {
    const {
      productId,
      price = 990,
      currency = 'USD',
      quantity = 1,
      userId,
      environment = 'Production',
    } = body;
    const transaction = {
      transactionId: newNumber(now()),
      bundleId: appId,
      productId,
      purchaseDate: now(),
      quantity,
      type: 'Consumable',
      inAppOwnershipType: 'PURCHASED',
      price,
      currency,
      environment,
      ...(userId === undefined ? {} : { appAccountToken: userId }),
    };
    sold.set(transaction.transactionId, transaction);
    const signedTransaction = apple.sign({ ...transaction, signedDate: now() });
    return { transactionId: transaction.transactionId, receipt: { store: 'apple', signedTransaction } };
  });

  routes.post('/apple/notifications', { schema: { body: AppleChange } }, async ({ body }, reply) => {
    const transaction = sold.get(body.transactionId);
    if (transaction === undefined) return reply.code(404).send({ error: 'nothing was sold under this id' });
    const isBack = body.type !== 'REFUND_REVERSED';
    const part =
      body.percentage === undefined
        ? {}
        : { revocationType: 'REFUND_PRORATED', revocationPercentage: body.percentage };
    const revoked = isBack ? { revocationDate: now(), ...part } : {};
    const signedTransactionInfo = apple.sign({ ...transaction, ...revoked, signedDate: now() });
    const signedPayload = apple.sign({
      notificationType: body.type,
      notificationUUID: uuid7(now()),
      version: '2.0',
      signedDate: now(),
      data: { bundleId: appId, environment: transaction.environment, signedTransactionInfo },
    });
    return tell('apple', { signedPayload });
  });

  routes.post('/google/purchases', { schema: { body: GooglePurchase } }, async ({ body }) => {
    const { productId, quantity = 1, userId, environment, isPending = false } = body;
    const orderId = `GPA.${newNumber(now())}`;
    const purchaseToken = uuid7(now());
    play.sell({ orderId, purchaseToken, productId, quantity, isTest: environment === 'Sandbox' });
    const purchaseData = JSON.stringify({
      // There is no order before it is paid.
      ...(isPending ? {} : { orderId }),
      packageName: appId,
      productId,
      purchaseTime: now(),
      purchaseState: isPending ? 4 : 0,
      purchaseToken,
      quantity,
      acknowledged: false,
      ...(userId === undefined ? {} : { obfuscatedAccountId: userId }),
    });
    return {
      transactionId: orderId,
      receipt: { store: 'google', purchaseData, signature: google.sign(purchaseData) },
    };
  });

  routes.post('/google/notifications', { schema: { body: GoogleVoid } }, async ({ body }) => {
    const { orderId, isPushed = true } = body;
    play.void(orderId);
    if (!isPushed) return { status: 'voided' };
    const said = {
      version: '1.0',
      packageName: appId,
      eventTimeMillis: String(now()),
      voidedPurchaseNotification: { orderId, purchaseToken: orderId, productType: 2, refundType: 1 },
    };
    const data = Buffer.from(JSON.stringify(said)).toString('base64');
    const token = await new SignJWT({ email: FAKE_PUSH.account, email_verified: true })
      .setProtectedHeader({ alg: 'RS256', kid: 'fake-store' })
      .setIssuer('https://accounts.google.com')
      .setAudience(FAKE_PUSH.audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(google.privateKey);
    const message = { messageId: uuid7(now()), data };
    return tell('google', { message, subscription: 'fake' }, { authorization: `Bearer ${token}` });
  });

  app.get('/google/certs', async () => {
    const jwk = await exportJWK(createPublicKey(google.privateKey));
    return { keys: [{ ...jwk, kid: 'fake-store', alg: 'RS256', use: 'sig' }] };
  });
  return app;
}

let last = 0;

/** Digits that grow, as those of the stores do. */
function newNumber(nowMs: number): string {
  last = Math.max(last + 1, nowMs * 1_000);
  return String(last);
}
