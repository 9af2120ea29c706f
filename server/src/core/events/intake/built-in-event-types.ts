import { isCurrency } from '../../../platform/lib/currencies.js';
import { DAY_MS } from '../../../platform/lib/day.js';
import { decimalFromJson } from '../../../platform/lib/money.js';
import type { TransactionFact } from './event-record.js';
import type { RejectionCode } from './rejections.js';

/** `path` is a JSON pointer to the wrong value, empty for the event as a whole. */
export type EventProblem = { code: RejectionCode; message: string; path: string };

/** What a built-in type adds to an event. `playMs`: the play time that it reports. */
export type BuiltInFacts = { transaction: TransactionFact | null; playMs: number };

type Members = Record<string, unknown>;

const NOTHING: BuiltInFacts = Object.freeze({ transaction: null, playMs: 0 });
const AD_PAYLOAD = ['userId', 'sessionId', 'adId', 'campaignId'];
const DEVICE_METADATA = ['deviceType', 'osName', 'osVersion'];
export const MAX_TRANSACTION_ID = 256;
const CURRENCY_RULE = 'must be an ISO 4217 code in capital letters, such as USD';
const COUNTRY_RULE = 'must be an ISO 3166-1 code of two letters, such as DE';
const TWO_LETTERS = /^[A-Za-z]{2}$/;
/** A session of more than a day comes from a wrong clock, and must not outweigh all others. */
const MAX_PLAY_MS = DAY_MS;

/** The built-in types. Any other type is only stored and counted. */
export const BUILT_IN_TYPES: ReadonlySet<string> = new Set([
  'Ad_Impression',
  'Session_Start',
  'Session_End',
  'Purchase',
  'Refund',
  'Store_View',
  'Level_Start',
  'Level_Complete',
]);

/** Whether a type is built in, and therefore known without being registered. */
export function isBuiltInType(eventType: string): boolean {
  return BUILT_IN_TYPES.has(eventType);
}

/** Reads built-in types; members that are present must be of their type. Any other type is only stored. */
export function readBuiltInType(
  eventType: string,
  payload: Members,
  metadata: Members,
  identity: string,
): BuiltInFacts | EventProblem {
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
      return session(payload) ?? NOTHING;
    case 'Session_End':
      return session(payload) ?? { transaction: null, playMs: playMs(payload) };
    default:
      return NOTHING;
  }
}

/**
 * Checks the metadata that the store and the rules use, whatever the type of the event. A client that does not know the
 * country or the currency may leave it out, or send null or an empty text.
 */
export function findMetadataProblem({ country, currency }: Members): EventProblem | undefined {
  if (isSaid(country) && !(typeof country === 'string' && TWO_LETTERS.test(country))) {
    return invalid('metadata', 'country', COUNTRY_RULE);
  }
  if (isSaid(currency) && !isCurrency(currency)) return invalid('metadata', 'currency', CURRENCY_RULE);
  return undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function invalid(where: 'payload' | 'metadata', name: string, rule: string): EventProblem {
  return {
    code: `${where}_invalid`,
    message: `${where}.${name} ${rule}.`,
    path: `/${where}/${name}`,
  };
}

function notStrings(
  where: 'payload' | 'metadata',
  members: Members,
  names: readonly string[],
): EventProblem | undefined {
  for (const name of names) {
    if (Object.hasOwn(members, name) && typeof members[name] !== 'string') {
      return invalid(where, name, 'must be a string');
    }
  }
  return undefined;
}

function purchase(payload: Members, identity: string): BuiltInFacts | EventProblem {
  const { transactionId, skuId, price, currency, promoId } = payload;
  const wrong = notStrings('payload', payload, ['transactionId', 'skuId', 'currency', 'promoId']);
  if (wrong !== undefined) return wrong;
  if (typeof transactionId === 'string' && !isTransactionId(transactionId)) return BAD_TRANSACTION_ID;
  const amount = price === undefined ? null : decimalFromJson(price);
  if (amount === undefined) {
    return invalid('payload', 'price', 'must be a decimal of 0 or more');
  }
  if ((amount !== null || currency !== undefined) && !isCurrency(currency)) {
    return invalid('payload', 'currency', CURRENCY_RULE);
  }
  return {
    transaction: {
      // A purchase without a transaction id is identified by the event itself.
      transactionId: typeof transactionId === 'string' ? transactionId : `event:${identity}`,
      kind: 'purchase',
      skuId: textOrNull(skuId),
      price: amount,
      currency: textOrNull(currency),
      promoId: textOrNull(promoId),
    },
    playMs: 0,
  };
}

function refund(payload: Members): BuiltInFacts | EventProblem {
  const { transactionId } = payload;
  if (typeof transactionId !== 'string' || !isTransactionId(transactionId)) return BAD_TRANSACTION_ID;
  return {
    transaction: { transactionId, kind: 'refund', skuId: null, price: null, currency: null, promoId: null },
    playMs: 0,
  };
}

function session(payload: Members): EventProblem | undefined {
  const { durationMs } = payload;
  if (durationMs !== undefined && !(typeof durationMs === 'number' && durationMs >= 0)) {
    return invalid('payload', 'durationMs', 'must be a number of 0 or more');
  }
  return notStrings('payload', payload, ['sessionId']);
}

/** The play time that a Session_End with this payload reports. */
function playMs({ durationMs }: Members): number {
  return typeof durationMs === 'number' ? Math.round(Math.min(durationMs, MAX_PLAY_MS)) : 0;
}

const BAD_TRANSACTION_ID = invalid(
  'payload',
  'transactionId',
  `must be a string of 1 to ${MAX_TRANSACTION_ID} characters`,
);

function isTransactionId(value: string): boolean {
  return value.length > 0 && value.length <= MAX_TRANSACTION_ID;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
