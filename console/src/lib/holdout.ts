import type { Schemas } from '../api/client.js';

type Difference = Schemas['HoldoutDifference'];

/** A difference in a sentence, with what it means. */
export function describeDifference(
  { difference, interval, state }: Difference,
  format: (value: number) => string,
): string {
  const signed = (value: number) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${format(Math.abs(value))}`;
  if (interval === null) return `${signed(difference)}, too few players or payers to tell`;
  const range = `${signed(difference)} (${signed(interval.low)} to ${signed(interval.high)})`;
  switch (state) {
    case 'higher':
      return `${range}: targeting adds`;
    case 'lower':
      return `${range}: targeting takes away`;
    default:
      return `${range}: cannot be told from chance`;
  }
}
