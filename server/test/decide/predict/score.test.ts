import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Artefact, MODEL_NAMES, PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { explainPredictions } from '../../../src/decide/predict/explain.js';
import { logOddsOf } from '../../../src/decide/predict/logistic.js';
import {
  activityStatistics,
  levelOf,
  levelText,
  payerStatistics,
} from '../../../src/decide/predict/player-statistics.js';
import type { DayRange, PredictionFacts } from '../../../src/decide/predict/prediction-facts.js';
import { bandOf, percentileOf, scaleOf } from '../../../src/decide/predict/scales.js';
import { type Predictions, score } from '../../../src/decide/predict/score.js';
import { train } from '../../../src/decide/predict/train.js';
import { expectedGame, LAST_DAY } from './expected-game.js';

const TODAY = LAST_DAY + 1;

/** Here on each of the last ten days. */
const regular: PredictionFacts = {
  firstDay: TODAY - 20,
  activeDays: [
    [TODAY - 20, TODAY - 18],
    [TODAY - 10, TODAY],
  ],
  purchaseDays: [],
  repeatSpend: {},
  recentDays: [],
};
const absent: PredictionFacts = { ...regular, activeDays: [[TODAY - 20, TODAY - 18]] };
const payer: PredictionFacts = {
  ...regular,
  purchaseDays: [
    [TODAY - 20, TODAY - 19],
    [TODAY - 9, TODAY - 8],
    [TODAY - 3, TODAY - 1],
  ],
  repeatSpend: { USD: 60 },
};

let trained: Artefact;
let untrained: Artefact;
const TOO_YOUNG = 'less than two weeks of history whose outcome is known';
beforeAll(() => {
  trained = train(expectedGame(20_000, 600, 4), 3, null).artefact;
  untrained = train(expectedGame(412.5, 90, 1), 2, null).artefact;
});

describe('the predictions for a player', () => {
  it('tell a regular player from one who is gone', () => {
    const [here, gone] = [score(regular, trained, TODAY), score(absent, trained, TODAY)];
    expect(here.churn).toMatchObject({
      state: 'ready',
      band: 'low',
      unit: 'probability',
      horizonDays: 7,
      model: 'activity',
    });
    expect(gone.churn).toMatchObject({ state: 'ready', band: 'high' });
    expect(here.churn.value).toBeLessThan(0.2);
    expect(gone.churn.value).toBeGreaterThan(0.8);
    expect(here.churn.percentile).toBeLessThan(gone.churn.percentile ?? 0);
    expect(here.spend.value).toBeGreaterThan(gone.spend.value);
  });

  it('multiply purchases and value for payers', () => {
    const { spend, purchases, revenue, revenue90, payerAlive } = score(payer, trained, TODAY);
    for (const prediction of [spend, purchases, revenue, revenue90, payerAlive]) {
      expect(prediction).toMatchObject({ state: 'ready', model: 'purchases', reason: null });
    }
    expect(payerAlive.value).toBeGreaterThan(0.7);
    expect(revenue).toMatchObject({ unit: 'USD', horizonDays: 28 });
    expect(revenue90).toMatchObject({ unit: 'USD', horizonDays: 90 });
    // Three repeat days of 20 on average: about the mean of all players.
    expect(revenue.value / (purchases.value / 1.5)).toBeGreaterThan(10);
    expect(revenue.value / (purchases.value / 1.5)).toBeLessThan(30);
    expect(revenue90.value).toBeGreaterThan(revenue.value);
  });

  it('hold until midnight', () => {
    expect(score(regular, trained, TODAY).churn.expiredAt).toBe((TODAY + 1) * 86_400_000);
  });

  it('say of a player without a purchase that no payer is alive', () => {
    expect(score(regular, trained, TODAY).payerAlive).toMatchObject({ value: 0, state: 'ready' });
  });

  it('value a payer of another currency like an average payer', () => {
    const other = score({ ...payer, repeatSpend: { EUR: 9_000 } }, trained, TODAY);
    const rich = score({ ...payer, repeatSpend: { USD: 9_000 } }, trained, TODAY);
    expect(other.purchases).toEqual(rich.purchases);
    expect(other.revenue.value).toBeLessThan(rich.revenue.value / 10);
  });

  it('are base rates with the reason until there is a model', () => {
    const predictions = score(payer, untrained, TODAY);
    expect(predictions.churn).toEqual({
      value: untrained.baseRates.churn,
      defaultValue: untrained.baseRates.churn,
      expiredAt: null,
      unit: 'probability',
      horizonDays: 7,
      percentile: null,
      band: null,
      state: 'cold_start',
      model: 'activity',
      reason: TOO_YOUNG,
    });
    expect(predictions.spend).toMatchObject({
      value: untrained.baseRates.payers.spend,
      reason: TOO_YOUNG,
    });
    expect(predictions.payerAlive).toMatchObject({ value: 0, state: 'cold_start' });
  });

  it('wait for the end of a horizon that nobody has lived through', () => {
    const { revenue, revenue90 } = score(regular, trained, TODAY);
    expect(revenue.state).toBe('ready');
    expect(revenue90).toMatchObject({ state: 'cold_start', value: trained.baseRates.nonPayers.revenue90 });
    expect(revenue90.reason).toMatch(/^not enough days have passed yet/);
  });

  it('fall back to the default where a model is not trusted', () => {
    const predictions = score(payer, trained, TODAY, new Set(['purchases']));
    expect(predictions.churn.state).toBe('ready');
    for (const name of ['spend', 'purchases', 'revenue', 'revenue90', 'payerAlive'] as const) {
      const { value, defaultValue, state, band, expiredAt } = predictions[name];
      expect({ state, band, expiredAt, value }).toEqual({
        state: 'degraded',
        band: null,
        expiredAt: null,
        value: defaultValue,
      });
    }
  });

  it('change when the player comes, not while the day goes on', () => {
    const today = { ...absent, activeDays: [...absent.activeDays, [TODAY, TODAY + 1] as DayRange] };
    expect(score(today, trained, TODAY).churn.value).toBeLessThan(score(absent, trained, TODAY).churn.value);
    expect(activityStatistics(absent, TODAY).n).toBe(19);
    expect(activityStatistics(today, TODAY)).toMatchObject({ n: 20, x: 2, tx: 20, active7: 1 });
  });

  it('believe less and less in a player who stays away', () => {
    const days = [0, 1, 3, 7, 14].map((later) => score(absent, trained, TODAY + later).churn.value);
    expect([...days].sort((one, other) => one - other)).toEqual(days);
    const payers = [0, 3, 14, 60].map((later) => score(payer, trained, TODAY + later).payerAlive.value);
    expect([...payers].sort((one, other) => other - one)).toEqual(payers);
  });

  it('are numbers in their range for every past', () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (any, isTrained) => {
        expectSound(score(any, isTrained ? trained : untrained, TODAY));
      }),
    );
  });
});

describe('statistics', () => {
  it('count as of yesterday, 180 days back', () => {
    const old = { ...regular, firstDay: TODAY - 1000, activeDays: [[TODAY - 1000, TODAY - 100] as DayRange] };
    expect(activityStatistics(old, TODAY)).toMatchObject({ n: 180, x: 80, tx: 80 });
  });

  it('of a player who has just begun are zeros', () => {
    const fresh = { firstDay: TODAY, activeDays: [], purchaseDays: [], repeatSpend: {}, recentDays: [] };
    expect(activityStatistics(fresh, TODAY)).toMatchObject({ n: 0, x: 0, tx: 0, active7: 0, isPayer: false });
    expect(payerStatistics(fresh, TODAY, 'USD')).toBeUndefined();
  });

  it('of a payer count days of purchase after the first', () => {
    expect(payerStatistics(payer, TODAY, 'USD')).toEqual({ x: 3, tx: 18, t: 19, meanValue: 20 });
    expect(payerStatistics(payer, TODAY, 'EUR')).toEqual({ x: 3, tx: 18, t: 19, meanValue: null });
    expect(payerStatistics({ ...payer, purchaseDays: [[TODAY, TODAY + 1]] }, TODAY, 'USD')).toEqual({
      x: 0,
      tx: 0,
      t: 0,
      meanValue: null,
    });
  });

  it('give counts as levels', () => {
    expect([0, 0.5, 1, 2, 3, 4, 511, 512, 1e9].map(levelOf)).toEqual([0, 0, 1, 2, 2, 3, 9, 10, 10]);
  });
});

describe('percentiles and bands', () => {
  it('say where a value stands', () => {
    const scale = scaleOf(
      'spend',
      Array.from({ length: 101 }, (_, value) => ({ value, players: 10 })),
    );
    if (scale === null) throw new Error('there is a scale');
    expect([-1, 0, 25, 50, 99.9, 200].map((value) => percentileOf(scale, value))).toEqual([
      0, 0, 25, 50, 100, 100,
    ]);
    expect([10, 60, 95].map((value) => bandOf(scale, value))).toEqual(['low', 'medium', 'high']);
  });

  it('put everybody in the middle where all are alike', () => {
    const scale = scaleOf('revenue', [{ value: 3, players: 99 }]);
    if (scale === null) throw new Error('there is a scale');
    expect([percentileOf(scale, 3), bandOf(scale, 3)]).toEqual([50, 'medium']);
    expect(scaleOf('revenue', [])).toBeNull();
  });

  it('have fixed bands for churn', () => {
    const scale = scaleOf('churn', [{ value: 0.9, players: 1 }]);
    if (scale === null) throw new Error('there is a scale');
    expect([0.29, 0.3, 0.7].map((value) => bandOf(scale, value))).toEqual(['low', 'medium', 'high']);
  });
});

describe('explanations', () => {
  it('add up to the log-odds, largest first', () => {
    const { regression, value, sentence } = explainPredictions(absent, trained, TODAY).predictions.churn;
    if (regression === null) throw new Error('the model is a regression');
    const { contributions, intercept, slope, offset } = regression;
    const sum = contributions.reduce((total, { logOdds }) => total + logOdds, intercept);
    expect(slope * sum + offset).toBeCloseTo(logOddsOf(value), 9);
    for (const { coefficient, standardised, logOdds } of contributions) {
      expect(coefficient * standardised).toBeCloseTo(logOdds, 12);
    }
    const sizes = contributions.map(({ logOdds }) => Math.abs(logOdds));
    expect([...sizes].sort((one, other) => other - one)).toEqual(sizes);
    expect(contributions[0]).toMatchObject({
      feature: 'returnLogOdds',
      label: 'the rhythm of active days',
      told: '1 of 19',
    });
    expect(sentence).toMatch(
      /^The probability of not being active in the next 7 days is \d+\.\d% \(high; \d+% of players have a lower one\): the rhythm of active days \(1 of 19\) raises it[^:]*\.$/,
    );
  });

  it('of a regression are of those who have not paid, too, and of whether payers buy', () => {
    const ofOthers = explainPredictions(regular, trained, TODAY).predictions;
    expect(ofOthers.spend.regression?.contributions.length).toBeGreaterThan(0);
    expect(ofOthers.payerAlive).toMatchObject({
      regression: null,
      sentence: expect.stringContaining('is 0.0%'),
    });
    const { spend, purchases, payerAlive } = explainPredictions(payer, trained, TODAY).predictions;
    const { intercept = 0, slope = 0, offset = 0, contributions = [] } = spend.regression ?? {};
    const sum = contributions.reduce((before, { logOdds }) => before + logOdds, intercept);
    expect(slope * sum + offset).toBeCloseTo(logOddsOf(spend.value), 9);
    expect(contributions[0]).toMatchObject({ feature: 'purchaseLogOdds', told: '4 in 20 days' });
    expect(spend.sentence).toContain(': the rhythm of purchases (4 in 20 days) raises it');
    expect([purchases.regression, payerAlive.regression]).toEqual([null, null]);
  });

  it('of a payer whose model looks at purchases alone, as those of older versions do, are by purchases', () => {
    const { purchases } = trained.models;
    if (purchases.state !== 'ready') throw new Error(purchases.reason);
    const { regression: _, ...older } = purchases;
    const artefact = { ...trained, models: { ...trained.models, purchases: older } };
    const { spend } = explainPredictions(payer, artefact, TODAY).predictions;
    expect(spend.regression).toBeNull();
    expect(spend.value).toBeGreaterThan(0);
    expect(spend.sentence).toContain('bought on 4 days');
  });

  it('tell levels as the counts they stand for', () => {
    expect([0, 1, 2, 3, 9, 10].map(levelText)).toEqual([
      '0',
      '1',
      '2 to 3',
      '4 to 7',
      '256 to 511',
      '512 or more',
    ]);
    for (const count of [0, 1, 3, 5, 300, 1e6]) {
      const [from = 0, to = Number.POSITIVE_INFINITY] = levelText(levelOf(count))
        .split(' to ')
        .map(Number.parseFloat);
      expect(count >= from && (count <= to || to === Number.POSITIVE_INFINITY)).toBe(true);
    }
  });

  it('show statistics and the probability of being alive', () => {
    const explanation = explainPredictions(payer, trained, TODAY);
    expect(explanation.activity).toEqual(activityStatistics(payer, TODAY));
    expect(explanation.purchases).toEqual({ x: 3, tx: 18, t: 19, meanValue: 20 });
    expect(explanation.aliveByPurchases).toBe(explanation.predictions.payerAlive.value);
    expect(explanation.aliveByActivity).toBeGreaterThan(0.9);
    expect(explanation.predictions.revenue.sentence).toMatch(
      /^The expected spend in the next 28 days is \d+\.\d\d USD \(\w+; \d+% of players have a lower one\): bought on 4 days, not in the 1 day since, has not stopped buying for good with \d+\.\d%\.$/,
    );
  });

  it('say why there is only an average', () => {
    const { predictions, aliveByActivity } = explainPredictions(regular, untrained, TODAY);
    expect(predictions.churn.sentence).toMatch(new RegExp(`, as for an average player: ${TOO_YOUNG}\\.$`));
    expect(predictions.churn.regression).toBeNull();
    expect(aliveByActivity).toBeNull();
  });

  it('call nothing certain that is not', () => {
    const gone = { ...absent, firstDay: TODAY - 170, activeDays: [[TODAY - 170, TODAY - 165] as DayRange] };
    const { value, sentence } = explainPredictions(gone, trained, TODAY).predictions.churn;
    expect(value).toBeGreaterThan(0.9995);
    expect(value).toBeLessThan(1);
    expect(sentence).toContain(' is over 99.9% (high;');
  });

  it('have the values that are told', () => {
    const told = score(payer, trained, TODAY);
    const explained = explainPredictions(payer, trained, TODAY).predictions;
    for (const name of PREDICTION_NAMES) expect(explained[name]).toMatchObject(told[name]);
  });
});

const ranges: fc.Arbitrary<DayRange[]> = fc
  .uniqueArray(fc.nat(400), { maxLength: 12 })
  .map((days) =>
    days.sort((one, other) => other - one).map((ago): DayRange => [TODAY - ago, TODAY - ago + 1]),
  );
const facts: fc.Arbitrary<PredictionFacts> = fc.record({
  firstDay: fc.integer({ min: TODAY - 3000, max: TODAY + 1 }),
  activeDays: ranges,
  purchaseDays: ranges,
  repeatSpend: fc.constantFrom({}, { USD: 0 }, { USD: 1e9 }, { USD: 5, EUR: 7 }, { JPY: 1 }, { USD: -3 }),
  recentDays: fc.array(
    fc.record({
      epochDay: fc.integer({ min: TODAY - 40, max: TODAY }),
      sessions: fc.nat(),
      adImpressions: fc.nat(),
      storeViews: fc.nat(),
      playMs: fc.nat(),
      purchases: fc.nat(20_000),
    }),
    { maxLength: 5 },
  ),
});

function expectSound(predictions: Predictions): void {
  for (const name of PREDICTION_NAMES) {
    const { value, defaultValue, unit, percentile, model } = predictions[name];
    expect(Number.isFinite(value) && value >= 0, `${name} is ${value}`).toBe(true);
    expect(Number.isFinite(defaultValue) && defaultValue >= 0).toBe(true);
    if (unit === 'probability') expect(value).toBeLessThanOrEqual(1);
    if (percentile !== null) expect(percentile >= 0 && percentile <= 100).toBe(true);
    expect(MODEL_NAMES).toContain(model);
  }
}
