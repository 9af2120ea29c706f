import { describe, expect, it } from 'vitest';
import { isChanging, isNews, leftOutInWords, pricesInWords, whyInWords } from '../src/lib/dry-run.js';
import { formatUtc } from '../src/lib/format.js';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const nothing = { players: 0, payLess: 0, payMore: 0 };

describe('a dry run in words', () => {
  it('says how many players see other prices', () => {
    expect(pricesInWords(nothing)).toBe('No player sees another price.');
    expect(pricesInWords({ players: 5920, payLess: 5920, payMore: 0 })).toBe('5,920 players pay less.');
    expect(pricesInWords({ players: 9, payLess: 0, payMore: 2 })).toBe(
      '9 players see other prices: 2 players pay more.',
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

  it('knows an instant at which no player sees a difference, or the same as before', () => {
    const quiet = {
      ...{ at: '2026-11-21T00:00:00.000Z', begins: [], ends: [], examined: 1, sampled: false },
      ...{ offers: [], segments: [], flags: [], values: [], prices: [], priced: nothing, ruleErrors: [] },
    };
    expect(isChanging(quiet)).toBe(false);
    expect(isChanging({ ...quiet, priced: { players: 1, payLess: 0, payMore: 0 } })).toBe(true);
    const effect = (enter: number) => ({
      ...{ counts: { before: 0, after: enter, enter, leave: 0, stay: 0, payers: 0 }, estimate: null },
      ...{ revenueShare: {}, reportedRevenueShare: null, examples: { enter: [], leave: [] } },
    });
    const sale = { ...quiet, offers: [{ offerId: 'sale', ...effect(3) }] };
    expect(isChanging(sale)).toBe(true);
    expect(isNews(sale, quiet)).toBe(true);
    expect(isNews(quiet, sale)).toBe(true);
    expect(isNews({ ...sale, offers: [{ offerId: 'sale', ...effect(4) }] }, sale)).toBe(false);
    // The part about now lists entries that do not change, too.
    expect(isNews(quiet, { ...quiet, offers: [{ offerId: 'sale', ...effect(0) }] })).toBe(false);
    const usd = (price: string) => ({ currency: 'USD', price });
    const priced = (to: string) => ({
      ...quiet,
      prices: [{ skuId: 'gems', from: usd('5.00'), to: usd(to), players: 2, estimate: null }],
    });
    expect(isNews(priced('4.00'), priced('4.00'))).toBe(false);
    expect(isNews(priced('4.00'), priced('3.00'))).toBe(true);
  });
});
