import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { parseObject } from '../is-object.js';
import { isCount, isId, isTime } from './receipt-members.js';
import { invalidReceipt, type ReceiptProblem, type StoreSale } from './store-sale.js';

const verifyInThread = promisify(verify);

/** Google's are below 2,000 characters. */
const MAX_PURCHASE_DATA = 16_384;
const MAX_SIGNATURE = 1_024;
const PURCHASED = 0;
/** In the signed text, which has states of its own: 4, and 2 from older billing libraries. */
const PENDING: readonly unknown[] = [4, 2];
/** Smaller keys can be broken. Google's have 2,048 bits. */
const MIN_KEY_BITS = 2_048;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The app that a purchase must be of. */
export type GoogleApp = Readonly<{ packageName: string; publicKey: KeyObject }>;

/** Reads an app's licence key as Google's console shows it: Base64 of DER. Undefined for anything else. */
export function readGoogleKey(text: string): KeyObject | undefined {
  const base64 = text.replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= MIN_KEY_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the signature of a purchase, offline, and reads it. It states no price, and does not tell a sandbox. */
export async function readGooglePurchase(
  purchaseData: string,
  signature: string,
  { packageName, publicKey }: GoogleApp,
): Promise<StoreSale | ReceiptProblem> {
  if (purchaseData.length > MAX_PURCHASE_DATA || signature.length > MAX_SIGNATURE || !BASE64.test(signature))
    return invalidReceipt('The receipt or its signature is too long or malformed.');
  const bytes = Buffer.from(signature, 'base64');
  if (!(await verifyInThread('sha1', Buffer.from(purchaseData), publicKey, bytes)))
    return invalidReceipt('The receipt is not to be believed: the signature is wrong.');
  const purchase = parseObject(purchaseData);
  if (purchase === undefined) return invalidReceipt('The receipt is not a JSON object.');
  if (purchase.packageName !== packageName)
    return { code: 'receipt_of_another_app', message: 'The receipt is of another app.' };
  if (PENDING.includes(purchase.purchaseState))
    return { code: 'receipt_pending', message: 'The purchase is pending: nothing was paid yet.' };
  return readSale(purchase) ?? invalidReceipt('The receipt lacks a member, or the purchase was cancelled.');
}

/** Google's have about 150 characters. */
const MAX_TOKEN = 1_500;

function isPurchaseToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN;
}

function readSale(purchase: Record<string, unknown>): StoreSale | undefined {
  const { orderId, purchaseToken, productId, purchaseTime, quantity = 1, obfuscatedAccountId } = purchase;
  const transactionId = isId(orderId) ? orderId : purchaseToken;
  const { purchaseState = PURCHASED } = purchase;
  const isWhole = isId(transactionId) && isId(productId) && isTime(purchaseTime) && isCount(quantity);
  if (!isWhole || purchaseState !== PURCHASED) return undefined;
  return {
    store: 'google',
    transactionId,
    productId,
    quantity,
    purchasedAtMs: purchaseTime,
    price: null,
    currency: null,
    isSandbox: false,
    isShared: false,
    accountId: typeof obfuscatedAccountId === 'string' ? obfuscatedAccountId : null,
    ...(isPurchaseToken(purchaseToken) ? { purchaseToken } : {}),
    revocation: null,
  };
}
