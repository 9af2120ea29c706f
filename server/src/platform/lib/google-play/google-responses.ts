import { isObject } from '../is-object.js';
import { isId, isTime } from '../receipts/receipt-members.js';

/** What Google says of a purchase, as far as it matters here. */
export type GooglePurchase = Readonly<{
  state: 'purchased' | 'cancelled' | 'pending';
  /** Of a licence tester, who paid nothing. */
  isTest: boolean;
  isAcknowledged: boolean;
}>;

export type VoidedPage = Readonly<{
  voided: readonly Readonly<{ transactionId: string; voidedAtMs: number }>[];
  nextPage: string | null;
}>;

const STATES: ReadonlyMap<unknown, GooglePurchase['state']> = new Map([
  ['PURCHASED', 'purchased'],
  ['CANCELLED', 'cancelled'],
]);

/** Reads a `ProductPurchaseV2`. A state that is not known here is no purchase yet. */
export function readPurchase(body: Record<string, unknown>): GooglePurchase {
  const context = isObject(body.purchaseStateContext) ? body.purchaseStateContext : {};
  return {
    state: STATES.get(context.purchaseState) ?? 'pending',
    isTest: isObject(body.testPurchaseContext),
    isAcknowledged: body.acknowledgementState === 'ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED',
  };
}

/** Reads a page of `voidedpurchases`. Entries without an order and a time say nothing. */
export function readVoidedPage(body: Record<string, unknown>): VoidedPage {
  const entries = Array.isArray(body.voidedPurchases) ? body.voidedPurchases.filter(isObject) : [];
  const pagination = isObject(body.tokenPagination) ? body.tokenPagination : {};
  const { nextPageToken } = pagination;
  return {
    voided: entries.flatMap(({ orderId, purchaseToken, voidedTimeMillis }) => {
      const transactionId = isId(orderId) ? orderId : purchaseToken;
      const voidedAtMs = Number(voidedTimeMillis);
      return isId(transactionId) && isTime(voidedAtMs) ? [{ transactionId, voidedAtMs }] : [];
    }),
    nextPage: typeof nextPageToken === 'string' && nextPageToken !== '' ? nextPageToken : null,
  };
}
