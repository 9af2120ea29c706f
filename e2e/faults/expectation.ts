import { type EventType, occurredAtMs, type Plan, priceOf } from './numbered-events.js';

/** The expected values of a player's row, or of a day of a player or of the game. Texts, so that they compare exactly. */
export type Totals = {
  events: number;
  eventCounts: Record<string, number>;
  purchases: number;
  /** Exact decimals by currency. */
  spend: Record<string, string>;
};

export type Expectation = {
  players: Map<number, Totals>;
  /** By `<player> <day>`. */
  playerDays: Map<string, Totals>;
  /** By day. */
  gameDays: Map<string, Totals>;
};

/** Counted here from the numbers of the events alone, without code of the service. */
export function expectTotals(plan: Plan, isCounted: (number: number) => boolean): Expectation {
  const players = new Map<number, Tally>();
  const playerDays = new Map<string, Tally>();
  const gameDays = new Map<string, Tally>();
  const refunded = new Set(
    [...plan.refunds].filter(([refund]) => isCounted(refund)).map(([, purchase]) => purchase),
  );

  for (const { player, first, count } of plan.batches) {
    for (let number = first; number < first + count; number++) {
      if (!isCounted(number)) continue;
      const type = plan.types[number] as EventType;
      const day = new Date(occurredAtMs(plan, number)).toISOString().slice(0, 10);
      const tallies = [
        tallyOf(players, player),
        tallyOf(playerDays, `${player} ${day}`),
        tallyOf(gameDays, day),
      ];
      for (const tally of tallies) {
        tally.events++;
        tally.types.set(type, (tally.types.get(type) ?? 0) + 1);
        if (type !== 'Purchase' || refunded.has(number)) continue;
        const { currency, hundredths } = priceOf(plan, number);
        tally.purchases++;
        tally.hundredths.set(currency, (tally.hundredths.get(currency) ?? 0) + hundredths);
      }
    }
  }
  return { players: totals(players), playerDays: totals(playerDays), gameDays: totals(gameDays) };
}

type Tally = {
  events: number;
  types: Map<string, number>;
  purchases: number;
  hundredths: Map<string, number>;
};

function tallyOf<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const known = tallies.get(key) ?? { events: 0, types: new Map(), purchases: 0, hundredths: new Map() };
  tallies.set(key, known);
  return known;
}

function totals<Key>(tallies: ReadonlyMap<Key, Tally>): Map<Key, Totals> {
  return new Map(
    [...tallies].map(([key, { events, types, purchases, hundredths }]) => [
      key,
      {
        events,
        eventCounts: Object.fromEntries(types),
        purchases,
        spend: Object.fromEntries([...hundredths].map(([currency, sum]) => [currency, decimal(sum)])),
      },
    ]),
  );
}

/** `1999` is `19.99`, `15000` is `150`: without zeros at the end, as PostgreSQL's trim_scale leaves it. */
function decimal(hundredths: number): string {
  return (hundredths / 100).toFixed(2).replace(/\.?0+$/, '');
}
