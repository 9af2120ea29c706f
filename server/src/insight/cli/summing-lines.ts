import type { Summing } from '../analytics/breakdowns/days-behind.js';

/** Above a table whose numbers are not complete. */
export function summingLines(summing: Summing | null): string[] {
  if (summing === null) return [];
  const { daysDone, days } = summing;
  return [
    `Being summed, ${daysDone} of ${days} days: the numbers are not complete. Ask again in a few minutes.`,
    '',
  ];
}
