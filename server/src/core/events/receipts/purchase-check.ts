import { DAY_MS } from '../../../platform/lib/day.js';
import {
  invalidReceipt,
  isProblem,
  type ReceiptProblem,
  type StoreSale,
} from '../../../platform/lib/receipts/store-sale.js';
import { UUID_ANY_CASE } from '../../../platform/lib/uuid.js';
import type { EventProblem } from '../intake/built-in-event-types.js';
import type { TransactionFact } from '../intake/event-record.js';
import {
  type CheckedReceipts,
  NO_RECEIPTS,
  notConfigured,
  readReceipt,
  receiptKey,
} from './receipt-checks.js';
import { NO_STORES, type StoreSettings } from './store-settings.js';

/** A receipt of more than a quarter of a year ago counts at its arrival, as an event does. */
const FAR_BEHIND_MS = 90 * DAY_MS;

/** What a purchase counts as. `sale` is undefined where that is what its payload says, and null where it counts as nothing. */
export type PurchaseDecision = Readonly<{ sale: TransactionFact | null | undefined }>;

/** Decides what a purchase or refund counts as. `claimed` is what its payload says. */
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
  const unproved = { sale: stores.counts === 'verified' ? null : undefined };
  return (payload, claimed, receivedAtMs) => {
    if (claimed.kind === 'refund') return isServer ? AS_CLAIMED : unproved;
    const { receipt = null } = payload;
    if (receipt !== null) {
      const read = readOf(receipt, stores, receipts);
      return isProblem(read)
        ? problem(read.code, read.message)
        : decideSale(read, { claimed, userId, stores, receivedAtMs });
    }
    if (isServer) return { sale: { ...claimed, store: 'server' } };
    const { price, currency } = claimed;
    const max = currency === null ? undefined : stores.maxPrices[currency];
    if (price !== null && max !== undefined && Number(price) > Number(max))
      return implausible(`The price is above ${max} ${currency}, and there is no receipt.`);
    return unproved;
  };
}

const AS_CLAIMED: PurchaseDecision = Object.freeze({ sale: undefined });

/** The check of a game that has set up no store. A receipt is refused there, too: no purchase counts whose receipt was not read. */
export const CHECK_WITHOUT_STORES = createPurchaseCheck({
  userId: '',
  stores: NO_STORES,
  receipts: NO_RECEIPTS,
  isServer: false,
});

function readOf(
  value: unknown,
  stores: StoreSettings,
  receipts: CheckedReceipts,
): StoreSale | ReceiptProblem {
  const receipt = readReceipt(value);
  const read = receipt === undefined ? undefined : receipts.get(receiptKey(receipt));
  if (read !== undefined) return read;
  if (receipt !== undefined && stores[receipt.store] === null) return notConfigured(receipt.store);
  return invalidReceipt('payload.receipt is not a receipt of a known store.');
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
