import { mostByChance } from '@savepoint/statistics';
import { type MetricEntry, metricKey } from '../../decide/document/parts/experiment-metrics.js';
import { ALPHA } from '../report/compare-arms.js';
import { significant } from '../report/rounding.js';
import { count, metricTitle, percent } from '../report/words.js';
import type { AaVerdict, GradedVerdict } from './aa-experiment.js';
import { HALVES } from './graded-shares.js';

/** Nights that count. A defect that is mended is out of the rate after as many. */
export const NIGHTS = 28;
/** So seldom chance alone turns a line red that is at 5% in truth. */
export const RED_ONCE_IN = 1_000;
/** Below this a good rate says nothing. */
const FEWEST_VERDICTS = 20;

export type StandingState = 'good' | 'red' | 'waiting';

export type StandingLine = Readonly<{
  state: StandingState;
  /** A/A experiments with a verdict, and those among them that proved a difference. */
  judged: number;
  alarms: number;
  /** A/A experiments whose arms had too few players or payers for a verdict. They are not in the rate. */
  tooFew: number;
  rate: number | null;
  /** The bound: more false alarms than this are not chance. */
  mostByChance: number;
}>;

/** How the statistics of a game's experiments are graded. */
export type Standing = StandingLine &
  Readonly<{
    sentence: string;
    /** A line for each metric and each share that the arms had. Standings of earlier releases are of halves, and do not say it. */
    metrics: readonly (StandingLine &
      Readonly<{ metric: MetricEntry; smallArmPercent?: number; title: string }>)[];
    /** Players in the last night's A/A experiments, and whether these are a sample. */
    players: number;
    isSampled: boolean;
  }>;

export function standingOf(
  verdicts: readonly GradedVerdict[],
  { players, isSampled }: Pick<Standing, 'players' | 'isSampled'>,
): Standing {
  const metrics = groupsOf(verdicts).map(({ metric, smallArmPercent, ofGroup }) => ({
    ...{ metric, smallArmPercent, title: titleOf(metric, smallArmPercent) },
    ...lineOf(ofGroup),
  }));
  const all = lineOf(verdicts.map(({ verdict }) => verdict));
  const red = metrics.filter(({ state }) => state === 'red');
  // One broken metric among five hardly moves the rate of all, nor does one that is broken only where an arm is small.
  const state = red.length > 0 ? 'red' : all.state;
  const sentence = sentenceOf({ ...all, state }, red);
  return { ...all, state, sentence, metrics, players, isSampled };
}

/** Before the first night. */
export const NOT_GRADED: Standing = standingOf([], { players: 0, isSampled: false });

type Group = { metric: MetricEntry; smallArmPercent: number; ofGroup: AaVerdict[] };

/** In the order of the metrics, halves first. */
function groupsOf(verdicts: readonly GradedVerdict[]): Group[] {
  const byMetric = new Map<string, Map<number, Group>>();
  for (const { metric, smallArmPercent = HALVES, verdict } of verdicts) {
    const key = metricKey(metric);
    const ofMetric = byMetric.get(key) ?? new Map<number, Group>();
    const group = ofMetric.get(smallArmPercent) ?? { metric, smallArmPercent, ofGroup: [] };
    group.ofGroup.push(verdict);
    ofMetric.set(smallArmPercent, group);
    byMetric.set(key, ofMetric);
  }
  return [...byMetric.values()].flatMap((ofMetric) =>
    [...ofMetric.values()].sort((a, b) => b.smallArmPercent - a.smallArmPercent),
  );
}

function titleOf(metric: MetricEntry, smallArmPercent: number): string {
  const title = metricTitle(metric);
  return smallArmPercent === HALVES ? title : `${title}, ${smallArmPercent}% in one arm`;
}

function lineOf(verdicts: readonly AaVerdict[]): StandingLine {
  const alarms = verdicts.filter((verdict) => verdict === 'alarm').length;
  const tooFew = verdicts.filter((verdict) => verdict === 'too_few').length;
  const judged = verdicts.length - tooFew;
  const most = mostByChance(judged, ALPHA, 1 / RED_ONCE_IN);
  const state = alarms > most ? 'red' : judged < FEWEST_VERDICTS ? 'waiting' : 'good';
  return {
    state,
    judged,
    alarms,
    tooFew,
    rate: judged === 0 ? null : significant(alarms / judged),
    mostByChance: most,
  };
}

function sentenceOf(
  { state, judged, alarms, tooFew, rate, mostByChance: most }: StandingLine,
  red: readonly (StandingLine & { title: string })[],
): string {
  if (state === 'waiting') {
    const why =
      tooFew > 0
        ? ` ${count(tooFew)} more had too few players or payers in an arm.`
        : ' One night makes 25 at most.';
    return `Not graded yet: ${count(judged)} hidden A/A experiments had a verdict, and ${FEWEST_VERDICTS} are needed.${why}`;
  }
  const found = `${count(alarms)} of ${count(judged)} hidden A/A experiments of the last ${NIGHTS} nights gave a false alarm (${percent(rate ?? 0)}).`;
  const bound = `${percent(ALPHA)} are promised, and up to ${count(most)} can be chance.`;
  if (state === 'good') return `${found} ${bound}`;
  const lines = red.map(
    (line) =>
      `${line.title}: ${count(line.alarms)} of ${count(line.judged)}, up to ${count(line.mostByChance)} can be chance.`,
  );
  return [
    `${found} ${bound}`,
    ...lines,
    'Do not trust the verdicts of experiments until the cause is found.',
  ].join(' ');
}
