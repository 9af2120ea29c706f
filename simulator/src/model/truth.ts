import type { Change } from './reaction.js';

/** A metric of an experiment, as far as the truth needs it. */
export type TrueMetric = Readonly<{
  kind: string;
  of?: string;
  sum?: Readonly<{ of: string }>;
  per?: Readonly<{ of: string }>;
}>;

/**
 * By how much of itself a metric differs between two arms if there are players without limit; 0.2 is 20% more. Undefined where it
 * depends on how long the players are looked at: who comes back more often also buys more often.
 */
export function trueChange(metric: TrueMetric, arm: Change, control: Change): number | undefined {
  const [of, against] = [factorOf(metric, arm), factorOf(metric, control)];
  return of === undefined || against === undefined || against === 0 ? undefined : of / against - 1;
}

function factorOf({ kind, of, sum, per }: TrueMetric, change: Change): number | undefined {
  if (kind === 'share') return of === 'retained' ? change.retention : measureFactor(of, change);
  const above = measureFactor(sum?.of, change);
  if (kind === 'sum' || above === undefined) return above;
  const below = measureFactor(per?.of, change);
  return below === undefined || below === 0 ? undefined : above / below;
}

function measureFactor(of: string | undefined, { conversion, spend, retention }: Change): number | undefined {
  if (retention !== 1) return undefined;
  switch (of) {
    case 'converted':
    case 'payers':
    case 'purchases':
      return conversion;
    case 'revenue':
      return conversion * spend;
    case 'sessions':
    case 'minutes':
    case 'adImpressions':
      return 1;
    default:
      return undefined;
  }
}
