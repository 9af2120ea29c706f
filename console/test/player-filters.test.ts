import { describe, expect, it } from 'vitest';
import { listQuery } from '../src/lib/player-filters.js';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const ask = (filters: Parameters<typeof listQuery>[0], currencies: string[] = []) =>
  listQuery(filters, currencies, NOW);

describe('the question for a list of players', () => {
  it('is empty without filters', () => {
    expect(ask({})).toEqual({});
    expect(ask({ sort: 'unheard of' })).toEqual({});
  });

  it('counts days from today, for those who were seen and those who were not', () => {
    expect(ask({ seen: '7' })).toEqual({ seenSince: '2026-11-08' });
    expect(ask({ seen: '-30', sort: 'lastSeen' })).toEqual({ seenBefore: '2026-10-16', sort: 'lastSeen' });
    expect(ask({ seen: 'x' })).toEqual({});
  });

  it('names an amount only with its currency, once that is known', () => {
    expect(ask({ sort: 'spend', paid: '5' })).toEqual({ sort: 'spend' });
    expect(ask({ sort: 'spend', paid: '5' }, ['EUR', 'USD'])).toEqual({
      sort: 'spend',
      currency: 'EUR',
      minSpend: '5',
    });
    expect(ask({ sort: 'spend', paid: '5.', currency: 'USD' }, ['EUR'])).toEqual({
      sort: 'spend',
      currency: 'USD',
    });
    expect(ask({ paid: '5', currency: 'USD' })).toEqual({});
  });
});
