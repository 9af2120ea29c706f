export type Interval = Readonly<{ low: number; high: number }>;

export function around(value: number, halfWidth: number): Interval {
  return { low: value - halfWidth, high: value + halfWidth };
}
