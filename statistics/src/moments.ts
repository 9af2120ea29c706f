/**
 * What the engine knows about the players of an arm: how many there are, the sum of their values and the sum of the squares. Such sums
 * are kept per arm and day and added up. They hold no player, so they stay as they are when a player is erased.
 */
export type Moments = Readonly<{ n: number; sum: number; squares: number }>;

/** Of two values of each player: the first as above, the other one, and the sum of their products. */
export type PairMoments = Moments & Readonly<{ otherSum: number; otherSquares: number; products: number }>;

/** Of three values of each player: those of a pair, a third one, and the sums of its products with the first and with the other. */
export type TripleMoments = PairMoments &
  Readonly<{ thirdSum: number; thirdSquares: number; thirdProducts: number; crossProducts: number }>;

export const NO_MOMENTS: Moments = { n: 0, sum: 0, squares: 0 };
export const NO_PAIRS: PairMoments = { ...NO_MOMENTS, otherSum: 0, otherSquares: 0, products: 0 };
export const NO_TRIPLES: TripleMoments = {
  ...NO_PAIRS,
  ...{ thirdSum: 0, thirdSquares: 0, thirdProducts: 0, crossProducts: 0 },
};

export function momentsOf(values: Iterable<number>): Moments {
  let total = NO_MOMENTS;
  for (const value of values) total = plus(total, { n: 1, sum: value, squares: value * value });
  return total;
}

export function pairMomentsOf(pairs: Iterable<readonly [value: number, other: number]>): PairMoments {
  let total = NO_PAIRS;
  for (const [value, other] of pairs) total = plus(total, pairOf(value, other));
  return total;
}

export function tripleMomentsOf(
  triples: Iterable<readonly [value: number, other: number, third: number]>,
): TripleMoments {
  let total = NO_TRIPLES;
  for (const [value, other, third] of triples) {
    total = plus(total, {
      ...pairOf(value, other),
      ...{ thirdSum: third, thirdSquares: third * third },
      ...{ thirdProducts: value * third, crossProducts: other * third },
    });
  }
  return total;
}

function pairOf(value: number, other: number): PairMoments {
  return {
    ...{ n: 1, sum: value, squares: value * value },
    ...{ otherSum: other, otherSquares: other * other, products: value * other },
  };
}

/** The sums of both groups of players together, as far as the first one has them. */
export function plus<T extends Moments>(one: T, other: T): T {
  const added: Record<string, number> = {};
  for (const key of Object.keys(one)) added[key] = numberAt(one, key) + numberAt(other, key);
  return added as T;
}

function numberAt(sums: Moments, key: string): number {
  return (sums as Readonly<Record<string, number>>)[key] ?? 0;
}

export function meanOf({ n, sum }: Moments): number {
  return sum / n;
}

/** The sample variance. Where all values are the same, rounding may leave less than nothing: estimates take that for zero. */
export function varianceOf({ n, sum, squares }: Moments): number {
  return (squares - (sum * sum) / n) / (n - 1);
}

/** The sample covariance of both values. */
export function covarianceOf({ n, sum, otherSum, products }: PairMoments): number {
  return (products - (sum * otherSum) / n) / (n - 1);
}

/** The other value alone. */
export function otherMoments({ n, otherSum, otherSquares }: PairMoments): Moments {
  return { n, sum: otherSum, squares: otherSquares };
}

/** Pairs of players who all have the same third value. */
export function withThird(pairs: PairMoments, third: number): TripleMoments {
  const { n, sum, otherSum } = pairs;
  return {
    ...pairs,
    ...{ thirdSum: n * third, thirdSquares: n * third * third },
    ...{ thirdProducts: third * sum, crossProducts: third * otherSum },
  };
}

/** The first value and the third one. */
export function thirdPairs({
  n,
  sum,
  squares,
  thirdSum,
  thirdSquares,
  thirdProducts,
}: TripleMoments): PairMoments {
  return { n, sum, squares, otherSum: thirdSum, otherSquares: thirdSquares, products: thirdProducts };
}

/** The other value and the third one. */
export function crossPairs(triples: TripleMoments): PairMoments {
  const { n, otherSum, otherSquares, thirdSum, thirdSquares, crossProducts } = triples;
  return {
    ...{ n, sum: otherSum, squares: otherSquares },
    ...{ otherSum: thirdSum, otherSquares: thirdSquares, products: crossProducts },
  };
}
