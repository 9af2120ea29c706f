export type SimulatedArm = {
  players: number;
  payers: number;
  histogram: Record<number, { n: number; sum: number; squares: number }>;
};
type Looks = {
  random: () => number;
  looks: number;
  bucketOf: (value: number) => number;
  onLook: (arms: SimulatedArm[], look: number) => void;
};
export function randomOf(seed: number): () => number;
export function normalOf(random: () => number): number;
export function amountOf(random: () => number): number;
export function simulateArrivals(
  options: Looks & { arms: { perLook: number; conversion: number; spend: number }[] },
): SimulatedArm[];
export function simulateGrowth(
  options: Looks & { arms: { players: number; payers: number }[]; daily: number },
): void;
export function emptyArm(): SimulatedArm;
export function addValue(
  arm: SimulatedArm,
  value: number,
  bucketOf: (value: number) => number,
  sign?: number,
): void;
