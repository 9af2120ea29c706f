/**
 * Shares of players. A player's place in an experiment is a number in [0, 1) made from the experiment's name and the
 * player's id alone: the same on every node and after every restart, and unrelated to the place in any other experiment.
 *
 * These functions must never change: a change would move every player of every running offer. The tests pin their values.
 */

/** 64 bits as two unsigned halves; a pair of numbers is many times faster than a BigInt. */
export type Hash64 = Readonly<{ high: number; low: number }>;

const TWO_POW_21 = 2 ** 21;
const TWO_POW_53 = 2 ** 53;

/** Two multiplicative hashes of the text with different primes, rotated so that all bits take part, mixed at the end. */
export function hashText(text: string): Hash64 {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = rotate(Math.imul(high ^ unit, 0x9e3779b1), 13);
    low = rotate(Math.imul(low ^ unit, 0x5f356495), 17);
  }
  return mix(high, low);
}

/** The place of a player in an experiment. */
export function bucketOf(experiment: Hash64, player: Hash64): number {
  const { high, low } = mix(experiment.high ^ player.high, experiment.low ^ player.low);
  return (high * TWO_POW_21 + (low >>> 11)) / TWO_POW_53;
}

export function isInShare(bucket: number, sharePercent: number): boolean {
  return bucket * 100 < sharePercent;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Every bit of the input changes every bit of the output with probability one half: see the tests. */
function mix(high: number, low: number): Hash64 {
  let a = high;
  let b = low;
  for (let round = 0; round < 3; round++) {
    a = Math.imul(a ^ (a >>> 16) ^ b, 0x85ebca6b);
    b = Math.imul(b ^ (b >>> 13) ^ a, 0xc2b2ae35);
  }
  a ^= b >>> 16;
  b ^= a >>> 15;
  return { high: a >>> 0, low: b >>> 0 };
}
