import { idIn, type Life, type Session, sessionRandom } from './life.js';
import { below, between, pick, poisson, type Random } from './random.js';
import { NO_CHANGE, reactedPrice, reactedPurchases } from './reaction.js';
import { BUILDS, priceIn, SKUS } from './world.js';

export type SimulatedEvent = {
  atMs: number;
  eventType: string;
  payload: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  /** The code with which the service must refuse the event. */
  refusedAs?: string;
};

export type Purchase = {
  transactionId: string;
  skuId: string;
  price: number;
  currency: string;
  isRefunded: boolean;
};

const BROKEN_BUILDS = new Set(BUILDS.filter(({ isBroken }) => isBroken).map(({ build }) => build));
const LEVEL_MS = 100_000;
const CAMPAIGNS = ['autumn-launch', 'rewarded-video', 'cross-promotion', 'retention-push'];
const REFUND_SHARE = 0.02;
/** The share of the events with a spoilable member that a broken build spoils. */
const SPOILED_SHARE = 0.3;

/** What a player buys in a session. */
export function purchasesOf(life: Life, { number, startMs }: Session): Purchase[] {
  const { simulation, index, traits, reacting } = life;
  const { appetite, currency } = traits;
  const change = reacting !== undefined && startMs >= reacting.sinceMs ? reacting.change : NO_CHANGE;
  const purchasesPerSession = reactedPurchases(simulation, index, traits, change.conversion);
  if (purchasesPerSession === 0) return [];
  const rounding = change.spend === 1 ? () => 0 : sessionRandom(life, number, 3);
  const random = sessionRandom(life, number, 1);
  const skus = SKUS.map((sku) => ({ ...sku, weight: sku.weight * appetite ** (Math.log(sku.usd) / 4) }));
  return Array.from({ length: Math.min(8, poisson(random, purchasesPerSession)) }, (_, n) => {
    const { skuId, usd } = pick(random, skus);
    return {
      transactionId: `sim-${life.index}-${number}-${n}`,
      skuId,
      price: reactedPrice(priceIn(currency, usd), change.spend, rounding()),
      currency,
      isRefunded: random() < REFUND_SHARE,
    };
  });
}

/** What a session sends, in the order of its times. */
export function eventsOf(life: Life, session: Session): SimulatedEvent[] {
  const { number, startMs, durationMs } = session;
  const random = sessionRandom(life, number, 2);
  const sessionId = `s-${life.index}-${number}`;
  const events: SimulatedEvent[] = [
    { atMs: startMs, eventType: 'Session_Start', payload: { sessionId } },
    ...refundsAt(life, session),
  ];
  const levels = Math.max(1, Math.round(durationMs / LEVEL_MS));
  for (let n = 0; n < levels; n++) {
    addLevel(events, life, session, random, { level: 1 + number * 3 + n, part: n / levels, levels });
  }
  addPurchases(events, life, session, random);
  events.push({ atMs: startMs + durationMs, eventType: 'Session_End', payload: { sessionId, durationMs } });
  const sorted = events.sort((a, b) => a.atMs - b.atMs);
  return BROKEN_BUILDS.has(session.build) ? sorted.map((event) => spoil(event, random)) : sorted;
}

function refundsAt(life: Life, { number, startMs }: Session): SimulatedEvent[] {
  const before = life.sessions[number - 1];
  if (before === undefined) return [];
  return purchasesOf(life, before)
    .filter(({ isRefunded }) => isRefunded)
    .map(({ transactionId }) => ({ atMs: startMs + 1, eventType: 'Refund', payload: { transactionId } }));
}

type Place = { level: number; part: number; levels: number };

function addLevel(
  events: SimulatedEvent[],
  life: Life,
  { startMs, durationMs, number }: Session,
  random: Random,
  { level, part, levels }: Place,
): void {
  const at = (share: number) => Math.round(startMs + durationMs * Math.min(0.999, part + share / levels));
  events.push({ atMs: at(0.05), eventType: 'Level_Start', payload: { level } });
  if (random() < 0.85) {
    const payload = { level, stars: 1 + below(random, 3), score: below(random, 100_000) };
    events.push({ atMs: at(0.8), eventType: 'Level_Complete', payload });
  } else events.push({ atMs: at(0.8), eventType: 'Level_Failed', payload: { level } });
  if (random() < life.traits.adsPerLevel) {
    const payload = {
      userId: `sim-${life.index}`,
      sessionId: `s-${life.index}-${number}`,
      adId: idIn(random, 'ad'),
      campaignId: CAMPAIGNS[below(random, CAMPAIGNS.length)],
    };
    events.push({ atMs: at(0.9), eventType: 'Ad_Impression', payload });
  }
}

function addPurchases(events: SimulatedEvent[], life: Life, session: Session, random: Random): void {
  const { startMs, durationMs } = session;
  const purchases = purchasesOf(life, session);
  if (purchases.length > 0 || random() < 0.15) {
    const atMs = Math.round(startMs + durationMs * between(random, 0.3, 0.5));
    events.push({ atMs, eventType: 'Store_View', payload: { screen: 'shop' } });
  }
  for (const { isRefunded: _, ...payload } of purchases) {
    const atMs = Math.round(startMs + durationMs * between(random, 0.5, 0.95));
    events.push({ atMs, eventType: 'Purchase', payload });
  }
}

/** What a broken build makes of an event. */
function spoil(event: SimulatedEvent, random: Random): SimulatedEvent {
  if (random() >= SPOILED_SHARE) return event;
  const { payload } = event;
  switch (event.eventType) {
    case 'Ad_Impression':
      return { ...event, payload: { ...payload, adId: below(random, 1_000) }, refusedAs: 'payload_invalid' };
    case 'Purchase':
      return {
        ...event,
        payload: { ...payload, currency: String(payload.currency).toLowerCase() },
        refusedAs: 'payload_invalid',
      };
    case 'Level_Failed':
      return { ...event, payload: { ...payload, reason: 'fell\u0000' }, refusedAs: 'invalid_unicode' };
    default:
      return event;
  }
}
