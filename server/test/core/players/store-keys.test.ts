import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderResponses, renderStore } from '../../../src/core/players/player-responses.js';
import { createResponseCache } from '../../../src/core/players/response-cache.js';
import { createStoreKeys } from '../../../src/core/players/store-keys.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { StoreDecision } from '../../../src/decide/decide/decision.js';
import { storeContentJson } from '../../../src/decide/decide/store-json.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { FLAGS, PROMOTIONS, pairedDocuments } from '../../decide/support/document-arbitrary.js';
import { moments, playerFacts } from '../../decide/support/facts-arbitrary.js';
import { PUBLISHED_AT } from '../../decide/support/fixtures.js';
import { runs } from '../../support/property-runs.js';

const players = fc.array(fc.tuple(playerFacts(FLAGS, PROMOTIONS), moments), { minLength: 2, maxLength: 6 });
const worlds = fc.tuple(fc.array(pairedDocuments, { minLength: 1, maxLength: 2 }), players);

function decisionsOf([documents, visits]: typeof worlds extends fc.Arbitrary<infer World> ? World : never) {
  return documents.flatMap(({ document }, index) => {
    const compiled = compileDocument(document, { version: index + 1, publishedAt: PUBLISHED_AT });
    return visits.map(([facts, now]) => ({ userId: facts.userId, decision: decide(compiled, facts, now) }));
  });
}

const pairsOf = <T>(list: readonly T[]) => list.flatMap((one) => list.map((other) => [one, other] as const));

describe('keys of stores', () => {
  it('are the same where the content is, and only there', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const keyOf = createStoreKeys();
        const stores = decisionsOf(world).map(({ decision: { store } }) => ({
          key: runSteps(keyOf(store)),
          json: storeContentJson(store),
        }));
        for (const [one, other] of pairsOf(stores)) {
          expect(one.key === other.key).toBe(one.json === other.json);
        }
      }),
      { numRuns: runs(80) },
    );
  });

  it('never stand for two contents, also when texts are forgotten', () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 3 }), (world, maxTexts) => {
        const keyOf = createStoreKeys(maxTexts);
        const byKey = new Map<string, string>();
        const see = (store: StoreDecision) => {
          const key = runSteps(keyOf(store));
          expect(byKey.get(key) ?? storeContentJson(store)).toBe(storeContentJson(store));
          byKey.set(key, storeContentJson(store));
        };
        const decisions = decisionsOf(world);
        for (const { decision } of [...decisions, ...decisions]) see(decision.store);
      }),
      { numRuns: runs(80) },
    );
  });

  it('lead every player to the store that would be rendered for them alone', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const cache = createResponseCache(100_000);
        decisionsOf(world).forEach(({ userId, decision }, place) => {
          const responses = renderResponses(userId, decision, runSteps(cache.share(decision.store)));
          cache.set(String(place), {
            rowVersion: '1',
            configVersion: decision.version,
            predictionsVersion: null,
            decidedAt: 0,
            responses,
          });
          const { json, digest } = renderStore(decision.store);
          expect(responses.store).toMatchObject({ json, digest });
        });
      }),
      { numRuns: runs(80) },
    );
  });
});
