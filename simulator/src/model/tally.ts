import type { Life, Session } from './life.js';
import { eventsOf, type SimulatedEvent } from './session-events.js';

/** What the service must have of some players once everything has arrived. All members are sums, so tallies can be added. */
export type Tally = {
  players: number;
  sessions: number;
  events: Record<string, number>;
  /** By code. */
  refused: Record<string, number>;
  /** Acknowledged by the simulated network and never delivered, by `build|platform`. */
  swallowed: Record<string, number>;
  payers: number;
  /** Refunds taken off. */
  purchases: number;
  /** In hundredths, by currency, refunds taken off. */
  revenue: Record<string, number>;
};

export function emptyTally(): Tally {
  return {
    players: 0,
    sessions: 0,
    events: {},
    refused: {},
    swallowed: {},
    payers: 0,
    purchases: 0,
    revenue: {},
  };
}

/** Computed from the life alone: what the service says is compared with it and is no part of it. */
export function tallyOf(life: Life): Tally {
  const count = createLifeTally(life);
  for (const session of life.sessions) count.add(session, eventsOf(life, session));
  return count.end();
}

/** The same for a caller that has the events already, so that they are computed once. */
export function createLifeTally(life: Life) {
  const tally = emptyTally();
  const bought = new Map<unknown, { price: number; currency: string }>();
  const refunded = new Set<unknown>();

  const addEvent = ({ eventType, payload, refusedAs }: SimulatedEvent) => {
    if (refusedAs !== undefined) return add(tally.refused, refusedAs, 1);
    add(tally.events, eventType, 1);
    if (eventType === 'Purchase') {
      bought.set(payload.transactionId, { price: Number(payload.price), currency: String(payload.currency) });
    } else if (eventType === 'Refund') refunded.add(payload.transactionId);
  };

  return {
    /** The next session of the life. */
    add(session: Session, events: readonly SimulatedEvent[]): void {
      tally.players = 1;
      tally.sessions++;
      if (session.network === 'swallowed') add(tally.swallowed, lossKey(life, session), events.length);
      else for (const event of events) addEvent(event);
    },
    end(): Tally {
      for (const [transactionId, { price, currency }] of bought) {
        if (refunded.has(transactionId)) continue;
        tally.purchases++;
        add(tally.revenue, currency, Math.round(price * 100));
      }
      tally.payers = tally.purchases > 0 ? 1 : 0;
      return tally;
    },
  };
}

/** The key by which `savepoint losses` groups losses. */
function lossKey({ traits }: Life, { build }: Session): string {
  return `${build}|${traits.osName}`;
}

export function addTally(sum: Tally, tally: Tally): void {
  for (const name of ['players', 'sessions', 'payers', 'purchases'] as const) sum[name] += tally[name];
  for (const name of ['events', 'refused', 'swallowed', 'revenue'] as const) {
    for (const [key, count] of Object.entries(tally[name])) add(sum[name], key, count);
  }
}

/** All entries together. */
export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function add(counts: Record<string, number>, key: string, count: number): void {
  counts[key] = (counts[key] ?? 0) + count;
}
