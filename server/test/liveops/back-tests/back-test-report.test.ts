import { expect, it } from 'vitest';
import { UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import { BackTestReport } from '../../../src/liveops/back-tests/back-test-report.js';
import { compareDocuments } from '../../../src/liveops/dry-runs/unchanged-parts.js';
import { compiled, facts, NOW, offer, sku } from '../../decide/support/fixtures.js';
import { DAY_MS } from '../../support/game-world.js';

const MINUTE_MS = 60_000;
const BEGAN = NOW - (NOW % DAY_MS);

it('compares purchases with the store of their instant, as long as it does not change too often', async () => {
  // In each of 120 minutes the price is halved for half a minute.
  const minutes = Array.from({ length: 120 }, (_, n) => BEGAN + n * MINUTE_MS);
  const offers = minutes.map((atMs, n) =>
    offer(`half-${n}`, {
      from: new Date(atMs).toISOString(),
      until: new Date(atMs + MINUTE_MS / 2).toISOString(),
      effect: { price: { discountPercent: '50' } },
    }),
  );
  const after = compiled({ catalogue: [sku('gems')], offers });
  const comparison = compareDocuments(after, after);
  const day = {
    day: '2026-11-15',
    atMs: BEGAN,
    version: 7,
    before: after,
    attributes: [],
    models: UNTRAINED_MODELS,
  };
  const report = new BackTestReport([{ ...day, ...comparison }], after);
  const player = { playerId: '1', gameId: 1, userId: 'a', createdAt: 0, ageGroup: null, ageGroupAt: null };
  // Two at half the price, and two at the whole one: each pair is one decision.
  const purchases = minutes
    .flatMap((atMs) => [atMs + 1, atMs + 2, atMs + 40_000, atMs + 40_001])
    .map((purchasedAt) => ({ playerId: '1', purchasedAt, skuId: 'gems', price: '10', currency: 'USD' }));
  await report.add(0, player, facts({ createdAt: 0 }), purchases);
  const result = report.result({ players: 1, examined: 1, sampled: false, seconds: 0 });
  expect(result.purchases).toMatchObject({
    count: 480,
    notCounted: 280,
    skus: [{ skuId: 'gems', purchases: 200, lower: 100, same: 100 }],
  });
});
