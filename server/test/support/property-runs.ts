/**
 * How often a property is tried. A third of its cases finds most mistakes, the same ones in every run (same-cases.ts). PROPERTY_RUNS=20 tries
 * twenty times as many as its test names, by chance, for a night.
 */
export function runs(count: number): number {
  return Math.ceil(count * Number(process.env.PROPERTY_RUNS ?? 1 / 3));
}

/** Of properties and of the fault tests: the same cases in every run, or others by chance. */
export const SEED = process.env.PROPERTY_RUNS === undefined ? 20_261_118 : Date.now() % 1_000_000;
