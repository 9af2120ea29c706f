import { type Moments, NO_MOMENTS, plus } from './moments.js';

/**
 * Values above zero, in buckets by their size, each with its moments. One player may spend as much as all others together. Capping at a
 * percentile needs to know how many values lie above it, which sums over all values do not say and these do, while they can still be
 * added up. A bucket is 2^(1/16), or 4.4%, wide: that is how far a cap may lie above the percentile.
 */
export type ValueHistogram<T extends Moments = Moments> = Readonly<Record<number, T>>;

const BUCKETS_PER_DOUBLING = 16;

/** The bucket of a value above zero. */
export function bucketOfValue(value: number): number {
  return Math.floor(Math.log2(value) * BUCKETS_PER_DOUBLING);
}

/** The smallest value of a bucket. */
export function bucketStart(bucket: number): number {
  return 2 ** (bucket / BUCKETS_PER_DOUBLING);
}

/** Both histograms together. */
export function mergeHistograms<T extends Moments>(
  one: ValueHistogram<T>,
  other: ValueHistogram<T>,
): ValueHistogram<T> {
  const merged: Record<number, T> = { ...one };
  for (const [key, moments] of Object.entries(other) as [string, T][]) {
    const bucket = Number(key);
    const before = merged[bucket];
    merged[bucket] = before === undefined ? moments : plus(before, moments);
  }
  return merged;
}

/** The sums of all values as they are. */
export function histogramMoments(histogram: ValueHistogram): Moments {
  return Object.values(histogram).reduce((sum, moments) => plus(sum, moments), NO_MOMENTS);
}
