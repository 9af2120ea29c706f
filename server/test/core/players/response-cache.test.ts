import { describe, expect, it } from 'vitest';
import { renderResponses, storeEtag, storeText } from '../../../src/core/players/player-responses.js';
import {
  type CachedResponses,
  createResponseCache,
  type ResponseCache,
} from '../../../src/core/players/response-cache.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { StoreDecision } from '../../../src/decide/decide/decision.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { compiled, facts, NOW, offer, sku } from '../../decide/support/fixtures.js';

/** A store of one SKU with this text. */
const storeOf = (json: string): StoreDecision => ({
  activeSkus: [
    {
      skuId: 'gems',
      name: '',
      description: '',
      actualPrice: '1',
      offerPrice: '1',
      currency: 'USD',
      assets: [],
      json,
    },
  ],
  lastUpdatedTimestamp: 0,
  userSpecificPromoId: null,
  fallback: null,
});

const responsesOf = (cache: ResponseCache, json: string, rowVersion = '1'): CachedResponses => ({
  rowVersion,
  configVersion: 1,
  predictionsVersion: null,
  decidedAt: 0,
  responses: {
    statusJson: '{}',
    segmentsJson: '[]',
    segmentsEtag: '""',
    values: { forClients: null, forServers: null },
    experiments: { json: '[]', tag: '' },
    store: runSteps(cache.share(storeOf(json))),
    lastUpdatedTimestamp: 0,
    validUntil: Number.POSITIVE_INFINITY,
  },
});

describe('cached responses', () => {
  it('share one store between the players who have the same', () => {
    const cache = createResponseCache(1_000_000);
    cache.set('a', responsesOf(cache, 'x'.repeat(100_000)));
    const one = cache.bytes;
    cache.set('b', responsesOf(cache, 'x'.repeat(100_000)));
    expect(cache.get('b')?.responses.store).toBe(cache.get('a')?.responses.store);
    expect(cache.bytes - one).toBeLessThan(10_000);
  });

  it('share it also between players whose stores differ in nothing but their last update', () => {
    const cache = createResponseCache(1_000_000);
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('winners', { when: 'events["Win"].total >= 3' })],
    });
    const [first, second] = [NOW - 2, NOW - 1].map((lastEventAt) => {
      const decision = decide(document, facts({ lastEventAt }), NOW);
      return renderResponses('', decision, runSteps(cache.share(decision.store)));
    });
    if (first === undefined || second === undefined) throw new Error('no responses');
    expect(second.store.json).toBe(first.store.json);
    expect(storeEtag(second)).not.toBe(storeEtag(first));
    expect(JSON.parse(storeText(second))).toEqual({
      ...JSON.parse(storeText(first)),
      lastUpdatedTimestamp: NOW - 1,
    });
  });

  it('leave, the oldest first, when there are too many; a store leaves with its last player', () => {
    const cache = createResponseCache(500_000);
    for (const [player, store] of ['ax', 'bx', 'cy', 'dz'].map((text) => [...text])) {
      cache.set(player ?? '', responsesOf(cache, (store ?? '').repeat(100_000)));
    }
    // z did not fit beside x and y: both players of x had to go.
    expect(['a', 'b', 'c', 'd'].filter((player) => cache.get(player) !== undefined)).toEqual(['c', 'd']);
    expect(cache.bytes).toBeLessThan(500_000);
  });

  it('count with all of their texts', () => {
    const cache = createResponseCache(100_000);
    for (const player of ['a', 'b', 'c']) {
      const cached = responsesOf(cache, 'same');
      cache.set(player, {
        ...cached,
        responses: { ...cached.responses, segmentsJson: 'x'.repeat(20_000), statusJson: 'x'.repeat(5_000) },
      });
    }
    expect(['a', 'b', 'c'].filter((player) => cache.get(player) !== undefined)).toEqual(['c']);
  });

  it('are replaced without a trace, and keep the newest whatever its size', () => {
    const cache = createResponseCache(10_000);
    cache.set('a', responsesOf(cache, 'small'));
    const small = cache.bytes;
    cache.set('a', responsesOf(cache, 'x'.repeat(50_000), '2'));
    expect(cache.get('a')?.rowVersion).toBe('2');
    cache.set('a', responsesOf(cache, 'small', '3'));
    expect(cache.bytes).toBe(small);
  });
});
