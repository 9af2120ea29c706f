import { decimalFromJson } from '../../lib/money.js';
import type { TransactionFact } from './event-record.js';

export type EventProblem = { code: string; message: string };

/** What an event means beyond having happened. */
export type EventMeaning = { transaction: TransactionFact | null };

type Members = Record<string, unknown>;

const NOTHING: EventMeaning = Object.freeze({ transaction: null });
const AD_PAYLOAD = ['userId', 'sessionId', 'adId', 'campaignId'];
const DEVICE_METADATA = ['deviceType', 'osName', 'osVersion'];
const MAX_TRANSACTION_ID = 256;

/** Reads the types that have a meaning; members where present must be of their type. Any other type is just stored. */
export function readMeaning(
  eventType: string,
  payload: Members,
  metadata: Members,
  identity: string,
): EventMeaning | EventProblem {
  switch (eventType) {
    case 'Ad_Impression':
      return (
        notStrings('payload', payload, AD_PAYLOAD) ??
        notStrings('metadata', metadata, DEVICE_METADATA) ??
        NOTHING
      );
    case 'Purchase':
      return purchase(payload, identity);
    case 'Refund':
      return refund(payload);
    case 'Session_Start':
    case 'Session_End':
      return session(payload);
    default:
      return NOTHING;
  }
}

function notStrings(where: string, members: Members, names: readonly string[]): EventProblem | undefined {
  for (const name of names) {
    if (Object.hasOwn(members, name) && typeof members[name] !== 'string') {
      return { code: `${where}_invalid`, message: `${where}.${name} must be a string.` };
    }
  }
  return undefined;
}

function purchase(payload: Members, identity: string): EventMeaning | EventProblem {
  const { transactionId, skuId, price, currency, promoId } = payload;
  const wrong = notStrings('payload', payload, ['transactionId', 'skuId', 'currency', 'promoId']);
  if (wrong !== undefined) return wrong;
  if (typeof transactionId === 'string' && !isTransactionId(transactionId)) return BAD_TRANSACTION_ID;
  const amount = price === undefined ? null : decimalFromJson(price);
  if (amount === undefined) {
    return { code: 'payload_invalid', message: 'payload.price must be a decimal of 0 or more.' };
  }
  if (amount !== null && !(typeof currency === 'string' && /^[A-Z]{3}$/.test(currency))) {
    return { code: 'payload_invalid', message: 'payload.currency must be an ISO 4217 code such as USD.' };
  }
  return {
    transaction: {
      // A purchase without a transaction id can only be told from others by the event itself.
      transactionId: typeof transactionId === 'string' ? transactionId : `event:${identity}`,
      kind: 'purchase',
      skuId: textOrNull(skuId),
      price: amount,
      currency: textOrNull(currency),
      promoId: textOrNull(promoId),
    },
  };
}

function refund(payload: Members): EventMeaning | EventProblem {
  const { transactionId } = payload;
  if (typeof transactionId !== 'string' || !isTransactionId(transactionId)) return BAD_TRANSACTION_ID;
  return {
    transaction: { transactionId, kind: 'refund', skuId: null, price: null, currency: null, promoId: null },
  };
}

function session(payload: Members): EventMeaning | EventProblem {
  const { durationMs } = payload;
  if (durationMs !== undefined && !(typeof durationMs === 'number' && durationMs >= 0)) {
    return { code: 'payload_invalid', message: 'payload.durationMs must be a number of 0 or more.' };
  }
  return notStrings('payload', payload, ['sessionId']) ?? NOTHING;
}

const BAD_TRANSACTION_ID: EventProblem = {
  code: 'payload_invalid',
  message: `payload.transactionId must be a string of 1 to ${MAX_TRANSACTION_ID} characters.`,
};

function isTransactionId(value: string): boolean {
  return value.length > 0 && value.length <= MAX_TRANSACTION_ID;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
