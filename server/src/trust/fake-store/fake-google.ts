import { createPublicKey } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jwtVerify } from 'jose';
import { Type } from 'typebox';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import type { FakeStoreKeys } from './kept-signers.js';

/** A purchase as the fake store remembers it. */
export type FakePurchase = {
  orderId: string;
  purchaseToken: string;
  productId: string;
  quantity: number;
  isTest: boolean;
  isAcknowledged: boolean;
  /** Null while it is not voided. */
  voidedAtMs: number | null;
};

export type FakeGoogle = {
  sell(purchase: Pick<FakePurchase, 'orderId' | 'purchaseToken' | 'productId' | 'quantity' | 'isTest'>): void;
  void(orderId: string): void;
};

type Options = Readonly<{ keys: FakeStoreKeys; appId: string; tokenUrl: () => string; now: () => number }>;

/** Whom the fake store gives access tokens to. Its key is in the data folder. */
export const FAKE_ACCOUNT = 'savepoint@fake-store.example.com';
const TOKEN_SECONDS = 3_600;
const MAX_PAGE = 1_000;
/** What the address of an acknowledgement ends with, behind the purchase token. */
const ACKNOWLEDGE = ':acknowledge';

const TokenRequest = Type.Object({ assertion: Type.String() });
const PurchaseParameters = Type.Object({ token: Type.String() });
const VoidedQuery = Type.Partial(
  Type.Object({
    startTime: Type.String(),
    endTime: Type.String(),
    maxResults: Type.String(),
    token: Type.String(),
  }),
);

/** The Play Developer API: access tokens, look-ups, acknowledgements and voided purchases. */
export function fakeGoogle(app: FastifyInstance, { keys, appId, tokenUrl, now }: Options): FakeGoogle {
  const routes = withSchemaTypes(app);
  const purchases = new Map<string, FakePurchase>();
  const tokens = new Set<string>();
  const base = `/androidpublisher/v3/applications/${appId}/purchases`;
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.setErrorHandler((error, _, reply) => {
    const { statusCode = 500, message } = error as Error & { statusCode?: number };
    return reply.code(statusCode).send({ error: { code: statusCode, message } });
  });
  const refuse = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
  const authorize = async ({ headers }: FastifyRequest) => {
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''))
      throw refuse(401, 'Request had invalid authentication credentials.');
  };
  const purchaseOf = (token: string): FakePurchase => {
    const found = [...purchases.values()].find(({ purchaseToken }) => purchaseToken === token);
    if (found === undefined) throw refuse(404, 'The purchase token was not found.');
    return found;
  };

  routes.post('/google/token', { schema: { body: TokenRequest } }, async ({ body }) => {
    const publicKey = createPublicKey(keys.account);
    await jwtVerify(body.assertion, publicKey, {
      issuer: FAKE_ACCOUNT,
      audience: tokenUrl(),
      currentDate: new Date(now()),
    }).catch(() => {
      throw refuse(400, 'Invalid JWT Signature.');
    });
    const token = uuid7(now());
    tokens.add(token);
    return { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' };
  });

  const ofPurchase = { onRequest: authorize, schema: { params: PurchaseParameters } };
  routes.get(`${base}/productsv2/tokens/:token`, ofPurchase, async ({ params }) => {
    const { orderId, productId, quantity, isTest, isAcknowledged, voidedAtMs } = purchaseOf(params.token);
    return {
      kind: 'androidpublisher#productPurchaseV2',
      productLineItem: [{ productId, productOfferDetails: { quantity } }],
      purchaseStateContext: { purchaseState: voidedAtMs === null ? 'PURCHASED' : 'CANCELLED' },
      ...(isTest ? { testPurchaseContext: { fopType: 'TEST' } } : {}),
      orderId,
      acknowledgementState: `ACKNOWLEDGEMENT_STATE_${isAcknowledged ? 'ACKNOWLEDGED' : 'PENDING'}`,
    };
  });

  routes.post(`${base}/products/:product/tokens/:token`, ofPurchase, async ({ params: { token } }, reply) => {
    if (!token.endsWith(ACKNOWLEDGE)) throw refuse(404, 'There is no such method.');
    purchaseOf(token.slice(0, -ACKNOWLEDGE.length)).isAcknowledged = true;
    return reply.code(204).send();
  });

  const ofList = { onRequest: authorize, schema: { querystring: VoidedQuery } };
  routes.get(`${base}/voidedpurchases`, ofList, async ({ query }) => {
    // A page is the place of its first entry, and says of which list.
    const [start = 0, end = now(), first = 0] =
      query.token === undefined
        ? [Number(query.startTime ?? 0), Number(query.endTime ?? now())]
        : query.token.split('.').map(Number);
    const voided = [...purchases.values()].filter(
      ({ voidedAtMs }) => voidedAtMs !== null && voidedAtMs >= start && voidedAtMs <= end,
    );
    const size = Math.min(Number(query.maxResults ?? MAX_PAGE), MAX_PAGE);
    const next = first + size < voided.length ? `${start}.${end}.${first + size}` : undefined;
    return {
      voidedPurchases: voided.slice(first, first + size).map(({ orderId, purchaseToken, voidedAtMs }) => ({
        kind: 'androidpublisher#voidedPurchase',
        orderId,
        purchaseToken,
        voidedTimeMillis: String(voidedAtMs),
        voidedSource: 0,
        voidedReason: 1,
      })),
      ...(next === undefined ? {} : { tokenPagination: { nextPageToken: next } }),
    };
  });

  return {
    sell(purchase) {
      purchases.set(purchase.orderId, { ...purchase, isAcknowledged: false, voidedAtMs: null });
    },
    void(orderId) {
      const purchase = purchases.get(orderId);
      if (purchase !== undefined) purchase.voidedAtMs ??= now();
    },
  };
}
