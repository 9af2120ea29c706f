import { createPurchaseCheck } from '../../core/events/receipts/purchase-check.js';
import type { ReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import type { StoreSettings } from '../../core/events/receipts/store-settings.js';

export type TestedReceipt = Readonly<{ isAccepted: boolean; code: string | null; message: string }>;

type Sender = Readonly<{ userId: string; gameId: number; nowMs: number }>;

const CLAIMED = {
  transactionId: 'test',
  kind: 'purchase',
  skuId: null,
  price: null,
  currency: null,
  promoId: null,
} as const;

/** Says what would happen to a purchase with this receipt. Stores nothing. */
export async function testReceipt(
  checks: ReceiptChecks,
  stores: StoreSettings,
  receipt: unknown,
  { userId, gameId, nowMs }: Sender,
): Promise<TestedReceipt> {
  const event = { eventType: 'Purchase', payload: { receipt } };
  const receipts = await checks.check({ userId, gameId }, stores, [event]);
  const check = createPurchaseCheck({ userId, stores, receipts, isServer: false });
  const decision = check({ receipt: receipt ?? 'none' }, CLAIMED, nowMs);
  if ('code' in decision) return refused(decision.code, decision.message);
  const { sale } = decision;
  if (sale === null || sale === undefined)
    return { isAccepted: true, code: null, message: 'Proved, but shared within a family: it is no sale.' };
  const price = sale.price === null ? 'without a price' : `${sale.price} ${sale.currency}`;
  const message = `Proved by ${sale.store}: ${sale.skuId}, transaction ${sale.transactionId}, ${price}.`;
  return { isAccepted: true, code: null, message };
}

function refused(code: string, message: string): TestedReceipt {
  return { isAccepted: false, code, message };
}
