/**
 * How often a property is tried. Few cases find most mistakes, the same ones in every run (same-cases.ts). PROPERTY_RUNS=20 tries twenty times
 * as many, by chance, for a night.
 */
export function runs(count: number): number {
  return count * Number(process.env.PROPERTY_RUNS ?? 1);
}

/** Of properties and of the fault tests: the same cases in every run, or others by chance. */
export const SEED = process.env.PROPERTY_RUNS === undefined ? 20_261_118 : Date.now() % 1_000_000;
