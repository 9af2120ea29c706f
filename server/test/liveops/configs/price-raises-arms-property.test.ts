import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import {
  compiled,
  configWith,
  experiment,
  facts,
  NOW,
  offer,
  segment,
  sku,
} from '../../decide/support/fixtures.js';
import { runs } from '../../support/property-runs.js';

/** Documents with two experiments whose arms decide about a price, and players who see it. */

const ARMS = ['a', 'b'] as const;

const entries = (experimentId: string): fc.Arbitrary<ExperimentEntry> =>
  fc
    .record({
      state: fc.constantFrom('planned', 'running', 'running', 'running', 'stopped', 'decided' as const),
      coveragePercent: fc.constantFrom(5, 50, 100),
      when: fc.constantFrom(null, null, 'country == "DE"', 'segment("payers")'),
      seed: fc.constantFrom('1', '1', '1', '2'),
      winner: fc.constantFrom(...ARMS),
    })
    .map(({ winner, state, ...entry }) =>
      experiment(experimentId, { ...entry, ...(state === 'decided' ? { state, winner } : { state }) }),
    );

const rules: fc.Arbitrary<string> = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(fc.constantFrom('x', 'y'), fc.constantFrom('==', '!='), fc.constantFrom('', ...ARMS))
      .map(([id, operator, arm]) => `experiment("${id}") ${operator} "${arm}"`),
    fc.constantFrom('experiment("x") in ["a", "b"]', 'segment("of_x")', 'flags.of_y', 'country == "DE"'),
    fc.constantFrom('"payers" in segments', 'experiment("y").startsWith("b")'),
    tie('rule').map((rule) => `!(${rule})`),
    fc
      .tuple(tie('rule'), fc.constantFrom('&&', '||'), tie('rule'))
      .map(([one, operator, other]) => `(${one}) ${operator} (${other})`),
    fc
      .tuple(tie('rule'), tie('rule'), tie('rule'))
      .map(([when, one, other]) => `(${when}) ? (${one}) : (${other})`),
  ),
})).rule;

const documents: fc.Arbitrary<[ConfigDocument, ConfigDocument]> = fc
  .record({
    rule: rules,
    before: fc.tuple(entries('x'), entries('y')),
    after: fc.tuple(entries('x'), entries('y')),
    unchanged: fc.constantFrom('x', 'y', null),
    isDearOfferFirst: fc.boolean(),
    isGone: fc.constantFrom(true, false, false, false),
  })
  .map(({ rule, before, after, unchanged, isDearOfferFirst, isGone }) => {
    const ofRule = offer('of_rule', {
      when: rule,
      effect: { price: { setTo: { USD: isDearOfferFirst ? '4' : '2' } } },
    });
    const others = isDearOfferFirst ? [offer('sale', { effect: { price: { setTo: { USD: '3' } } } })] : [];
    const withExperiments = (experiments: ExperimentEntry[], offers = [ofRule, ...others]) =>
      configWith({
        ...{ experiments, offers },
        catalogue: [sku('gems', { prices: { USD: { actualPrice: '5', offerPrice: '5' } } })],
        segments: [segment('payers', 'purchases.total > 0'), segment('of_x', 'experiment("x") == "b"')],
        flags: {
          isPayer: { payerForDays: null },
          custom: [{ flagId: 'of_y', name: 'Of y', rule: 'experiment("y") == "b"', defaultValue: false }],
        },
      });
    const next = after.map((entry, index) =>
      entry.experimentId === unchanged ? (before[index] ?? entry) : entry,
    );
    return [withExperiments(before), withExperiments(next, isGone ? others : undefined)];
  });

const players: fc.Arbitrary<PlayerFacts> = fc
  .record({
    userId: fc.uuid(),
    country: fc.constantFrom('DE', 'FR'),
    purchaseCount: fc.nat({ max: 1 }),
    ageGroup: fc.constantFrom(null, null, null, 'child' as const),
    exposures: fc.constantFrom(
      [],
      ...ARMS.map((variantId) => [{ experimentId: 'x', seed: '1', variantId, exposedAt: NOW - 1 }]),
    ),
    overrides: fc.constantFrom(
      [],
      [],
      ...[true, false].map((value) => [{ flagId: 'of_y', value, setAt: NOW - 1, until: null }]),
    ),
  })
  .map(({ country, ...player }) =>
    facts({ ...player, createdAt: NOW - 1, profile: { country: { v: country, t: NOW - 1 } } }),
  );

const priceOf = (document: ConfigDocument, player: PlayerFacts) => {
  const { store, arms } = decide(compiled(document), player, NOW);
  return { price: Number(store.activeSkus[0]?.offerPrice), arms };
};

/** As it is stored with the response in which the player sees the price. */
const exposed = (player: PlayerFacts, { arms }: ReturnType<typeof priceOf>): PlayerFacts => ({
  ...player,
  exposures: [
    ...player.exposures,
    ...arms.filter(({ isStored }) => !isStored).map((arm) => ({ ...arm, exposedAt: NOW })),
  ],
});

describe('the search for price raises by arms', () => {
  it('misses no player who sees a price and would see a higher one', () => {
    const counted = { raised: 0, asked: 0, all: 0 };
    fc.assert(
      fc.property(documents, fc.array(players, { minLength: 12, maxLength: 12 }), ([before, after], all) => {
        const isAsked = runSteps(priceRaiseSteps(before, after, NOW)).length > 0;
        const isRaised = all.some((player) => {
          const seen = priceOf(before, player);
          const isOfOffer = seen.price < 5;
          return isOfOffer && priceOf(after, exposed(player, seen)).price > seen.price;
        });
        counted.all += 1;
        if (isAsked) counted.asked += 1;
        if (isRaised) counted.raised += 1;
        if (isRaised) expect(isAsked).toBe(true);
      }),
      { numRuns: runs(200) },
    );
    expect(counted.raised).toBeGreaterThan(counted.all / 10);
    expect(counted.asked).toBeLessThan(counted.all);
  });
});
