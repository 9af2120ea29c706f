import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { DAY_MS, day, facts, NOW, payer, storeJson, TODAY } from '../support/fixtures.js';

const document = compileDocument(DEFAULT_DOCUMENT, { version: 0, publishedAt: 0 }, (part, reason) => {
  throw new Error(`${part}: ${reason}`);
});
const segmentsOf = (player: PlayerFacts, now = NOW) =>
  decide(document, player, now).segments.map(({ segmentId }) => segmentId);

describe('a game without a published document', () => {
  it('has nothing for sale', () => {
    expect(storeJson(decide(document, facts(), NOW).store)).toBe(
      '{"activeSkus":[],"userSpecificPromoId":null,"fallbackConfig":null,"lastUpdatedTimestamp":0}',
    );
  });

  /** Old enough, and active just now, so that only what a test is about can put the player anywhere. */
  const regular = { createdAt: NOW - 100 * DAY_MS, lastEventAt: NOW };

  it('new_player: for 7 days', () => {
    expect(segmentsOf(facts(), NOW + 7 * DAY_MS - 1)).toContain('new_player');
    expect(segmentsOf(facts(), NOW + 7 * DAY_MS)).not.toContain('new_player');
  });

  it('payer and non_payer: always exactly one of them', () => {
    expect(segmentsOf(facts(regular))).toEqual(['non_payer']);
    expect(segmentsOf(payer(regular))).toEqual(['payer']);
  });

  it('lapsed_payer: from 30 days after the last purchase', () => {
    const end = NOW + 30 * DAY_MS;
    const player = payer({ ...regular, lastEventAt: end });
    expect(segmentsOf(player, end - 1)).toEqual(['payer']);
    expect(segmentsOf(player, end)).toEqual(['payer', 'lapsed_payer']);
  });

  it('dormant: from 14 days after the last event, or after the first login', () => {
    expect(segmentsOf(facts(regular), NOW + 14 * DAY_MS - 1)).toEqual(['non_payer']);
    expect(segmentsOf(facts(regular), NOW + 14 * DAY_MS)).toEqual(['non_payer', 'dormant']);
    expect(segmentsOf(facts(), NOW + 14 * DAY_MS)).toEqual(['non_payer', 'dormant']);
  });

  it('engaged, ad_heavy, top_spender', () => {
    const days = [0, 2, 4, 6].map((back) => day(TODAY - back, { events: 1, adImpressions: 13 }));
    expect(segmentsOf(facts({ ...regular, days }))).toEqual(['non_payer', 'engaged', 'ad_heavy']);
    expect(segmentsOf(payer({ ...regular, spend: { EUR: 100 } }))).toEqual(['payer', 'top_spender']);
  });
});
