import type { Interval } from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { type ComparisonState, FEWEST } from './compare-arms.js';
import type { Gate } from './gates.js';
import { type GuardrailResult, guardrailSentence } from './guardrails.js';
import type { MetricReport, ReportArm } from './report-types.js';
import {
  count,
  days,
  metricTitle,
  percent,
  points,
  proofOf,
  rangeSentence,
  titleInSentence,
} from './words.js';

/** What an experiment says so far, in sentences that are true. */

const LONGEST_WAIT_DAYS = 365;

type ToldComparison = Readonly<{
  metric: MetricEntry;
  state: ComparisonState;
  interval: Interval | null;
  relativeInterval: Interval | null;
  daysUntilProven: number | null;
  guardrail: GuardrailResult | null;
}>;

/** `B earns between 1% less and 9% more per player. Not proven. At today's pace it could be in 12 days.` */
export function armSentence(arm: string, told: ToldComparison): string {
  const { metric, state, interval, relativeInterval, guardrail } = told;
  if (interval === null) return `${arm}: too few players for a verdict on ${titleInSentence(metric)}.`;
  if (guardrail !== null) return guardrailSentence(metricTitle(metric), arm, guardrail);
  const range = rangeSentence(metric, arm, { interval, relativeInterval });
  const pace = state === 'not_proven' ? ` ${paceSentence(told.daysUntilProven)}` : '';
  return `${range} ${proofOf(state)}${pace}`;
}

function waitOf(daysUntilProven: number): string {
  return daysUntilProven > LONGEST_WAIT_DAYS ? 'more than a year' : `${days(daysUntilProven)} more`;
}

function paceSentence(daysUntilProven: number | null): string {
  if (daysUntilProven === null) return 'At today’s pace no day can be named.';
  if (daysUntilProven > LONGEST_WAIT_DAYS) return 'At today’s pace it would take more than a year.';
  return `At today’s pace it could be in ${days(daysUntilProven)}.`;
}

/** The same sentences about an experiment that has ended: no more players come. */
export function withoutPace(text: string): string {
  return text.replaceAll(/ At today’s pace [^.]*\./g, '');
}

type Told = Readonly<{
  gates: readonly Gate[];
  metrics: readonly MetricReport[];
  arms: readonly ReportArm[];
  playersPerDay: number;
}>;

/** One paragraph: the gate that stops the result, or what each arm shows by the primary metric, and guardrails that are breached. */
export function verdictOf({ gates, metrics }: Told): string {
  const stopping = gates.find(({ isStopping }) => isStopping);
  if (stopping !== undefined) return stopping.sentence;
  const [primary] = metrics;
  const tooFew = tooFewGates(primary);
  if (tooFew.length > 0) return tooFew.map(({ sentence }) => sentence).join(' ');
  return [...comparisonsOf(primary), ...metrics.slice(1).flatMap(comparisonsOf).filter(isBreached)]
    .map(({ sentence }) => sentence)
    .join(' ');
}

function comparisonsOf(metric: MetricReport | undefined) {
  return (metric?.arms ?? []).flatMap(({ comparison }) => (comparison === null ? [] : [comparison]));
}

function isBreached({ guardrail }: { guardrail: GuardrailResult | null }): boolean {
  return guardrail?.state === 'breached';
}

/** Of the primary metric. */
export function tooFewGates(primary: MetricReport | undefined): Gate[] {
  const missing = (primary?.arms ?? []).flatMap(({ variantId, players, positive }) => {
    const parts = [
      ...(players < FEWEST.players ? [`${players} of ${FEWEST.players} players`] : []),
      ...(positive < FEWEST.positive ? [`${positive} of ${FEWEST.positive} with ${nounOf(primary)}`] : []),
    ];
    return parts.length === 0 ? [] : [`${variantId} has ${parts.join(' and ')}`];
  });
  if (missing.length === 0) return [];
  const sentence = `Too few players for a verdict: ${missing.join('; ')}.`;
  return [{ gate: 'too_few', isStopping: true, sentence }];
}

function nounOf(primary: MetricReport | undefined): string {
  const metric = primary?.metric;
  if (metric?.kind === 'share' && metric.of === 'retained') return `an event on day ${metric.day}`;
  if (metric?.kind === 'share' && metric.of === 'event') return `the event ${metric.eventType}`;
  const isMoney = metric?.kind === 'share' || metric?.sum.of === 'revenue';
  return isMoney ? 'a purchase' : 'a value';
}

/** What would have to happen for the verdict to be another one. */
export function wouldChange({ gates, metrics, arms, playersPerDay }: Told): string[] {
  if (gates.some(({ isStopping }) => isStopping)) {
    return ['The cause is found and removed, and the experiment begins anew with another seed.'];
  }
  const [primary] = metrics;
  if (tooFewGates(primary).length > 0) {
    const pace = playersPerDay > 0 ? ` ${count(Math.round(playersPerDay))} come each day.` : '';
    return [
      `More players, until each arm has ${FEWEST.players} and ${FEWEST.positive} of them count.${pace}`,
    ];
  }
  return (primary?.arms ?? []).flatMap(({ comparison, variantId }) => {
    const arm = arms.find((one) => one.variantId === variantId)?.name ?? variantId;
    if (comparison === null || comparison.interval === null) return [];
    return [changeOf(arm, primary?.metric, comparison)];
  });
}

function changeOf(
  arm: string,
  metric: MetricEntry | undefined,
  told: Pick<ToldComparison, 'interval' | 'relativeInterval' | 'daysUntilProven'> & { state: string },
): string {
  const isShare = metric?.kind === 'share';
  const write = isShare ? points : percent;
  const shown = isShare ? told.interval : told.relativeInterval;
  const half = shown === null ? undefined : (shown.high - shown.low) / 2;
  if (told.state === 'not_proven') {
    const now =
      half === undefined ? '' : ` A difference of ${write(half)} would be proven with today’s players.`;
    const wait =
      told.daysUntilProven === null
        ? 'a larger difference than today’s'
        : `today’s difference for ${waitOf(told.daysUntilProven)}`;
    return `${arm}: ${wait}.${now}`;
  }
  const nearest = shown === null ? undefined : Math.min(Math.abs(shown.low), Math.abs(shown.high));
  const least = nearest === undefined ? '' : ` The difference is at least ${write(nearest)}.`;
  return `${arm}: the players to come, if they differ from those so far.${least} A sample ratio that goes wrong, or a guardrail that is breached, would also be a reason to look again.`;
}
