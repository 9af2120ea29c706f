import { isCurrency } from '../currencies.js';
import { isObject } from '../is-object.js';
import type { Certificate } from './certificates.js';
import { isCount, isId, isTime } from './receipt-members.js';
import { createSignedJsonReader, type SignedPayload } from './signed-json.js';
import {
  invalidReceipt,
  isProblem,
  type ReceiptProblem,
  type Revocation,
  type StoreSale,
} from './store-sale.js';

/** A signed transaction has about 5,000 characters, of which 4,000 are certificates. */
const MAX_TRANSACTION = 16_384;
/** A notification contains a signed transaction and a signed renewal. */
const MAX_APPLE_NOTIFICATION = 65_536;
/** 100 percent in thousandths of a percent. */
const WHOLE = 100_000;

/** What Apple says has happened to a transaction. */
export type AppleNotification = Readonly<{
  notificationId: string;
  type: string;
  signedAtMs: number;
  /** Null where the notification names no transaction, such as a test. */
  sale: StoreSale | null;
}>;

export type AppleReceipts = {
  readTransaction(jws: string, bundleIds: readonly string[]): Promise<StoreSale | ReceiptProblem>;
  readNotification(jws: string, bundleIds: readonly string[]): Promise<AppleNotification | ReceiptProblem>;
};

type Options = {
  /** Whoever holds the key of one of them can sign receipts. */
  roots: readonly Certificate[];
  /** Xcode's own test environments exist in development only, as sandboxes, and with a signature like all others. */
  isDevelopment: boolean;
};

/** Reads what Apple's stores have signed. No environment is believed without a signature. */
export function createAppleReceipts({ roots, isDevelopment }: Options): AppleReceipts {
  const readSigned = createSignedJsonReader(roots);
  const sandboxes = isDevelopment ? ['Sandbox', 'Xcode', 'LocalTesting'] : ['Sandbox'];

  const saleOf = (read: SignedPayload, bundleIds: readonly string[]): StoreSale | ReceiptProblem => {
    if ('flaw' in read) return invalidReceipt(`The receipt is not to be believed: ${read.flaw}.`);
    const { payload } = read;
    const foreign = foreignApp(payload.bundleId, bundleIds);
    if (foreign !== undefined) return foreign;
    const { environment } = payload;
    if (environment !== 'Production' && !sandboxes.includes(String(environment)))
      return invalidReceipt('The receipt is of an environment that does not count here.');
    return readSale(payload, environment !== 'Production') ?? invalidReceipt('The receipt lacks a member.');
  };

  return {
    async readTransaction(jws, bundleIds) {
      return saleOf(await readSigned(jws, MAX_TRANSACTION), bundleIds);
    },
    async readNotification(jws, bundleIds) {
      const read = await readSigned(jws, MAX_APPLE_NOTIFICATION);
      if ('flaw' in read) return invalidReceipt(`The notification is not to be believed: ${read.flaw}.`);
      const { notificationType: type, notificationUUID: notificationId, data, signedDate } = read.payload;
      if (!isId(type) || !isId(notificationId)) return invalidReceipt('The notification lacks a member.');
      const about = isObject(data) ? data : {};
      const foreign = about.bundleId === undefined ? undefined : foreignApp(about.bundleId, bundleIds);
      if (foreign !== undefined) return foreign;
      const notification = { notificationId, type, signedAtMs: Number(signedDate) };
      const jwsOfSale = about.signedTransactionInfo;
      if (typeof jwsOfSale !== 'string') return { ...notification, sale: null };
      const sale = saleOf(await readSigned(jwsOfSale, MAX_TRANSACTION), bundleIds);
      return isProblem(sale) ? sale : { ...notification, sale };
    },
  };
}

function foreignApp(bundleId: unknown, bundleIds: readonly string[]): ReceiptProblem | undefined {
  if (typeof bundleId === 'string' && bundleIds.includes(bundleId)) return undefined;
  return { code: 'receipt_of_another_app', message: 'The receipt is of another app.' };
}

function readSale(payload: Record<string, unknown>, isSandbox: boolean): StoreSale | undefined {
  const { transactionId, productId, quantity = 1, purchaseDate, price, currency, appAccountToken } = payload;
  if (!isId(transactionId) || !isId(productId) || !isCount(quantity) || !isTime(purchaseDate))
    return undefined;
  const isPriced = Number.isSafeInteger(price) && Number(price) >= 0 && isCurrency(currency);
  return {
    store: 'apple',
    transactionId,
    productId,
    quantity,
    purchasedAtMs: purchaseDate,
    price: isPriced ? fromThousandths(Number(price)) : null,
    currency: isPriced ? String(currency) : null,
    isSandbox,
    isShared: payload.inAppOwnershipType === 'FAMILY_SHARED',
    accountId: typeof appAccountToken === 'string' ? appAccountToken : null,
    revocation: revocationOf(payload),
  };
}

function revocationOf({
  revocationDate,
  revocationType,
  revocationPercentage,
  signedDate,
}: Record<string, unknown>): Revocation | null {
  if (!isTime(revocationDate) || !isTime(signedDate)) return null;
  const isPart = revocationType === 'REFUND_PRORATED' && isCount(revocationPercentage);
  const part = isPart ? Math.min(revocationPercentage, WHOLE) : WHOLE;
  return { atMs: revocationDate, share: String(part / WHOLE), signedAtMs: signedDate };
}

/** 10990 is 10.99. */
function fromThousandths(amount: number): string {
  const digits = String(amount).padStart(4, '0');
  const fraction = digits.slice(-3).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -3) : `${digits.slice(0, -3)}.${fraction}`;
}
