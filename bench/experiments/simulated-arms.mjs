/**
 * Players of two arms whose truth is known, as the sums that the engine gets at each look. Everything follows from a seed. Nothing here
 * imports the engine: the bench runs it with the build, a unit test with the sources.
 */

/** Numbers in [0, 1), the same in every run (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function normalOf(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** What a purchase costs: log-normal, as in most games. The mean is exp(1.5 + 1.2² / 2), about 9.2. */
export function amountOf(random) {
  return Math.exp(1.5 + 1.2 * normalOf(random));
}

/** Players who arrive between looks and bring a value that stays. An arm: `{ perLook, conversion, spend }`, spend a factor of the amounts. */
export function simulateArrivals({ random, looks, arms, bucketOf, onLook }) {
  const sums = arms.map(emptyArm);
  for (let look = 1; look <= looks; look += 1) {
    arms.forEach(({ perLook, conversion, spend }, at) => {
      for (let player = 0; player < perLook; player += 1) {
        sums[at].players += 1;
        if (random() < conversion) addValue(sums[at], spend * amountOf(random), bucketOf);
      }
    });
    onLook(sums, look);
  }
  return sums;
}

/**
 * Players who are all there from the first day on, and go on buying: what a player has spent grows from look to look, while their
 * number stays. An arm: `{ players, payers }`; a payer buys with the probability `daily` on each day.
 */
export function simulateGrowth({ random, looks, arms, daily, bucketOf, onLook }) {
  const spent = arms.map(({ payers }) => new Float64Array(payers));
  for (let look = 1; look <= looks; look += 1) {
    const sums = spent.map((totals, at) => {
      const sum = { ...emptyArm(), players: arms[at].players };
      for (let payer = 0; payer < totals.length; payer += 1) {
        if (random() < daily) totals[payer] += amountOf(random);
        if (totals[payer] > 0) addValue(sum, totals[payer], bucketOf);
      }
      return sum;
    });
    onLook(sums, look);
  }
}

export function emptyArm() {
  return { players: 0, payers: 0, histogram: {} };
}

export function addValue(arm, value, bucketOf, sign = 1) {
  arm.payers += sign;
  const bucket = bucketOf(value);
  arm.histogram[bucket] ??= { n: 0, sum: 0, squares: 0 };
  const moments = arm.histogram[bucket];
  moments.n += sign;
  moments.sum += sign * value;
  moments.squares += sign * value * value;
}
