import { type Random, seededRandom } from './random.js';

/**
 * The events of a run. Each has a number in its payload. All members follow from this number and the seed, so that the check
 * needs no record of what was sent.
 */
export type Plan = {
  seed: number;
  /** Events happened at some time before this moment. */
  startedAtMs: number;
  events: number;
  players: number;
  batches: readonly Batch[];
  /** By number of the event. */
  types: readonly EventType[];
  /** The purchase that a refund takes back, both by their numbers. */
  refunds: ReadonlyMap<number, number>;
};

/** `count` events from number `first` on, of one player, in one request. */
export type Batch = {
  index: number;
  player: number;
  first: number;
  count: number;
  gzip: boolean;
  /** The `seq` of the first event, where the player's client numbers its events. */
  firstSeq: number | null;
};

export type EventType = (typeof TYPES)[number];

export type Price = { currency: string; hundredths: number };

/** Each type is as frequent as in this list. Boss_Fight is no built-in type. */
const TYPES = [
  'Level_Start',
  'Level_Complete',
  'Level_Complete',
  'Level_Complete',
  'Ad_Impression',
  'Ad_Impression',
  'Session_Start',
  'Session_End',
  'Store_View',
  'Purchase',
  'Purchase',
  'Refund',
  'Boss_Fight',
] as const;

const PRICES: readonly Price[] = [
  { currency: 'USD', hundredths: 99 },
  { currency: 'USD', hundredths: 1_999 },
  { currency: 'EUR', hundredths: 449 },
  { currency: 'JPY', hundredths: 15_000 },
];

const DEVICES = [
  { deviceType: 'phone', osName: 'Android', osVersion: '16', country: 'KE' },
  { deviceType: 'tablet', osName: 'iOS', osVersion: '26.1', country: 'PE' },
] as const;

const MAX_BATCH = 50;
const DAY_MS = 86_400_000;

export function planEvents(
  options: Pick<Plan, 'seed' | 'events' | 'players'> & { startedAtMs: number },
): Plan {
  const random = seededRandom(options.seed);
  const batches: Batch[] = [];
  const types: EventType[] = [];
  const refunds = new Map<number, number>();
  const purchases = new Map<number, number[]>();
  const lastSeq = new Map<number, number>();

  for (let first = 0; first < options.events; ) {
    const wanted = random.chance(0.15) ? 1 : 2 + random.integer(MAX_BATCH - 1);
    const count = Math.min(wanted, options.events - first);
    const player = random.integer(options.players);
    const firstSeq = isNumbering(player) ? (lastSeq.get(player) ?? 0) + 1 : null;
    if (firstSeq !== null) lastSeq.set(player, firstSeq + count - 1);
    batches.push({ index: batches.length, player, first, count, gzip: random.chance(0.25), firstSeq });
    const bought = purchases.get(player) ?? [];
    purchases.set(player, bought);
    for (let number = first; number < first + count; number++)
      types.push(nextType(number, bought, refunds, random));
    first += count;
  }
  return { ...options, batches, types, refunds };
}

/** Every second client numbers its events; a fifth of the events of the other clients has an `eventId`. */
function isNumbering(player: number): boolean {
  return player % 2 === 0;
}

/** A refund takes back a recent purchase: often both are on their way at once, and the refund may arrive first. */
function nextType(number: number, bought: number[], refunds: Map<number, number>, random: Random): EventType {
  const type = random.pick(TYPES);
  if (type === 'Purchase') bought.push(number);
  if (type !== 'Refund') return type;
  const purchase = bought.pop();
  if (purchase === undefined) return 'Level_Start';
  refunds.set(number, purchase);
  return type;
}

/** The event as a client sends it, the same each time. */
export function eventOf(plan: Plan, number: number): Record<string, unknown> {
  const random = randomOf(plan, number);
  return {
    eventType: plan.types[number],
    timestamp: new Date(occurredAtMs(plan, number)).toISOString(),
    ...(random.chance(0.2) ? { eventId: `event-${number}` } : {}),
    payload: { n: number, ...payloadOf(plan, number) },
    ...(random.chance(0.5) ? { metadata: random.pick(DEVICES) } : {}),
  };
}

function payloadOf(plan: Plan, number: number): Record<string, unknown> {
  switch (plan.types[number]) {
    case 'Purchase': {
      const { currency, hundredths } = priceOf(plan, number);
      return { transactionId: `t-${number}`, skuId: 'gems', price: hundredths / 100, currency };
    }
    case 'Refund':
      return { transactionId: `t-${plan.refunds.get(number)}` };
    case 'Session_End':
      return { sessionId: `s-${number}`, durationMs: 1_000 + (number % 600_000) };
    case 'Ad_Impression':
      return { adId: `ad-${number % 17}`, campaignId: 'campaign-1' };
    default:
      return {};
  }
}

export function priceOf(plan: Plan, number: number): Price {
  return PRICES[(plan.seed + number) % PRICES.length] as Price;
}

/** Mostly of today and yesterday, some a week old, a few from before the daily partitions begin. */
export function occurredAtMs(plan: Plan, number: number): number {
  const random = randomOf(plan, ~number);
  const days = random.chance(0.8) ? 1.5 : random.chance(0.8) ? 7 : 60;
  return plan.startedAtMs - 1 - Math.floor(random.fraction() * days * DAY_MS);
}

function randomOf({ seed }: Plan, number: number): Random {
  return seededRandom(Math.imul(seed ^ 0x5bd1e995, 0x2545f491) ^ Math.imul(number, 0x01000193));
}
