/**
 * How often a property is tried. Few cases find most mistakes, and chance finds others in the next run of the suite.
 * PROPERTY_RUNS=20 tries twenty times as many, for a night.
 */
export function runs(count: number): number {
  return count * Number(process.env.PROPERTY_RUNS ?? 1);
}
