import { describe, expect, it } from 'vitest';
import { createActivityCounter, type PlayerDays } from '../../../src/decide/predict/activity-cells.js';
import { factsAt, lastDayOf, originCells, type SimulatedPlayer, simulateGame } from './simulated-game.js';

/** Longer than the 180 days that are looked at. */
const GAME = simulateGame(17, 900, 260);
const ORIGINS = [230, 91, 84, 7, 0].map((ago) => lastDayOf(GAME) - ago);

/** Purchases of days without a visit are left out: what is known of a simulated player has none. */
const players: SimulatedPlayer[] = GAME.players.map(({ purchases, ...player }) => ({
  ...player,
  purchases: new Map([...purchases].filter(([day]) => player.activeDays.includes(day))),
}));

function daysOf(player: SimulatedPlayer): PlayerDays {
  // All days are recent days of the last one, if they are not too old.
  const recent = player.activeDays.flatMap((day) =>
    factsAt(player, day).recentDays.filter(({ epochDay }) => epochDay === day),
  );
  const column = (of: (day: (typeof recent)[number]) => number) => recent.map(of).reverse();
  return {
    firstDay: player.firstDay,
    firstPurchaseDay: [...player.purchases.keys()].sort((one, other) => one - other)[0] ?? null,
    earlierPurchases: { days: 0, lastDay: null },
    days: column(({ epochDay }) => epochDay),
    active: column(() => 1),
    sessions: column(({ sessions }) => sessions),
    playMs: column(({ playMs }) => playMs),
    adImpressions: column(({ adImpressions }) => adImpressions),
    storeViews: column(({ storeViews }) => storeViews),
    purchases: column(({ purchases }) => purchases),
  };
}

describe('cells of players', () => {
  it('have the statistics that predictions are computed from, at every origin', () => {
    const counter = createActivityCounter(ORIGINS);
    for (const player of players) counter.add(daysOf(player));
    const found = counter.cells();
    for (const [at, origin] of ORIGINS.entries()) {
      const expected = originCells({ ...GAME, players }, origin);
      expect(expected.activity.length).toBeGreaterThan(20);
      expect(sorted(found[at] ?? [])).toEqual(sorted(expected.activity));
      expect(sorted(counter.buyers()[at] ?? [])).toEqual(sorted(expected.buyers));
    }
    expect(counter.buyers()[3]?.length).toBeGreaterThan(20);
  });

  it('know the purchases from before the days that are read', () => {
    const counter = createActivityCounter([500]);
    const nothing = { sessions: [0], playMs: [0], adImpressions: [0], storeViews: [0] };
    counter.add({
      firstDay: 90,
      firstPurchaseDay: 95,
      earlierPurchases: { days: 3, lastDay: 120 },
      ...nothing,
      days: [505],
      active: [1],
      purchases: [1],
    });
    expect(counter.buyers()[0]).toMatchObject([{ history: { x: 2, tx: 25, t: 405 }, players: 1, spent7: 1 }]);
  });

  it('count a day with nothing but a purchase as a purchase, not as a visit', () => {
    const counter = createActivityCounter([100]);
    const nothing = { sessions: [0, 0], playMs: [0, 0], adImpressions: [0, 0], storeViews: [0, 0] };
    counter.add({
      firstDay: 90,
      firstPurchaseDay: 95,
      earlierPurchases: { days: 0, lastDay: null },
      ...nothing,
      days: [95, 103],
      active: [0, 0],
      purchases: [1, 1],
    });
    const [cell] = counter.cells()[0] ?? [];
    expect(cell).toMatchObject({ n: 10, x: 0, tx: 0, active28: 0, purchases28: 1, isPayer: true });
    expect(cell).toMatchObject({ players: 1, returned7: 0, spent7: 1 });
  });
});

function sorted(cells: readonly object[]): string[] {
  return cells.map((cell) => JSON.stringify(Object.entries(cell).sort())).sort();
}
