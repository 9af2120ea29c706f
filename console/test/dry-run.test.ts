import { describe, expect, it } from 'vitest';
import { isChanging, leftOutInWords, pricesInWords, whyInWords } from '../src/lib/dry-run.js';
import { formatUtc } from '../src/lib/format.js';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const nothing = { players: 0, payLess: 0, payMore: 0 };

describe('a dry run in words', () => {
  it('says how many players see other prices', () => {
    expect(pricesInWords(nothing)).toBe('No player sees another price.');
    expect(pricesInWords({ players: 5920, payLess: 5920, payMore: 0 })).toBe(
      '5,920 players see other prices: 5,920 players pay less.',
    );
    expect(pricesInWords({ players: 3, payLess: 1, payMore: 2 })).toBe(
      '3 players see other prices: 1 player pays less, 2 players pay more.',
    );
    expect(pricesInWords({ players: 1, payLess: 0, payMore: 0 })).toBe('1 player sees another price.');
  });

  it('names an instant by its weekday, and by its year if that is another one', () => {
    expect(formatUtc('2026-11-21T00:00:00.000Z', NOW)).toBe('Saturday, Nov 21, 00:00 UTC');
    expect(formatUtc('2027-01-01T18:30:00.000Z', NOW)).toBe('Friday, Jan 1, 2027, 18:30 UTC');
  });

  it('says what begins and ends then', () => {
    expect(whyInWords({ begins: ['offer:weekend'], ends: ['sku:gems'] })).toBe(
      'offer weekend begins, SKU gems ends',
    );
    const many = ['a', 'b', 'c', 'd', 'e'].map((id) => `offer:${id}`);
    expect(whyInWords({ begins: many, ends: [] })).toBe(
      'offer a begins, offer b begins, offer c begins and 2 more',
    );
  });

  it('says what was left out', () => {
    const next = new Date().getUTCFullYear() + 1;
    expect(leftOutInWords({ instants: 1, firstAt: `${next}-01-01T00:00:00.000Z` })).toMatch(
      /^1 more time at which something begins or ends was not looked at, the first on .* 00:00 UTC\./,
    );
  });

  it('knows an instant at which no player sees a difference', () => {
    const quiet = {
      ...{ at: '2026-11-21T00:00:00.000Z', begins: [], ends: [], examined: 1, sampled: false },
      ...{ offers: [], segments: [], flags: [], prices: [], priced: nothing, ruleErrors: [] },
    };
    expect(isChanging(quiet)).toBe(false);
    expect(isChanging({ ...quiet, priced: { players: 1, payLess: 0, payMore: 0 } })).toBe(true);
  });
});
