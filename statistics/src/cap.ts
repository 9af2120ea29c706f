import type { Moments, PairMoments, TripleMoments } from './moments.js';
import { bucketStart, type ValueHistogram } from './value-histogram.js';

/**
 * Values above a cap count as the cap: they are not dropped, and the report says how many there are. The cap is one for all arms
 * together, or else an arm with more large values would have a higher cap.
 */
export type Cap = Readonly<{
  /** The first bucket that is capped. */
  bucket: number;
  value: number;
  /** How many values of all arms are above it. */
  capped: number;
}>;

/**
 * The lowest cap above which at most `1 − percentile` of the values above zero lie, but one at least: the largest of few values is
 * capped to about the second largest. Undefined where that would change nothing: no values, or several share the highest bucket.
 */
export function findCap(arms: readonly ValueHistogram[], percentile = 0.99): Cap | undefined {
  const counts = new Map<number, number>();
  let values = 0;
  for (const arm of arms) {
    for (const [bucket, { n }] of Object.entries(arm)) {
      counts.set(Number(bucket), (counts.get(Number(bucket)) ?? 0) + n);
      values += n;
    }
  }
  const most = Math.max(1, Math.floor((1 - percentile) * values));
  let capped = 0;
  for (const [bucket, inBucket] of [...counts].sort(([one], [other]) => other - one)) {
    if (capped + inBucket > most) {
      return capped === 0 ? undefined : { bucket: bucket + 1, value: bucketStart(bucket + 1), capped };
    }
    capped += inBucket;
  }
  return undefined;
}

/** The sums of an arm with the values above the cap counted as the cap. Players without a value are not in the histogram. */
export function cappedMoments<T extends Moments>(histogram: ValueHistogram<T>, cap: Cap | undefined): T[] {
  return (Object.entries(histogram) as [string, T][]).map(([bucket, moments]) =>
    cap === undefined || Number(bucket) < cap.bucket ? moments : cappedTo(moments, cap.value),
  );
}

function cappedTo<T extends Moments>(moments: T, value: number): T {
  const { n } = moments;
  const capped = { ...moments, sum: n * value, squares: n * value * value };
  return {
    ...capped,
    ...(isPair(moments) ? { products: value * moments.otherSum } : {}),
    ...(isTriple(moments) ? { thirdProducts: value * moments.thirdSum } : {}),
  };
}

function isPair(moments: Moments): moments is PairMoments {
  return 'products' in moments;
}

function isTriple(moments: Moments): moments is TripleMoments {
  return 'thirdProducts' in moments;
}
