import { describe, expect, it } from 'vitest';
import { barOf, dimensionOf, nameOf, retainedOf, type Value } from '../src/lib/breakdown.js';
import { figureOf, MEASURES } from '../src/lib/dashboard.js';
import { nextRate } from '../src/lib/event-rate.js';
import { describeDifference, mismatchInWords } from '../src/lib/holdout.js';
import { binLabel, shownBins } from '../src/lib/scores.js';

const NOBODY = { newPlayers: 0, active: 0 };
const value = (overrides: Partial<Value>): Value => ({
  ...{
    kind: 'value',
    value: 'DE',
    activePlayerDays: 10,
    newPlayers: 4,
    payingPlayerDays: 1,
    dailyConversion: 0.1,
    reported: null,
  },
  ...{ purchases: 2, revenue: {}, revenuePerActivePlayer: {}, revenuePerPayingPlayer: {} },
  retention: { '1': { newPlayers: 4, active: 3 }, '7': NOBODY, '28': NOBODY, '30': NOBODY },
  ...overrides,
});

describe('the bins of scores', () => {
  const bins = [
    { from: 0, to: 10, players: 3 },
    { from: 10, to: null, players: 1 },
  ];
  const reported = { currency: 'USD', rate: '1.1' };

  it('are in the reporting currency, unless the originals are asked for', () => {
    const { bins: shown, ...rest } = shownBins({ bins, unit: 'EUR', reported }, false);
    expect(rest).toEqual({ unit: 'USD', isConverted: true });
    expect(shown.map((bin) => binLabel(bin, 'USD'))).toEqual(['USD 0.00–USD 11.00', 'USD 11.00 or more']);
    expect(shownBins({ bins, unit: 'EUR', reported }, true)).toEqual({
      bins,
      unit: 'EUR',
      isConverted: false,
    });
    expect(shownBins({ bins, unit: 'USD', reported }, false).isConverted).toBe(false);
    expect(shownBins({ bins, unit: 'probability', reported: null }, false).isConverted).toBe(false);
  });
});

describe('a breakdown', () => {
  it('goes by what the address says, or by country', () => {
    expect(dimensionOf('sku').label).toBe('SKU');
    expect(dimensionOf('zodiac').value).toBe('country');
    expect(dimensionOf(undefined).value).toBe('country');
  });

  it('has a name for what is not told, and for all others', () => {
    const [country, promotion] = [dimensionOf('country'), dimensionOf('promotion')];
    expect(nameOf(value({}), country)).toBe('DE');
    expect(nameOf(value({ kind: 'unknown', value: null }), country)).toBe('not told');
    expect(nameOf(value({ kind: 'unknown', value: null }), promotion)).toBe('no promotion');
    expect(nameOf(value({ kind: 'other', value: null }), country)).toBe('all others');
  });

  it('draws bars by players, or by purchases where players are not known', () => {
    const all = [value({}), value({ activePlayerDays: 5 })];
    expect(all.map((each) => barOf(each, all))).toEqual([1, 0.5]);
    const bought = [
      value({ activePlayerDays: null, purchases: 1 }),
      value({ activePlayerDays: null, purchases: 4 }),
    ];
    expect(bought.map((each) => barOf(each, bought))).toEqual([0.25, 1]);
    const nothing = value({ activePlayerDays: 0 });
    expect(barOf(nothing, [nothing])).toBe(0);
  });

  it('knows no retention of a day that nobody has had', () => {
    expect(retainedOf(value({}), '1')).toBe(0.75);
    expect(retainedOf(value({}), '7')).toBeNull();
    expect(retainedOf(value({ retention: null }), '1')).toBeNull();
  });
});

describe('a difference with its interval', () => {
  const format = (number: number) => String(number);
  it.each([
    [
      { difference: 2, interval: { low: 1, high: 3 }, state: 'higher', capped: null },
      '+2 (+1 to +3): targeting adds',
    ],
    [
      { difference: 2, interval: { low: 1, high: 3 }, state: 'higher', capped: { players: 2, at: 90 } },
      '+2 (+1 to +3): targeting adds. 2 players above 90 count as that',
    ],
    [
      { difference: -2, interval: { low: -3, high: -1 }, state: 'lower', capped: null },
      '−2 (−3 to −1): targeting takes away',
    ],
    [
      { difference: 1, interval: { low: -1, high: 3 }, state: 'no_difference_seen', capped: null },
      '+1 (−1 to +3): not proven, it may be chance',
    ],
    [
      { difference: 0, interval: null, state: 'too_few', capped: null },
      '0, too few players or payers to tell',
    ],
    [
      { difference: 2, interval: null, state: 'sample_ratio_mismatch', capped: null },
      'no verdict: the groups cannot be compared',
    ],
  ] as const)('says what it means', (difference, text) => {
    expect(describeDifference(difference, format)).toBe(text);
  });
});

it('groups of the wrong sizes are told with what it usually means', () => {
  const groups = { heldOut: { players: 30 }, targeted: { players: 970 }, holdoutPercent: 5 };
  const of = (isMismatch: boolean) =>
    mismatchInWords({ ...groups, sampleRatio: { p: 0, isMismatch } } as never);
  expect(of(false)).toBeUndefined();
  expect(of(true)).toMatch(/^3% of these players are held out, not 5%, which chance does not explain\./);
});

it('weekly players that have not been summed are not zero', () => {
  const weekly = MEASURES.find(({ id }) => id === 'weeklyActivePlayers');
  const day = { weeklyActivePlayers: null, revenue: {} } as never;
  expect(weekly && figureOf(day, weekly, 'USD')).toBeNull();
});

describe('events a second', () => {
  const at = (seconds: number, events: number, day = '2026-11-16') => ({
    day,
    events,
    atMs: seconds * 1_000,
  });
  const rateOf = (...counts: ReturnType<typeof at>[]) =>
    counts.reduce<ReturnType<typeof nextRate> | undefined>(nextRate, undefined)?.perSecond;

  it('follow from two counts, and from the newest two of several', () => {
    expect(rateOf(at(0, 100))).toBeUndefined();
    expect(rateOf(at(0, 100), at(5, 160))).toBe(12);
    expect(rateOf(at(0, 100), at(5, 160), at(10, 160))).toBe(0);
  });

  it('are not told from counts that are too close, but from the next one', () => {
    expect(rateOf(at(0, 100), at(0.05, 150))).toBeUndefined();
    expect(rateOf(at(0, 100), at(0.05, 150), at(5, 200))).toBe(20);
  });

  it('are unknown over midnight, and after a long time without a look', () => {
    expect(rateOf(at(0, 900), at(5, 3, '2026-11-17'))).toBeUndefined();
    expect(rateOf(at(0, 900), at(5, 3, '2026-11-17'), at(10, 13, '2026-11-17'))).toBe(2);
    expect(rateOf(at(0, 100), at(600, 700))).toBeUndefined();
    expect(rateOf(at(0, 100), at(600, 700), at(605, 710))).toBe(2);
  });

  it('are never negative', () => {
    expect(rateOf(at(0, 100), at(5, 90))).toBe(0);
  });
});
