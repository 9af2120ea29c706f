/**
 * How often a property is tried. Few cases find most mistakes, the same ones in every run (same-cases.ts). PROPERTY_RUNS=20 tries twenty times
 * as many, by chance, for a night.
 */
export function runs(count: number): number {
  return count * Number(process.env.PROPERTY_RUNS ?? 1);
}
