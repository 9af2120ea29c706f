import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { UNTRAINED, UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import { explainedPredictions } from '../../../src/liveops/explanations/explained-predictions.js';
import { utcDay } from '../../../src/platform/lib/day.js';
import { type RateTable, rateTable } from '../../../src/studio/money/exchange-rates.js';
import { configWith, DAY_MS, facts, NOW } from '../../decide/support/fixtures.js';

/** A game whose players without a purchase spend 2 euros in 28 days on average. */
const { baseRates } = UNTRAINED;
const artefact = {
  ...UNTRAINED,
  currency: 'EUR',
  baseRates: { ...baseRates, nonPayers: { ...baseRates.nonPayers, revenue: 2 } },
};
const document = compileDocument(configWith({}), { version: 1, publishedAt: NOW });

const explain = (rates: RateTable | null) => {
  const found = { models: { ...UNTRAINED_MODELS, artefact }, state: null, problem: null };
  return explainedPredictions(facts(), found, document, { atMs: NOW, rates }).predictions;
};
const ratesIn = (currency: string) =>
  rateTable(currency, 1, [
    { currency: 'EUR', from: utcDay(NOW - DAY_MS), rate: '1.1' },
    { currency: 'EUR', from: utcDay(NOW + DAY_MS), rate: '5' },
  ]);

describe('an explained prediction of money', () => {
  it('stays in the currency of the model, with the reporting currency beside it at the rate of the day', () => {
    const { revenue, churn } = explain(ratesIn('USD'));
    expect(revenue).toMatchObject({
      ...{ value: 2, unit: 'EUR' },
      reported: { currency: 'USD', value: 2.2, defaultValue: 2.2 },
    });
    expect(revenue.sentence).toMatch(
      / is 2\.00 EUR.* In the reporting currency it is 2\.20 USD, at the rate of the day\.$/,
    );
    expect(churn.reported).toBeNull();
    expect(churn.sentence).not.toContain('rate of the day');
  });

  it('is said once if both currencies are the same, or if nobody can convert it', () => {
    const same = explain(rateTable('EUR', 1, [])).revenue;
    expect(same.reported).toEqual({ currency: 'EUR', value: 2, defaultValue: 2 });
    for (const { sentence } of [same, explain(null).revenue, explain(rateTable('USD', 1, [])).revenue])
      expect(sentence).not.toContain('reporting currency');
    expect(explain(null).revenue.reported).toBeNull();
    expect(explain(rateTable('USD', 1, [])).revenue.reported).toBeNull();
  });
});
