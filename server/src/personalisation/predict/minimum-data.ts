/** The least that a model is fitted with. Below, its parameters would be mostly chance. */
export const MIN_PLAYERS = 2_000;
export const MIN_OUTCOMES = 1_000;
export const MIN_PAYERS = 500;
export const MIN_REPEATING_PAYERS = 100;

/** "412 of 2,000 players", or nothing if there are enough. */
export function shortfall(given: number, needed: number, what: string): string | undefined {
  if (given >= needed) return undefined;
  return `${Math.floor(given).toLocaleString('en-US')} of ${needed.toLocaleString('en-US')} ${what}`;
}
