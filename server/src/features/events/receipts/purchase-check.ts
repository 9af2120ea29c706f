import { DAY_MS } from '../../../lib/day.js';
import { isProblem, type StoreSale } from '../../../lib/receipts/store-sale.js';
import { UUID_ANY_CASE } from '../../../lib/uuid.js';
import type { EventProblem } from '../intake/built-in-event-types.js';
import type { TransactionFact } from '../intake/event-record.js';
import { type CheckedReceipts, readReceipt, receiptKey } from './receipt-checks.js';
import type { StoreSettings } from './store-settings.js';

/** A receipt of more than a quarter of a year ago counts at its arrival, as an event does. */
const FAR_BEHIND_MS = 90 * DAY_MS;

/** What a purchase counts as. `sale` is undefined where that is what its payload says, and null where it counts as nothing. */
export type PurchaseDecision = Readonly<{ sale: TransactionFact | null | undefined }>;

/** Decides what a purchase counts as. `claimed` is what its payload says. */
export type PurchaseCheck = (
  payload: Record<string, unknown>,
  claimed: TransactionFact,
  receivedAtMs: number,
) => PurchaseDecision | EventProblem;

export type PurchaseRules = Readonly<{
  userId: string;
  stores: StoreSettings;
  receipts: CheckedReceipts;
  /** The purchases come from the studio's own server, whose word is proof. */
  isServer: boolean;
}>;

export function createPurchaseCheck({ userId, stores, receipts, isServer }: PurchaseRules): PurchaseCheck {
  const usesReceipts = stores.apple !== null || stores.google !== null;
  return (payload, claimed, receivedAtMs) => {
    if (payload.receipt !== undefined && usesReceipts) {
      const receipt = readReceipt(payload.receipt);
      const read = receipt === undefined ? undefined : receipts.get(receiptKey(receipt));
      if (read === undefined)
        return problem('receipt_invalid', 'payload.receipt is not a receipt of a known store.');
      if (isProblem(read)) return problem(read.code, read.message);
      return decideSale(read, { claimed, userId, stores, receivedAtMs });
    }
    if (isServer) return { sale: { ...claimed, store: 'server' } };
    const { price, currency } = claimed;
    const max = currency === null ? undefined : stores.maxPrices[currency];
    if (price !== null && max !== undefined && Number(price) > Number(max))
      return implausible(`The price is above ${max} ${currency}, and there is no receipt.`);
    return { sale: stores.counts === 'verified' ? null : undefined };
  };
}

type SaleContext = Readonly<{
  claimed: TransactionFact;
  userId: string;
  stores: StoreSettings;
  receivedAtMs: number;
}>;

function decideSale(
  sale: StoreSale,
  { claimed, userId, stores, receivedAtMs }: SaleContext,
): PurchaseDecision | EventProblem {
  const { accountId, isSandbox } = sale;
  if (accountId !== null && UUID_ANY_CASE.test(accountId) && accountId.toLowerCase() !== userId)
    return problem('receipt_of_another_player', 'The receipt names another player.');
  if (isSandbox && !stores.testers.includes(userId))
    return problem(
      'receipt_sandbox',
      'The receipt is of a sandbox, and the player is not marked as a tester.',
    );
  if (sale.isShared) return { sale: null };
  const isNear = sale.purchasedAtMs <= receivedAtMs && receivedAtMs - sale.purchasedAtMs <= FAR_BEHIND_MS;
  return {
    sale: {
      transactionId: sale.transactionId,
      kind: 'purchase',
      skuId: sale.productId,
      price: isSandbox ? null : sale.price,
      currency: isSandbox ? null : sale.currency,
      promoId: claimed.promoId,
      store: sale.store,
      quantity: sale.quantity,
      purchasedAtMs: isNear ? sale.purchasedAtMs : receivedAtMs,
      ...(sale.revocation === null ? {} : { notice: sale.revocation }),
      ...(sale.purchaseToken === undefined ? {} : { purchaseToken: sale.purchaseToken }),
    },
  };
}

function implausible(message: string): EventProblem {
  return { code: 'price_implausible', message, path: '/payload/price' };
}

function problem(code: EventProblem['code'], message: string): EventProblem {
  return { code, message, path: '/payload/receipt' };
}
