import { readBuiltInType } from '../../../core/events/intake/built-in-event-types.js';
import type { TransactionFact } from '../../../core/events/intake/event-record.js';
import { readProfile } from '../../../core/events/intake/player-profile.js';
import { millionthsOf } from '../../../platform/lib/money.js';

/** An event as the database gives it. Times are milliseconds since 1970, and the last three are JSON. */
export type StoredEvent = readonly [
  playerId: string,
  eventId: string | null,
  eventType: string,
  sentMs: number,
  receivedMs: number,
  clockSuspect: boolean,
  payload: string,
  metadata: string,
  /** What a purchase counts as, where that is not what its payload says. `null` as text: nothing. */
  sale: string | null,
];

/** A row of a file. The members are its columns, in their order. */
export type FileEvent = Readonly<{
  event_id: string | null;
  event_type: string;
  counted_at: Date;
  sent_at: Date;
  received_at: Date;
  clock_suspect: boolean;
  player_key: string;
  country: string | null;
  platform: string | null;
  build: string | null;
  transaction_id: string | null;
  sku_id: string | null;
  /** In millionths. */
  price: bigint | null;
  currency: string | null;
  verified_by: string | null;
  payload: string;
  metadata: string;
}>;

type Place = Pick<FileEvent, 'country' | 'platform' | 'build'>;
type Sale = Pick<FileEvent, 'transaction_id' | 'sku_id' | 'price' | 'currency' | 'verified_by'>;

const NO_SALE: Sale = Object.freeze({
  transaction_id: null,
  sku_id: null,
  price: null,
  currency: null,
  verified_by: null,
});
/** Prices have 18 digits, six of them behind the point. */
const PRICE_BOUND = 10n ** 18n;
const MAX_PLACES = 10_000;
/** Metadata may be 32 KiB. Such texts are not kept. */
const MAX_KEPT_CHARACTERS = 2_000;

/** Turns stored events into rows. Metadata is nearly always that of an event before, and is read once. */
export function createRowReader(): (event: StoredEvent, playerKey: string) => FileEvent {
  const places = new Map<string, Place>();
  const placeOf = (metadata: string): Place => {
    const known = places.get(metadata);
    if (known !== undefined) return known;
    const place = readPlace(metadata);
    if (metadata.length > MAX_KEPT_CHARACTERS) return place;
    if (places.size >= MAX_PLACES) places.clear();
    places.set(metadata, place);
    return place;
  };
  return (event, playerKey) => {
    const [, eventId, eventType, sentMs, receivedMs, clockSuspect, payload, metadata] = event;
    const { country, platform, build } = placeOf(metadata);
    const sale = saleOf(event);
    return {
      event_id: eventId,
      event_type: eventType,
      // As in the roll-ups: see `effectiveAtMs` of an event.
      counted_at: new Date(clockSuspect ? receivedMs : Math.min(sentMs, receivedMs)),
      sent_at: new Date(sentMs),
      received_at: new Date(receivedMs),
      clock_suspect: clockSuspect,
      player_key: playerKey,
      country,
      platform,
      build,
      transaction_id: sale.transaction_id,
      sku_id: sale.sku_id,
      price: sale.price,
      currency: sale.currency,
      verified_by: sale.verified_by,
      payload,
      metadata,
    };
  };
}

function readPlace(metadata: string): Place {
  const profile = readProfile(JSON.parse(metadata) as Record<string, unknown>, null);
  return {
    country: profile?.country ?? null,
    platform: profile?.osName ?? null,
    build: profile?.clientBuild ?? null,
  };
}

function saleOf([, , eventType, , , , payload, , sale]: StoredEvent): Sale {
  if (eventType !== 'Purchase' && eventType !== 'Refund') return NO_SALE;
  if (sale !== null) return toSale(JSON.parse(sale) as TransactionFact | null);
  const members = JSON.parse(payload) as Record<string, unknown>;
  const facts = readBuiltInType(eventType, members, {}, '');
  if ('code' in facts) return NO_SALE;
  const read = toSale(facts.transaction);
  // Without an id of its own a purchase is told from others by the event.
  return members.transactionId === undefined ? { ...read, transaction_id: null } : read;
}

function toSale(fact: TransactionFact | null): Sale {
  if (fact === null) return NO_SALE;
  const { transactionId, skuId, price, currency, store = null } = fact;
  return {
    transaction_id: transactionId,
    sku_id: skuId,
    price: price === null ? null : amountOf(price),
    currency,
    verified_by: store,
  };
}

/** Null where the column is too narrow: a receipt, or a file that was imported, may name any price. The payload has it as it was sent. */
function amountOf(price: string): bigint | null {
  const millionths = millionthsOf(price);
  return millionths < PRICE_BOUND ? millionths : null;
}
