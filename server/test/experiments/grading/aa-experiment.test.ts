/** @module-tag full */
import { describe, expect, it } from 'vitest';
import { type MetricEntry, metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import {
  AaExperiment,
  type AaOptions,
  type GradedVerdict,
} from '../../../src/experiments/grading/aa-experiment.js';
import { drawShare, gradedShares } from '../../../src/experiments/grading/graded-shares.js';
import { standingOf } from '../../../src/experiments/grading/standing.js';
import { fixedComparison } from '../../../src/experiments/report/compare-arms.js';
import type { PlayerFigures } from '../../../src/experiments/report/figures.js';
import { noMetricSums } from '../../../src/experiments/report/metric-sums.js';
import type { ReportInput } from '../../../src/experiments/report/report.js';
import {
  CONVERSION,
  figures,
  REVENUE,
  randomNumbers,
  SESSIONS,
  spent,
  testExperiment,
} from '../support/simulated-sums.js';

const SPAN = { kind: 'four_weeks', from: '2026-10-18', to: '2026-11-14' } as const;
const LOOKS = 28;
const DRAWS = 40;

type Life = Readonly<{ userId: string; looks: readonly (PlayerFigures | undefined)[] }>;

/** Players who arrive over the weeks. Each day brings some a session or a purchase; few spend much. */
function game(count: number, seed = 1): Life[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, n) => {
    const arrival = Math.floor(random() * LOOKS * 0.7);
    const [pays, plays] = [random() < 0.25, random()];
    const before = Math.round(10 * plays * random());
    let [amount, sessions] = [0, 0];
    const looks = Array.from({ length: LOOKS }, (_unused, look) => {
      if (look < arrival) return undefined;
      if (pays && random() < 0.15) amount += 1 + 60 * random() ** 8;
      if (random() < plays) sessions += 1;
      return figures({
        ...{ isNew: false, lastDay: look - arrival },
        since: { ...spent(amount), sessions },
        before: { ...spent(0), sessions: before },
      });
    });
    return { userId: `player-${seed}-${n}`, looks };
  });
}

const PLAYERS = game(700);

/** The verdicts of A/A experiments on the same players, each drawn anew. */
function draw(metric: MetricEntry, options: Partial<AaOptions> = {}, draws = DRAWS, players = PLAYERS) {
  return Array.from({ length: draws }, (_, n) => {
    const aa = new AaExperiment({ metric, seed: `s${n}`, span: SPAN, rates: null, ...options });
    for (const { userId, looks } of players) {
      looks.forEach((ofPlayer, look) => {
        if (ofPlayer !== undefined) aa.add(look, userId, ofPlayer);
      });
    }
    return aa.verdict();
  });
}

const standing = (verdicts: readonly GradedVerdict[]) =>
  standingOf(verdicts, { players: 0, isSampled: false });

/** The usual interval for one look, at every look. */
function judgeNaively({ experiment, sums }: ReportInput) {
  const { primary } = experiment.metrics;
  const arms = ['a', 'b'].map((id) => sums[id]?.metrics[metricKey(primary)] ?? noMetricSums());
  const interval = fixedComparison(arms, primary, 1);
  if (interval === null) return 'too_few';
  return interval.low > 0 || interval.high < 0 ? 'alarm' : 'quiet';
}

describe('hidden A/A experiments', () => {
  it.each([
    ['conversion', CONVERSION],
    ['revenue', REVENUE],
    ['sessions', SESSIONS],
  ] as const)('by %s give no more false alarms than chance explains', (_, metric) => {
    expect(standing(draw(metric))).toMatchObject({ state: 'good', judged: DRAWS, tooFew: 0 });
  });

  it('are divided as the shares of the game are, and are right there, too', () => {
    const verdicts = draw(SESSIONS, { smallArmPercent: 20 }, DRAWS / 2);
    expect(standing(verdicts)).toMatchObject({
      ...{ state: 'good', judged: DRAWS / 2, tooFew: 0 },
      metrics: [{ smallArmPercent: 20, title: 'Sessions per player, 20% in one arm' }],
    });
    // A fifth of 700 players is enough for a verdict, a tenth is not.
    expect(draw(SESSIONS, { smallArmPercent: 10 }, 1)).toMatchObject([{ verdict: 'too_few' }]);
  });

  it('are red where intervals for one look are looked at daily', () => {
    const { state, rate } = standing(draw(SESSIONS, { judge: judgeNaively }));
    expect(state).toBe('red');
    expect(rate).toBeGreaterThan(0.15);
  });

  it('are red where the arms depend on what players spend', () => {
    const spenders = new Set(
      PLAYERS.filter(({ looks }) => looks.some((look) => (look?.since.purchases ?? 0) > 0)).map(
        ({ userId }) => userId,
      ),
    );
    // The arms have as many players as they should: only who is in them is wrong.
    let [others, paying] = [0, 0];
    const arms = new Map(
      PLAYERS.map(({ userId }) => [userId, spenders.has(userId) ? paying++ % 5 > 0 : others++ % 5 < 2]),
    );
    const split = (userId: string) => (arms.get(userId) ? 'a' : 'b');
    expect(standing(draw(REVENUE, { split }, 4))).toMatchObject({ state: 'red', rate: 1 });
  });

  it('count a sample ratio mismatch as a false alarm', () => {
    const split = (userId: string) => (Number(userId.split('-')[2]) % 5 < 2 ? 'a' : 'b');
    const [verdict] = draw(SESSIONS, { split }, 1);
    expect(verdict).toMatchObject({ verdict: 'alarm' });
  });

  it('with too few players have no verdict, and are not in the rate', () => {
    const verdicts = draw(SESSIONS, {}, DRAWS, PLAYERS.slice(0, 150));
    expect(standing(verdicts)).toMatchObject({ state: 'waiting', judged: 0, tooFew: DRAWS, rate: null });
  });

  it('remember the first day of an alarm', () => {
    const days: string[] = [];
    const judge = ({ to }: ReportInput) => {
      days.push(to);
      return to >= '2026-10-20' ? 'alarm' : 'quiet';
    };
    const aa = new AaExperiment({ metric: SESSIONS, seed: 's', span: SPAN, rates: null, judge });
    expect(aa.verdict()).toMatchObject({ verdict: 'alarm', day: '2026-10-20' });
    expect(days).toHaveLength(LOOKS);
    expect([days[0], days.at(-1)]).toEqual([SPAN.from, SPAN.to]);
  });
});

describe('the shares of hidden A/A experiments', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((variantId) => ({ variantId, name: variantId, weight: 1 }));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three arms');

  it('are halves, and those of running experiments and hold-outs', () => {
    expect(gradedShares([], 0)).toEqual([50]);
    const small = testExperiment({ variants: [{ ...a, weight: 19 }, b, { ...c, weight: 19 }] });
    const reversed = testExperiment({ variants: [a, { ...b, weight: 9 }] });
    const never = testExperiment({ variants: [a, { ...b, weight: 99 }], state: 'stopped' });
    expect(gradedShares([small, reversed, never], 3)).toEqual([50, 10, 5, 3]);
  });

  it('come in turn', () => {
    const drawn = Array.from({ length: 300 }, (_, n) => drawShare(`seed ${n}`, [50, 10, 5]));
    for (const share of [50, 10, 5]) {
      expect(drawn.filter((each) => each === share).length).toBeGreaterThan(70);
    }
    expect(drawShare('seed', [50])).toBe(50);
  });
});

describe('the standing of a game', () => {
  const verdicts = (metric: MetricEntry, n: number, alarms: number): GradedVerdict[] =>
    Array.from({ length: n }, (_, at) => ({
      ...{ metric, seed: `${at}`, verdict: at < alarms ? 'alarm' : 'quiet', day: null },
    }));

  it('is red from one false alarm more than chance explains', () => {
    const { mostByChance, ...atBound } = standing(verdicts(CONVERSION, 140, 0));
    expect(atBound.state).toBe('good');
    expect(standing(verdicts(CONVERSION, 140, mostByChance)).state).toBe('good');
    expect(standing(verdicts(CONVERSION, 140, mostByChance + 1)).state).toBe('red');
  });

  it('is red if one metric is, though all together are not', () => {
    const all = [CONVERSION, SESSIONS, REVENUE].flatMap((metric) =>
      verdicts(metric, 140, metric === REVENUE ? 20 : 0),
    );
    const { state, rate, metrics, sentence } = standing(all);
    expect(rate).toBeLessThan(0.05);
    expect(state).toBe('red');
    expect(metrics.map((line) => line.state)).toEqual(['good', 'good', 'red']);
    expect(sentence).toContain('Revenue in USD per player: 20 of 140');
  });

  it('is red if one metric is where an arm is small, though it is right in halves', () => {
    const ofShare = (smallArmPercent: number, alarms: number) =>
      verdicts(REVENUE, 140, alarms).map((verdict) => ({ ...verdict, smallArmPercent }));
    const { rate, state, metrics, sentence } = standing([
      ...verdicts(CONVERSION, 280, 0),
      ...ofShare(10, 20),
      // A verdict of a release that knew halves only.
      ...verdicts(REVENUE, 140, 0),
    ]);
    expect(rate).toBeLessThan(0.05);
    expect(state).toBe('red');
    expect(metrics.map(({ title, state: of }) => [title, of])).toEqual([
      ['Conversion', 'good'],
      ['Revenue in USD per player', 'good'],
      ['Revenue in USD per player, 10% in one arm', 'red'],
    ]);
    expect(sentence).toContain('Revenue in USD per player, 10% in one arm: 20 of 140');
  });

  it('is red after few verdicts if nearly all are false alarms', () => {
    expect(standing(verdicts(CONVERSION, 4, 4)).state).toBe('red');
    expect(standing(verdicts(CONVERSION, 4, 1)).state).toBe('waiting');
  });
});
