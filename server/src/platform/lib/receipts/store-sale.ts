/** Why a receipt is no proof of a purchase. The codes are those of rejected events. */
export type ReceiptProblem = Readonly<{
  code: 'receipt_invalid' | 'receipt_of_another_app' | 'receipt_pending' | 'store_not_configured';
  message: string;
}>;

/** What a receipt proves. Nothing in it is the client's word. */
export type StoreSale = Readonly<{
  store: 'apple' | 'google';
  transactionId: string;
  productId: string;
  quantity: number;
  purchasedAtMs: number;
  /** For the whole quantity, as a decimal text. Null where the receipt does not state it. */
  price: string | null;
  currency: string | null;
  isSandbox: boolean;
  /** Bought by another member of the family: no sale. */
  isShared: boolean;
  /** The player whom the app named when it began the purchase. */
  accountId: string | null;
  /** Of Google: what Google is asked about the purchase by. */
  purchaseToken?: string;
  /** Set when the store has taken the purchase back already. */
  revocation: Revocation | null;
}>;

/** `share`: how much was given back, as a decimal text from 0 to 1. */
export type Revocation = Readonly<{ atMs: number; share: string; signedAtMs: number }>;

export function isProblem(result: object): result is ReceiptProblem {
  return 'code' in result;
}

export function invalidReceipt(message: string): ReceiptProblem {
  return { code: 'receipt_invalid', message };
}
