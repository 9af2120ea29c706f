import { describe, expect, it } from 'vitest';
import { metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import type { Explored } from '../../../src/experiments/group-queries.js';
import { type ExperimentSums, GrowingSums } from '../../../src/experiments/report/experiment-sums.js';
import { exploreGroups, type GroupSums, SHOWN_GROUPS } from '../../../src/experiments/report/exploration.js';
import { groupTitle } from '../../../src/experiments/report/words.js';
import { CONVERSION } from '../support/simulated-sums.js';

const VARIANTS = [
  { variantId: 'a', weight: 1 },
  { variantId: 'b', weight: 1 },
  { variantId: 'c', weight: 2 },
];
const NOTHING = { sessions: 0, playMs: 0, adImpressions: 0, purchases: 0, revenue: [], eventCounts: {} };

/** Arms of so many players, of whom so many have bought something. */
function arms(counts: Record<string, [players: number, payers: number]>): ExperimentSums {
  const growing = new GrowingSums([{ metric: CONVERSION, key: metricKey(CONVERSION) }], null);
  for (const [variantId, [players, payers]] of Object.entries(counts)) {
    for (let n = 0; n < players; n++) {
      const since = { ...NOTHING, purchases: n < payers ? 1 : 0 };
      const figures = { isNew: false, lastDay: 3, activeOn: [], since, before: NOTHING, forecast: null };
      growing.add({ variantId, sawTwoArms: false, figures });
    }
  }
  return growing.sums;
}

const explore = (groups: GroupSums) => exploreGroups(groups, CONVERSION, VARIANTS, undefined);

describe('the exploration of an experiment', () => {
  const half = arms({ a: [400, 40], b: [400, 200], c: [800, 60] });

  it('has each arm of each group, with its own interval', () => {
    const [large, small] = explore(
      new Map([
        ['DE', arms({ a: [300, 40], b: [300, 50], c: [600, 300] })],
        ['US', half],
      ]),
    );
    expect([large?.value, small?.value]).toEqual(['US', 'DE']);
    const intervalsOf = (group: typeof large) => group?.arms.map(({ interval }) => interval);
    const [control, b, c] = intervalsOf(large) ?? [];
    expect(control).toBeNull();
    expect(b?.low).toBeGreaterThan(0);
    expect(c?.high).toBeLessThan(0.1);
    expect(intervalsOf(small)?.[2]?.low).toBeGreaterThan(0);
    expect(large?.arms[1]).toMatchObject({ players: 400, positive: 200, mean: 0.5, difference: 0.4 });
  });

  it('gives no verdict, and no interval of a few players', () => {
    const [group] = explore(new Map([['DE', arms({ a: [99, 50], b: [200, 100], c: [200, 20] })]]));
    for (const arm of group?.arms ?? []) {
      expect(arm).toMatchObject({ interval: null, difference: null, relative: null });
      expect(Object.keys(arm)).not.toContain('state');
    }
  });

  it('widens its intervals with each group, since they hold for all of them together', () => {
    const widthAmong = (count: number) => {
      const groups = explore(new Map(Array.from({ length: count }, (_, n) => [`group ${n}`, half])));
      const { low = 0, high = 0 } = groups[0]?.arms[1]?.interval ?? {};
      return high - low;
    };
    expect(widthAmong(5)).toBeGreaterThan(widthAmong(1) * 1.05);
  });

  it('adds up small groups, and names those that are not known', () => {
    const of = (players: number) => arms({ a: [players, 1], b: [players, 1], c: [players, 1] });
    const values = Array.from({ length: SHOWN_GROUPS + 3 }, (_, n) => `v${n}`);
    const groups = explore(
      new Map<string | null, ExperimentSums>([
        [null, of(50)],
        ...values.map((value, n): [string, ExperimentSums] => [value, of(20 - n)]),
      ]),
    );
    expect(groups.map(({ kind }) => kind)).toEqual([
      ...values.slice(0, SHOWN_GROUPS).map(() => 'value'),
      ...['other', 'unknown'],
    ]);
    expect(groups.slice(-2).map(({ players }) => players)).toEqual([3 * (12 + 11 + 10), 150]);
    expect(groups[0]).toMatchObject({ value: 'v0', players: 60 });
  });
});

it('names the groups of an exploration', () => {
  const named = (by: Explored, value: string | null, kind: 'value' | 'other' | 'unknown' = 'value') =>
    groupTitle(by, { kind, value });
  expect(named('segment', 'yes')).toBe('In the segment at the exposure');
  expect(named('segment', 'no')).toBe('Not in it');
  expect(named('segment', null, 'unknown')).toBe('Not known');
  // Norway's code, which is not a word.
  expect(named('country', 'NO')).toBe('NO');
  expect(named('platform', 'no')).toBe('no');
  expect(named('platform', null, 'other')).toBe('All others');
});
