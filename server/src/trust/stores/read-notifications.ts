import { isObject, parseObject } from '../../platform/lib/is-object.js';
import type { AppleNotification } from '../../platform/lib/receipts/apple-receipts.js';
import { isId } from '../../platform/lib/receipts/receipt-members.js';
import type { StoreNotification } from './notification-queries.js';

/** What a notification says of a refund, for a game. */
export type ReadNotification = Omit<StoreNotification, 'gameId'>;

const TAKEN_BACK = ['REFUND', 'REVOKE'];

export function ofApple({ notificationId, type, signedAtMs, sale }: AppleNotification): ReadNotification {
  const notification = { store: 'apple', notificationId, type, signedAtMs } as const;
  if (sale === null) return { ...notification, refund: null };
  const { transactionId, revocation } = sale;
  if (TAKEN_BACK.includes(type)) {
    const { share, atMs } = revocation ?? { share: '1', atMs: signedAtMs };
    return { ...notification, refund: { transactionId, share, atMs } };
  }
  const isReversed = type === 'REFUND_REVERSED';
  return { ...notification, refund: isReversed ? { transactionId, share: '0', atMs: signedAtMs } : null };
}

/** A refund of everything. A partial one does not say how much; only the store's own API does. */
const FULL_REFUND = 1;

/** Reads the message of a Pub/Sub push. Undefined for anything else, and for another app. */
export function ofGoogle(body: unknown, packageName: string): ReadNotification | undefined {
  const message = isObject(body) && isObject(body.message) ? body.message : {};
  const { messageId, data } = message;
  const text = typeof data === 'string' ? Buffer.from(data, 'base64').toString('utf8') : '';
  const said = parseObject(text);
  const signedAtMs = Number(said?.eventTimeMillis);
  const isWhole =
    said !== undefined && isId(messageId) && Number.isSafeInteger(signedAtMs) && signedAtMs >= 0;
  if (!isWhole || said.packageName !== packageName) return undefined;
  const type = Object.keys(said).find((name) => name.endsWith('Notification')) ?? 'unknown';
  const notification = { store: 'google', notificationId: messageId, type, signedAtMs } as const;
  const voided = said.voidedPurchaseNotification;
  if (!isObject(voided) || (voided.refundType ?? FULL_REFUND) !== FULL_REFUND)
    return { ...notification, refund: null };
  const transactionId = isId(voided.orderId) ? voided.orderId : voided.purchaseToken;
  if (!isId(transactionId)) return undefined;
  return { ...notification, refund: { transactionId, share: '1', atMs: signedAtMs } };
}
