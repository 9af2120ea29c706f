/** The tests use these, too. */
export type Random = () => number;
export function createRandom(seed: number): Random;
export function randomSchema(random: Random): Record<string, unknown> | boolean;
export function randomEvent(
  random: Random,
  limits: { bytes: number; levels: number },
): Record<string, unknown>;
