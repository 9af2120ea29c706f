import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { holdoutLines } from '../../../src/experiments/cli/holdout-lines.js';
import { dashboardTable } from '../../../src/insight/cli/dashboard-table.js';
import { rateTable } from '../../../src/studio/money/exchange-rates.js';
import { runCommand, withinOneDay } from '../../support/command.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { sumOn } from '../analytics/breakdowns/breakdown-world.js';

const NOW = Date.now();
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

describe('the commands for roll-ups and retention', () => {
  let world: GameWorld;
  beforeAll(async () => {
    world = await createGameWorld();
    await world.addGame('empty');
    const game = await world.addGame('game');
    const [recent, old] = (await world.addPlayers(game, [NOW - 3 * DAY_MS, NOW - 50 * DAY_MS])) as [
      TestPlayer,
      TestPlayer,
    ];
    for (const [player, n] of [
      [recent, 2],
      [recent, 3],
      [old, 50],
    ] as const) {
      const at = NOW - n * DAY_MS;
      await applyEvents(world.pool, toRecords(player, [adImpressionAt(at, n)], at));
    }
  });
  afterAll(() => world.close());
  const savepoint = (...args: string[]) => runCommand(world.url, ...args);
  const game = () => ['--tenant', world.tenant, '--game', 'game'];

  it('show the days, delete what is past, and count again', async () => {
    const shown = await savepoint('rollups', 'show', ...game(), '--days', '5');
    expect(shown).toMatchObject({ code: 0, errors: '' });
    // The header, four days from the first with a player on, and what there was before.
    expect(shown.out.split('\n')).toHaveLength(7);
    expect(shown.out).toContain(`\nNobody played before ${dayOf(NOW - 3 * DAY_MS)} in these 5 days.\n`);
    const empty = await savepoint('rollups', 'show', '--tenant', world.tenant, '--game', 'empty');
    expect(empty).toMatchObject({ code: 0, out: 'Nobody has played in the last 30 days (UTC).\n' });
    const notSummed = await savepoint('rollups', 'show', ...game(), '--days', '5', '--by', 'country');
    expect(notSummed.out).toMatch(/^Being summed, 0 of 2 days: the numbers are not complete\./);
    expect(shown.out).toMatch(new RegExp(`^${dayOf(NOW - 3 * DAY_MS)} +1 +– +– +1 +0 +0 +1 +1 .* 100%`, 'm'));

    const summed = await sumOn(world.pool, { nowMs: NOW });
    expect(summed.daysSummed).toBeGreaterThan(0);
    const weekly = await savepoint('rollups', 'show', ...game(), '--days', '5');
    expect(weekly.out).toMatch(new RegExp(`^${dayOf(NOW - 2 * DAY_MS)} +1 +1 +1 `, 'm'));
    const byCountry = await savepoint('rollups', 'show', ...game(), '--days', '5', '--by', 'country');
    expect(byCountry).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^country +active days[^\n]+\n\(unknown\) +2 +1 /),
    });
    expect((await savepoint('rollups', 'show', ...game(), '--by', 'zodiac')).errors).toContain('country');
    const held = await savepoint('rollups', 'holdout', ...game());
    expect(held).toMatchObject({ code: 0, out: expect.stringContaining('holdoutPercent above 0') });

    const set = await savepoint('game', 'set', 'game', '--tenant', world.tenant, '--retention-days', '30');
    expect(set.out).toContain('Events of studio/game are kept for 30 days.');
    const { plan, today } = await withinOneDay(async (today) => ({
      plan: await savepoint('retention', 'run', '--dry-run'),
      today,
    }));
    expect(plan.out).toContain(
      `studio/game keeps 30 days: events received before ${dayOf(today - 30 * DAY_MS)} are deleted.`,
    );
    expect(plan.out).toContain('would delete 1 events in event_blocks_default');
    const run = await savepoint('retention', 'run');
    expect(run).toMatchObject({
      code: 0,
      out: expect.stringContaining('Dropped 0 partitions and deleted 1 events'),
    });
    const again = await withinOneDay(async () => {
      await savepoint('retention', 'run');
      return savepoint('retention', 'run');
    });
    expect(again.out).toBe('There is nothing to delete.\n');

    expect(await savepoint('rollups', 'check', ...game())).toMatchObject({
      code: 0,
      out: expect.stringContaining('Everything agrees.'),
    });
    await world.pool.query('update game_days set sessions = 5 where ad_impressions > 0 and day = $1', [
      dayOf(NOW - 2 * DAY_MS),
    ]);
    expect(await savepoint('rollups', 'check', ...game())).toMatchObject({
      code: 1,
      out: expect.stringContaining(`  game_days ${dayOf(NOW - 2 * DAY_MS)} sessions: kept 5, counted 0\n`),
    });
  });
});

it('a table of days reads from the newest down, in columns', () => {
  const day = {
    ...{
      activePlayers: 12_345,
      weeklyActivePlayers: null,
      monthlyActivePlayers: null,
      newPlayers: 10,
      payingPlayers: 2,
      weeklyPayingPlayers: null,
      monthlyPayingPlayers: null,
      sessions: 1,
      events: 7,
      eventsByType: {},
    },
    adImpressions: 0,
    storeViews: 3,
    playMs: 7_200_000,
    purchases: 2,
    ...{ verifiedRevenue: {}, unverifiedRevenue: {}, refundedRevenue: {} },
  };
  const dashboard = {
    days: [
      {
        day: '2026-11-14',
        ...day,
        weeklyActivePlayers: 23_456,
        monthlyActivePlayers: 99_999,
        revenue: { EUR: '3', USD: '5.09' },
      },
      { day: '2026-11-15', ...day, activePlayers: 0, revenue: {} },
    ],
    cohorts: [{ day: '2026-11-14', players: 8, d1: 3, d7: null, d28: null, d30: null, active: [8, 3] }],
  };
  expect(dashboardTable(dashboard, null)).toEqual([
    'day         active    week   month  new  paying  sessions  events  ads  store  hours  bought   D1  D7  D28  revenue',
    '2026-11-15       0       –       –   10       2         1       7    0      3      2       2    –   –    –',
    '2026-11-14  12,345  23,456  99,999   10       2         1       7    0      3      2       2  38%   –    –  3 EUR, 5.09 USD',
  ]);
  // In the reporting currency, and what has no rate beside it.
  const rates = rateTable('USD', 1, [{ currency: 'EUR', from: '2026-11-15', rate: '1.1' }]);
  expect(dashboardTable(dashboard, rates).at(-1)).toMatch(/ {2}5\.09 USD \(without 3 EUR: no rate\)$/);
  const earlier = rateTable('JPY', 1, [
    { currency: 'EUR', from: '2026-11-14', rate: '160' },
    { currency: 'USD', from: '2026-11-01', rate: '150.5' },
  ]);
  expect(dashboardTable(dashboard, earlier).at(-1)).toMatch(/ {2}1246 JPY$/);
});

it('a comparison with players who are held out says what it means', () => {
  const interval = { low: 0.0012, high: 0.0431 };
  const group = { players: 1_000, payers: 40, conversion: 0.04, conversionInterval: interval };
  const lines = holdoutLines({
    from: '2026-10-18',
    to: '2026-11-14',
    holdoutPercent: 5,
    heldOut: { ...group, revenuePerPlayer: { USD: 0.2 } },
    targeted: { ...group, players: 20_000, revenuePerPlayer: { USD: 0.25 } },
    sampleRatio: { p: 0.5, isMismatch: false },
    conversion: { difference: 0.0222, interval, state: 'higher', capped: null },
    revenuePerPlayer: { USD: { difference: 0.05, interval: null, state: 'too_few', capped: null } },
    reported: {
      currency: 'EUR',
      ratesVersion: 4,
      heldOut: 0.18,
      targeted: 0.22,
      missing: ['CHF'],
      difference: {
        ...{ difference: 0.04, interval: { low: 0.01, high: 0.07 }, state: 'higher' },
        capped: { players: 3, at: 83.0117 },
      },
    },
  });
  expect(lines).toEqual([
    '2026-10-18 to 2026-11-14 (UTC), 5% held out. Targeted less held out, with 95% intervals that may be looked at every day:',
    '          players  payers  conversion  USD per player',
    'held out    1,000      40       4.00%          0.2000',
    'targeted   20,000      40       4.00%          0.2500',
    'conversion: 2.22% [0.12%, 4.31%]: targeted players have more',
    'USD per player: 0.0500: too few to tell (at least 100 players and 30 payers in each group)',
    'all revenue in EUR per player: targeted 0.2200, held out 0.1800, difference 0.0400 [0.0100, 0.0700]: targeted players have more (3 who spent more than 83.0117 count as that)',
    '  without some payments in CHF: no rate on their day',
  ]);
});
