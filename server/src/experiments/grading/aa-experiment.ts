import { armRanges, armSalt, chooseArm } from '../../decide/compile/arms.js';
import { bucketOf, userIdBytes } from '../../decide/compile/bucket.js';
import { type MetricEntry, metricKey } from '../../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import type { RateTable } from '../../studio/money/exchange-rates.js';
import { FEWEST } from '../report/compare-arms.js';
import { type ExperimentSums, GrowingSums, keyedMetrics } from '../report/experiment-sums.js';
import type { PlayerFigures } from '../report/figures.js';
import { type ReportInput, reportOf } from '../report/report.js';
import { HALVES } from './graded-shares.js';
import { daysOf, type GradedSpan } from './graded-spans.js';

/** What an A/A experiment said: a difference at some look, none at any, or too few players at all looks. */
export type AaVerdict = 'alarm' | 'quiet' | 'too_few';

/** `day`: the first look with an alarm. */
export type GradedVerdict = Readonly<{
  metric: MetricEntry;
  seed: string;
  /** Of the smaller arm. Left out in verdicts of earlier releases, which were about halves. */
  smallArmPercent?: number;
  verdict: AaVerdict;
  day: string | null;
}>;

export type AaOptions = Readonly<{
  metric: MetricEntry;
  seed: string;
  span: GradedSpan;
  rates: RateTable | null;
  smallArmPercent?: number;
  /** For tests: another way to draw the arms, and another judge of a look. */
  split?: (userId: string) => string;
  judge?: (look: ReportInput) => AaVerdict;
}>;

const AA_ID = 'aa';

/**
 * An experiment whose arms get the same. It is drawn, summed and reported as any other, with a look after each day. Whatever it proves is a false
 * alarm. A sample ratio mismatch is one, too: nobody can have got lost.
 */
export class AaExperiment {
  readonly #experiment: ExperimentEntry;
  readonly #smallArmPercent: number;
  readonly #days: readonly string[];
  readonly #looks: readonly GrowingSums[];
  readonly #split: (userId: string) => string;
  readonly #judge: (look: ReportInput) => AaVerdict;

  constructor(options: AaOptions) {
    const { metric, seed, span, rates, smallArmPercent = HALVES, judge = judgeByReport } = options;
    this.#experiment = experimentOf(metric, seed, smallArmPercent);
    this.#smallArmPercent = smallArmPercent;
    this.#days = daysOf(span);
    const metrics = keyedMetrics(this.#experiment.metrics);
    this.#looks = this.#days.map(() => new GrowingSums(metrics, rates));
    this.#split = options.split ?? splitBy(this.#experiment);
    this.#judge = judge;
  }

  /** `look`: the place of the day up to whose end the figures count. */
  add(look: number, userId: string, figures: PlayerFigures): void {
    this.#looks[look]?.add({ variantId: this.#split(userId), sawTwoArms: false, figures });
  }

  verdict(): GradedVerdict {
    const { seed, metrics } = this.#experiment;
    const verdicts = this.#looks.map(({ sums }, look) => this.#judge(this.#inputOf(sums, look)));
    const alarmed = verdicts.indexOf('alarm');
    const verdict = alarmed >= 0 ? 'alarm' : verdicts.includes('quiet') ? 'quiet' : 'too_few';
    return {
      ...{ metric: metrics.primary, seed, verdict, smallArmPercent: this.#smallArmPercent },
      day: this.#days[alarmed] ?? null,
    };
  }

  #inputOf(sums: ExperimentSums, look: number): ReportInput {
    const [from = '', to = ''] = [this.#days[0], this.#days[look]];
    return {
      ...{ experiment: this.#experiment, from, to, days: look + 1, sums },
      ...{ plannedEnd: undefined, armChanges: [] },
    };
  }
}

/** Another seed for each night, span and metric: so all verdicts are drawn apart from each other. Anybody can draw them again. */
export function aaSeed(night: string, { kind, from }: GradedSpan, metric: MetricEntry): string {
  return `${night}/${kind}/${from}/${metricKey(metric)}`;
}

function experimentOf(metric: MetricEntry, seed: string, smallArmPercent: number): ExperimentEntry {
  return {
    ...{ experimentId: AA_ID, name: 'A/A', hypothesis: '', when: null, coveragePercent: 100, seed },
    variants: [
      { variantId: 'a', name: 'A', weight: 100 - smallArmPercent },
      { variantId: 'b', name: 'B', weight: smallArmPercent },
    ],
    metrics: { primary: metric, secondary: [], guardrails: [] },
    ...{ plan: null, state: 'running' },
  };
}

function splitBy({ seed, variants }: ExperimentEntry): (userId: string) => string {
  const salt = armSalt({ id: AA_ID, seed });
  const ranges = armRanges(
    variants.map(({ weight }) => weight),
    1,
  );
  // A player is asked for at each look.
  const known = new Map<string, string>();
  return (userId) => {
    let variantId = known.get(userId);
    if (variantId === undefined) {
      variantId = variants[chooseArm(bucketOf(salt, userIdBytes(userId)), ranges) ?? 0]?.variantId ?? '';
      known.set(userId, variantId);
    }
    return variantId;
  };
}

function judgeByReport(look: ReportInput): AaVerdict {
  const arms = reportOf(look).metrics[0]?.arms ?? [];
  const state = arms[1]?.comparison?.state;
  // A mismatch is told for few players, too. Counting it there would count only those of the small experiments that failed.
  const isEnough = arms.every(
    ({ players, positive }) => players >= FEWEST.players && positive >= FEWEST.positive,
  );
  if (state === undefined || state === 'too_few' || !isEnough) return 'too_few';
  return state === 'not_proven' ? 'quiet' : 'alarm';
}
