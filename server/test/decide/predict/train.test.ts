/** @module-tag full */
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  ActivityModel,
  Artefact,
  ConversionModel,
  PurchasesModel,
} from '../../../src/decide/predict/artefact.js';
import { bgBbAnyActivity } from '../../../src/decide/predict/bg-bb.js';
import { isPresent } from '../../../src/decide/predict/features.js';
import { gradeModel } from '../../../src/decide/predict/grade.js';
import { measureProbabilities } from '../../../src/decide/predict/metrics.js';
import { readArtefact } from '../../../src/decide/predict/read-artefact.js';
import { score } from '../../../src/decide/predict/score.js';
import { SHIPPED_PRIOR } from '../../../src/decide/predict/shipped-prior.gen.js';
import { type TrainingResult, train } from '../../../src/decide/predict/train.js';
import type { OriginCells, TrainingData } from '../../../src/decide/predict/training-data.js';
import { expectedGame, LAST_DAY } from './expected-game.js';
import { GAME_PARAMETERS, simulateGame, toTrainingData } from './simulated-game.js';

/** The least that six rolling origins and that one of them need. */
const MANY_WEEKS = 8;
const FEW_WEEKS = 3;

describe('training with enough data', () => {
  let data: TrainingData;
  let result: TrainingResult;
  beforeAll(() => {
    data = expectedGame(20_000, 600, MANY_WEEKS);
    result = train(data, 7, null);
  });

  it('promotes all models and says what they gain', () => {
    expect(result.report.map(({ model, outcome }) => [model, outcome])).toEqual([
      ['activity', 'promoted'],
      ['purchases', 'promoted'],
      ['conversion', 'promoted'],
    ]);
    expect(result.isPromoted).toBe(true);
    expect(result.report[0]?.reason).toMatch(
      /^its guesses for 6 weeks that it had not seen were \d+\.\d% ± \d+\.\d nearer to what players did than the average$/,
    );
  });

  it('finds the parameters that the players behave by', () => {
    const { activity, purchases } = readyModels(result.artefact);
    for (const [name, value] of Object.entries(GAME_PARAMETERS.activity)) {
      expect(Math.abs(activity.bgBb[name as 'alpha'] / value - 1)).toBeLessThan(0.01);
    }
    expect(purchases.mbgNbd.r / GAME_PARAMETERS.purchases.r).toBeGreaterThan(0.7);
    expect(purchases.mbgNbd.r / GAME_PARAMETERS.purchases.r).toBeLessThan(1.4);
    expect(purchases.value).toMatchObject({ kind: 'gamma_gamma' });
    expect(purchases.purchasesPerDay).toBeCloseTo(1.5, 6);
  });

  it('tests each model on six weeks that it has not seen, calibrated and as sharp as the truth', () => {
    const { activity } = readyModels(result.artefact);
    const truth = trueAuc(data.origins.at(-1) as OriginCells);
    expect(activity.origins.map(({ originDay }) => originDay)).toEqual(
      [42, 35, 28, 21, 14, 7].map((before) => LAST_DAY - before),
    );
    for (const { ece, auc, totalRatio } of activity.origins) {
      expect(ece).toBeLessThan(0.02);
      expect(auc).toBeGreaterThan(truth - 0.01);
      expect(Math.abs((totalRatio ?? 0) - 1)).toBeLessThan(0.02);
    }
  });

  it('expects of non-payers in total what non-payers did', () => {
    const { conversion } = readyModels(result.artefact);
    // A tenth converts in 28 days and spends 2 per player, so 20 per new payer.
    expect(conversion.month?.revenue).toBeCloseTo(20, 6);
    expect(conversion.month?.purchases).toBeCloseTo(1.5, 6);
    // No 90 days are over in this game.
    expect(conversion.quarter).toBeNull();
    expect(conversion.month?.weeks).toBeGreaterThan(0.5);
  });

  it('notes its window, its rows and the features', () => {
    const { activity } = readyModels(result.artefact);
    expect(activity).toMatchObject({
      trainedDay: LAST_DAY,
      window: { fromDay: LAST_DAY - 41, toDay: LAST_DAY - 7 },
      algorithm: 'BG/BB and logistic regression',
    });
    expect(activity.players).toBeCloseTo(20_000, 3);
    expect(result.artefact).toMatchObject({ version: 7, currency: 'USD', trainedDay: LAST_DAY });
    expect(result.artefact.featuresHash).toMatch(/^[0-9a-f]{8}$/);
  });

  it('leaves an artefact that can be written as JSON and read back', () => {
    // Players are fractions here; in a database they are whole.
    const text = JSON.stringify(result.artefact, (key, value) =>
      key === 'players' ? Math.ceil(value) : value,
    );
    expect(readArtefact(JSON.parse(text))).toEqual({ readable: true, artefact: JSON.parse(text) });
  });
});

describe('promotion', () => {
  let data: TrainingData;
  let first: TrainingResult;
  beforeAll(() => {
    data = expectedGame(20_000, 600, FEW_WEEKS);
    first = train(data, 1, null);
  });

  it('needs to be nearer to what happened than the present model', () => {
    const second = train(data, 2, first.artefact);
    expect(second.isPromoted).toBe(false);
    expect(second.report[0]).toMatchObject({ outcome: 'refused', isPresentKept: true });
    expect(second.report[0]?.reason).toMatch(
      /^in the newest week its guesses were no nearer to what players did than those of the present model$/,
    );
    expect(second.artefact.models.activity).toEqual(first.artefact.models.activity);
  });

  it('leaves the present model in the artefact, and the refused one in the report', () => {
    const { activity } = readyModels(first.artefact);
    const older = { ...activity, trainedDay: LAST_DAY - 30 };
    const present = { ...first.artefact, models: { ...first.artefact.models, activity: older } };
    const second = train(data, 2, present);
    expect(second.artefact.models.activity).toEqual(older);
    const { outcome, refusedModel } = second.report[0] ?? {};
    expect(outcome).toBe('refused');
    expect(refusedModel).toEqual({
      algorithm: activity.algorithm,
      trainedDay: LAST_DAY,
      window: activity.window,
      players: activity.players,
      source: activity.source,
      bgBb: activity.bgBb,
      logistic: activity.logistic,
      calibration: activity.calibration,
    });
    expect(first.report[0]).not.toHaveProperty('refusedModel');
  });

  it('withdraws the present model where the average was nearer to the newest two weeks', () => {
    const newest = withNobodyBack(data.origins.at(-1) as OriginCells);
    const second = train({ ...data, origins: [...data.origins.slice(0, -1), newest] }, 2, first.artefact);
    expect(second.isPromoted).toBe(true);
    expect(second.report[0]).toMatchObject({ outcome: 'refused', isPresentKept: false });
    expect(second.report[0]?.reason).toMatch(
      /; the model in use is withdrawn: in the newest 2 weeks its guesses were \d+\.\d% further from what players did than the average$/,
    );
    expect(second.artefact.models.activity).toMatchObject({ state: 'cold_start' });
    // What has not changed goes on.
    expect(second.artefact.models.purchases).toEqual(first.artefact.models.purchases);
  });

  it('replaces a present model that is worse', () => {
    const { activity } = readyModels(first.artefact);
    const worse = { ...activity, calibration: { slope: 1, offset: 1 } };
    const present = { ...first.artefact, models: { ...first.artefact.models, activity: worse } };
    const second = train(data, 2, present);
    expect(second).toMatchObject({ isPromoted: true });
    expect(second.report.map(({ outcome }) => outcome)).toEqual(['promoted', 'refused', 'refused']);
    expect(second.artefact.models.activity).toEqual(activity);
  });

  it('is refused where the newest week went another way', () => {
    const newest = data.origins.at(-1) as OriginCells;
    const broken = train(
      { ...data, origins: [...data.origins.slice(0, -1), withNobodyBack(newest)] },
      2,
      null,
    );
    expect(broken.report[0]).toMatchObject({ outcome: 'refused', isPresentKept: false });
    expect(broken.report[0]?.reason).toMatch(
      /^its percentages were off by \d+\.\d points on average in the newest week; chance explains/,
    );
    expect(broken.artefact.models.activity).toEqual({
      state: 'cold_start',
      reason: broken.report[0]?.reason,
    });
  });
});

describe('calibration', () => {
  it('refuses a model that tells players apart better than the average, and is off by more than 0.02', () => {
    const data = expectedGame(20_000, 600, FEW_WEEKS);
    const newest = data.origins.at(-1) as OriginCells;
    const quieter = newest.activity.map((cell) => ({ ...cell, returned7: 0.85 * cell.returned7 }));
    const { report } = train(
      { ...data, origins: [...data.origins.slice(0, -1), { ...newest, activity: quieter }] },
      1,
      null,
    );
    const { outcome, reason, origins } = report[0] ?? {};
    const { ece = 0, brierSkill } = origins?.at(-1) ?? {};
    expect(brierSkill).toBeGreaterThan(0.2);
    expect(ece).toBeGreaterThan(0.03);
    expect(ece).toBeLessThan(0.15);
    expect(outcome).toBe('refused');
    expect(reason).toMatch(
      /^its percentages were off by \d+\.\d points on average in the newest week; chance explains \d+\.\d,/,
    );
  });

  it('moves what is said of payers to what payers do of late', () => {
    const data = expectedGame(20_000, 600, FEW_WEEKS);
    // In the last two weeks half as many of them buy as before.
    const origins = data.origins.map((origin, at) => ({
      ...origin,
      buyers: at === 0 ? origin.buyers : origin.buyers.map((cell) => ({ ...cell, spent7: cell.spent7 / 2 })),
    }));
    const { artefact } = train({ ...data, origins }, 1, null);
    const graded = gradeModel(artefact, 'purchases', origins.at(-1) as OriginCells);
    expect(Math.abs((graded?.totalRatio ?? 0) - 1)).toBeLessThan(0.1);
    expect(graded?.ece).toBeLessThan(0.02);
  });
});

describe('averages', () => {
  const data = expectedGame(20_000, 600, FEW_WEEKS);
  const first = train(data, 1, null);

  it('are fresh when no model is new, after everybody has left', () => {
    const empty = data.origins.map(withNobodyBack);
    const second = train(
      { ...data, origins: [...data.origins.slice(0, -1), ...empty.slice(-1)] },
      2,
      first.artefact,
    );
    expect(second.report.map(({ isPresentKept }) => isPresentKept)).toEqual([false, true, true]);
    expect(second.artefact.models.purchases).toEqual(first.artefact.models.purchases);
    expect(first.artefact.baseRates.churn).toBeLessThan(0.7);
    expect(second.artefact.baseRates.churn).toBeGreaterThan(0.99);
    expect(second.isPromoted).toBe(true);
    // What players get once grading has found the model to be wrong.
    const player = {
      firstDay: LAST_DAY - 9,
      activeDays: [],
      purchaseDays: [],
      repeatSpend: {},
      recentDays: [],
    };
    const { churn } = score(player, second.artefact, LAST_DAY + 1, new Set(['activity'] as const));
    expect(churn).toMatchObject({ state: 'degraded', value: second.artefact.baseRates.churn });
  });

  it('are not put in force again when they are the same', () => {
    expect(train(data, 2, first.artefact).isPromoted).toBe(false);
  });

  it('of 90 days are more than those of 28 before 90 days are over, and say so', () => {
    const { artefact } = train(expectedGame(20_000, 600, 5), 1, null);
    const { payers, nonPayers, isQuarterExtrapolated } = artefact.baseRates;
    expect(isQuarterExtrapolated).toBe(true);
    expect(payers.revenue90).toBeCloseTo(2.6 * payers.revenue, 9);
    expect(nonPayers.revenue90).toBeCloseTo(2 * nonPayers.revenue, 9);
    expect(payers.revenue).toBeGreaterThan(0);
    const player = {
      firstDay: LAST_DAY - 9,
      activeDays: [],
      purchaseDays: [],
      repeatSpend: {},
      recentDays: [],
    };
    const { revenue, revenue90 } = score(player, artefact, LAST_DAY + 1);
    expect(revenue90).toMatchObject({ state: 'cold_start', value: nonPayers.revenue90 });
    expect(revenue90.reason).toMatch(
      /; the average of 90 days is extrapolated from 28 days, because no 90 days are over$/,
    );
    expect(revenue.reason ?? '').not.toMatch(/extrapolated/);
  });

  it('of 90 days are the game’s own once 90 days are over', () => {
    const old = expectedGame(20_000, 600, 14);
    const { payers, isQuarterExtrapolated } = train(old, 1, null).artefact.baseRates;
    expect(isQuarterExtrapolated).toBe(false);
    const cells = old.origins[0]?.payers ?? [];
    expect(payers.revenue90).toBeCloseTo(cells.reduce((sum, cell) => sum + cell.revenue90, 0) / 600, 9);
  });
});

describe('a change of the currency that most payers pay in', () => {
  it('does not keep models with amounts in the old one', () => {
    const data = expectedGame(20_000, 600, FEW_WEEKS);
    const { artefact } = train(data, 1, null);
    const empty = { ...expectedGame(100, 10, FEW_WEEKS), currency: 'EUR' };
    const { models } = train(empty, 2, artefact).artefact;
    expect(models.activity).toEqual(artefact.models.activity);
    expect([models.purchases.state, models.conversion.state]).toEqual(['cold_start', 'cold_start']);
  });
});

describe('splits', () => {
  it('learns nothing from the week it is tested on, nor from outcomes that are still open', () => {
    const data = expectedGame(20_000, 600, FEW_WEEKS + 1);
    const first = train(data, 6, null).artefact;
    const changed = train(
      {
        ...data,
        origins: [
          ...data.origins.slice(0, -1),
          { ...withNobodyBack(data.origins.at(-1) as OriginCells), day: LAST_DAY - 7 },
          { ...withNobodyBack(data.origins.at(-1) as OriginCells), day: LAST_DAY - 6 },
        ],
      },
      7,
      first,
    );
    const report = changed.report[0];
    const { origins, logistic, calibration } = readyModels(first).activity;
    expect(report).toMatchObject({ outcome: 'refused', refusedModel: { logistic, calibration } });
    expect(report?.origins.slice(0, -1)).toEqual(origins.slice(0, -1));
  });
});

describe('training with little data', () => {
  it('has a model of churn for 300 players, pooled with the prior, and says so', () => {
    const { artefact, report, isPromoted } = train(expectedGame(300, 20, FEW_WEEKS), 1, null);
    expect(report[0]).toMatchObject({ outcome: 'promoted', source: { kind: 'pooled' } });
    expect(report[0]?.source?.ownShare).toBeGreaterThan(0.1);
    expect(report[0]?.source?.ownShare).toBeLessThan(0.7);
    expect(readyActivity(artefact).source).toEqual(report[0]?.source);
    expect(artefact.baseRates.payers).toMatchObject({ players: 20 });
    expect(isPromoted).toBe(true);
  });

  it('moves from the prior to the game’s own players as they come', () => {
    const shares = [100, 1_000, 10_000].map(
      (players) => train(expectedGame(players, 20, FEW_WEEKS), 1, null).report[0]?.source?.ownShare ?? 0,
    );
    const [few = 0, more = 0, many = 0] = shares;
    expect(few).toBeGreaterThan(0.05);
    expect(more).toBeGreaterThan(few + 0.1);
    expect(many).toBeGreaterThan(more + 0.1);
  });

  it('begins with the prior alone, calibrated on one week and tested on the next', () => {
    const { report, artefact } = train(expectedGame(5_000, 600, 2), 1, null);
    expect(report[0]).toMatchObject({ outcome: 'promoted', source: { kind: 'prior', ownShare: 0 } });
    expect(report[0]?.origins).toHaveLength(1);
    expect(readyActivity(artefact)).toMatchObject({ players: 0, logistic: SHIPPED_PRIOR.churn });
  });

  it('needs two weeks whose outcome is known', () => {
    const { report } = train(expectedGame(5_000, 600, 1), 1, null);
    for (const { reason } of report)
      expect(reason).toBe('less than two weeks of history whose outcome is known');
  });

  it('is refused where players do not differ by what is known of them', () => {
    const data = expectedGame(300, 20, FEW_WEEKS);
    // Every player returns with the same probability.
    const origins = data.origins.map((origin) => ({
      ...origin,
      activity: origin.activity.map((cell) => ({ ...cell, returned7: 0.5 * cell.players })),
    }));
    const { report, artefact } = train({ ...data, origins }, 1, null);
    expect(report[0]?.outcome).toBe('refused');
    expect(artefact.models.activity.state).toBe('cold_start');
  });

  it('is refused while the gain may be chance, and says how much it is', () => {
    const data = expectedGame(300, 20, FEW_WEEKS);
    // Nearly the same probability for everybody.
    const origins = data.origins.map((origin) => ({
      ...origin,
      activity: origin.activity.map((cell) => ({
        ...cell,
        returned7: 0.04 * cell.returned7 + 0.3 * cell.players,
      })),
    }));
    const { report } = train({ ...data, origins }, 1, null);
    expect(report[0]?.outcome).toBe('refused');
    expect(report[0]?.reason).toMatch(
      /^not certain to be better than the average yet: its guesses for 2 weeks that it had not seen were \d+\.\d% ± \d+\.\d (nearer to|further from) what players did than the average$/,
    );
  });

  it('is refused where three payers did what it said: that may be chance', () => {
    const asGuessed = (payers: number) => {
      const data = expectedGame(300, payers, 2);
      const origins = data.origins.map((origin) => ({
        ...origin,
        buyers: origin.buyers.map((buyer) => {
          const { t, tx } = buyer.history;
          return { ...buyer, spent7: t - tx < 14 ? buyer.players : 0 };
        }),
      }));
      return train({ ...data, origins }, 1, null).report[1];
    };
    expect(asGuessed(3)?.outcome).toBe('refused');
    expect(asGuessed(3)?.reason).toMatch(
      /^too few players to rule out chance: its guesses for 1 week that it had not seen were \d+\.\d% ± \d+\.\d nearer/,
    );
    expect(asGuessed(30)?.outcome).toBe('promoted');
  });

  it('has no model of what nobody has ever done', () => {
    const data = expectedGame(300, 20, FEW_WEEKS);
    const origins = data.origins.map((origin) => ({
      ...origin,
      activity: origin.activity.map((cell) => ({ ...cell, spent7: 0 })),
    }));
    const { report } = train({ ...data, origins }, 1, null);
    expect(report[2]).toMatchObject({ outcome: 'cold_start', reason: 'all players had the same outcome' });
  });

  it('gives the shipped prior to a game of which nothing is known', () => {
    const { artefact } = train({ day: LAST_DAY, currency: null, origins: [] }, 0, null);
    const nobody = { players: 0, purchases: 0, revenue: 0, revenue90: 0 };
    expect(artefact.baseRates).toEqual({
      churn: 0.6,
      payers: { ...nobody, spend: 1 / 5 },
      nonPayers: { ...nobody, spend: 1 / 51 },
      isQuarterExtrapolated: true,
    });
    expect(readArtefact(JSON.parse(JSON.stringify(artefact)))).toMatchObject({ readable: true });
  });

  it('keeps a model in use when data get scarce', () => {
    const { artefact } = train(expectedGame(20_000, 600, FEW_WEEKS), 1, null);
    const later = train(expectedGame(100, 10, 1), 2, artefact);
    expect(later.report[0]).toMatchObject({ outcome: 'cold_start', isPresentKept: true });
    expect(later.artefact.models).toEqual(artefact.models);
  });
});

describe('a simulated game', () => {
  it('is predicted about as well as by someone who knows its parameters', () => {
    const data = toTrainingData(simulateGame(41, 4_000, 84), FEW_WEEKS);
    const { artefact, report } = train(data, 1, null);
    const { origins } = readyActivity(artefact);
    const truth = trueAuc(data.origins.at(-1) as OriginCells);
    const tested = origins.at(-1);
    expect(report[1]?.outcome).toBe('promoted');
    expect(tested?.auc).toBeGreaterThan(truth - 0.01);
    expect((tested?.ece ?? 1) - (tested?.eceOfChance ?? 0)).toBeLessThan(0.02);
  });
});

/** The AUC of someone who knows the parameters that players behave by. */
function trueAuc({ activity }: OriginCells): number {
  const metrics = measureProbabilities(
    activity.filter(isPresent).map((cell) => ({
      predicted: 1 - bgBbAnyActivity(GAME_PARAMETERS.activity, cell, 7),
      players: cell.players,
      positives: cell.players - cell.returned7,
    })),
  );
  return metrics?.auc ?? 1;
}

/** The same players; none of them returns or buys. */
function withNobodyBack(origin: OriginCells): OriginCells {
  return {
    ...origin,
    activity: origin.activity.map((cell) => ({ ...cell, returned7: 0, spent7: 0 })),
    payers: origin.payers.map((cell) => ({ ...cell, spent7: 0 })),
  };
}

function readyActivity({ models }: Artefact): ActivityModel {
  if (models.activity.state !== 'ready') throw new Error(models.activity.reason);
  return models.activity;
}

function readyModels(artefact: Artefact): {
  activity: ActivityModel;
  purchases: PurchasesModel;
  conversion: ConversionModel;
} {
  const { purchases, conversion } = artefact.models;
  if (purchases.state !== 'ready') throw new Error(purchases.reason);
  if (conversion.state !== 'ready') throw new Error(conversion.reason);
  return { activity: readyActivity(artefact), purchases, conversion };
}
