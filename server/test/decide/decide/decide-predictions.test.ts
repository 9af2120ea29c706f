import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { BLANK_HISTORY, daysText } from '../../../src/decide/attributes/player-history.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ModelsInForce } from '../../../src/decide/predict/models-in-force.js';
import { ALL_TRUSTED, score, toldValue } from '../../../src/decide/predict/score.js';
import { shiftedChurn, trainedArtefact } from '../../support/prediction-models.js';
import {
  compiled,
  configWith,
  DAY_MS,
  facts,
  NOW,
  offer,
  PUBLISHED_AT,
  problemsOf,
  segment,
  sku,
  TODAY,
} from '../support/fixtures.js';

const artefact = trainedArtefact();
const models: ModelsInForce = { artefact, distrusted: ALL_TRUSTED, since: PUBLISHED_AT + 1000 };

/** Here on the first two days, and never since. */
const absent = facts({
  createdAt: (TODAY - 20) * DAY_MS,
  lastEventAt: (TODAY - 19) * DAY_MS,
  history: { ...BLANK_HISTORY, firstDay: TODAY - 20, activeDays: daysText([[TODAY - 20, TODAY - 18]]) },
});
/** Here every day. */
const regular = facts({
  createdAt: (TODAY - 20) * DAY_MS,
  lastEventAt: NOW - DAY_MS,
  history: { ...BLANK_HISTORY, firstDay: TODAY - 20, activeDays: daysText([[TODAY - 20, TODAY]]) },
});

const SALE = { effect: { price: { discountPercent: '50' }, promoId: 'stay' } } as const;
const members = (rule: string, player: PlayerFacts, inForce?: ModelsInForce, now = NOW) =>
  decide(compiled({ segments: [segment('s', rule)] }), player, now, { models: inForce }).segments.length ===
  1;

describe('a rule on a prediction', () => {
  it('tells players apart', () => {
    for (const rule of [
      'predictions.churn.value > 0.7',
      'predictions.churn.band == "high"',
      'predictions.churn.percentile >= 60',
    ]) {
      expect([members(rule, absent, models), members(rule, regular, models)], rule).toEqual([true, false]);
    }
    expect(members('predictions.revenue90.value >= 20.0', regular, models)).toBe(false);
    expect(members('predictions.churn.state == "ready"', regular, models)).toBe(true);
  });

  it('compares what players are told', () => {
    const decision = decide(
      compiled({ segments: [segment('s', 'predictions.churn.value > 0.0')] }),
      absent,
      NOW,
      { models, trace: true },
    );
    const { value } = score(
      {
        firstDay: TODAY - 20,
        activeDays: [[TODAY - 20, TODAY - 18]],
        purchaseDays: [],
        repeatSpend: {},
        recentDays: [],
      },
      artefact,
      TODAY,
    ).churn;
    expect(decision.trace?.segments[0]?.rule.values).toEqual({ 'predictions.churn.value': toldValue(value) });
  });

  it('sees averages without a model, and that they are averages', () => {
    expect(members('predictions.churn.state == "cold_start"', absent)).toBe(true);
    expect(members('predictions.churn.value == 0.6', absent)).toBe(true);
    expect(members('predictions.churn.band == ""', absent)).toBe(true);
    expect(members('predictions.churn.percentile == 50', absent)).toBe(true);
    expect(members('predictions.payerAlive.value == 0.0', absent)).toBe(true);
  });

  it('sees averages where a model is not trusted', () => {
    const distrusted = { ...models, distrusted: new Set(['activity'] as const) };
    expect(
      members('predictions.churn.state == "degraded" && predictions.churn.band == ""', absent, distrusted),
    ).toBe(true);
  });

  it.each([
    ['predictions.churn > 0.5', /"predictions" is no value by itself: write predictions\.churn\.value\./],
    ['predictions.chorn.value > 0.5', /"predictions" has no "chorn\.value"/],
    ['predictions > 1', /"predictions" is no value by itself: write predictions\.churn\.value\./],
    ['predictions.churn.band > 1', /The types do not fit: string > int\./],
    ['predictions.churn.value', /The rule gives a value of type double/],
  ])('is checked: %s', (rule, message) => {
    expect(problemsOf(configWith({ segments: [segment('s', rule)] }))).toEqual([
      expect.stringMatching(message),
    ]);
  });
});

describe('a decision with predictions', () => {
  const document = compiled({
    catalogue: [sku('gems')],
    offers: [offer('stay', { ...SALE, when: 'predictions.churn.band == "high"' })],
  });

  it('holds until midnight, also for who has been away for long', () => {
    expect(document.usesPredictions).toBe(true);
    const longGone = facts({ createdAt: NOW - 400 * DAY_MS, lastEventAt: NOW - 399 * DAY_MS });
    for (const player of [absent, regular, longGone]) {
      expect(decide(document, player, NOW, { models }).validUntil).toBe((TODAY + 1) * DAY_MS);
    }
  });

  it('was last changed at midnight, or when the models changed', () => {
    const last = (player: PlayerFacts, inForce: ModelsInForce) =>
      decide(document, player, NOW, { models: inForce }).store.lastUpdatedTimestamp;
    expect(last(absent, models)).toBe(TODAY * DAY_MS);
    expect(last(absent, { ...models, since: NOW - 5 })).toBe(NOW - 5);
    // By another node, whose clock is ahead.
    expect(last(absent, { ...models, since: NOW + 5 })).toBe(NOW);
  });

  it('changes with the models', () => {
    const price = (inForce: ModelsInForce) =>
      decide(document, absent, NOW, { models: inForce }).store.activeSkus[0]?.offerPrice;
    expect(price(models)).toBe('5.00');
    expect(price({ ...models, artefact: shiftedChurn(artefact, -9) })).toBe('10.00');
  });

  it('is not said to depend on them where it does not', () => {
    const plain = compiled({
      catalogue: [sku('gems')],
      offers: [offer('stay', { ...SALE, when: 'purchases.total == 0' })],
    });
    expect(plain.usesPredictions).toBe(false);
    const { validUntil, store } = decide(plain, absent, NOW, { models: { ...models, since: NOW } });
    expect(validUntil).toBe(Number.POSITIVE_INFINITY);
    expect(store.lastUpdatedTimestamp).toBe(PUBLISHED_AT);
  });

  it('depends on them through a segment or a flag', () => {
    const flag = { flagId: 'risk', name: 'Risk', rule: 'predictions.churn.value > 0.5', defaultValue: false };
    const flags = { isPayer: { payerForDays: null }, custom: [flag] };
    const offers = [offer('stay', { ...SALE, when: 'flags.risk' })];
    const byFlag = compiled({ flags, catalogue: [sku('gems')], offers });
    expect(byFlag.usesPredictions).toBe(true);
    const decision = decide(byFlag, absent, NOW, { models: { ...models, since: NOW - 5 } });
    expect(decision.store).toMatchObject({ userSpecificPromoId: 'stay', lastUpdatedTimestamp: NOW - 5 });
    expect(decision.validUntil).toBe((TODAY + 1) * DAY_MS);
  });
});
