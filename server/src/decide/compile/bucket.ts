import { murmurHash3 } from '../../platform/lib/murmur-hash-3.js';

/**
 * Shares of players. A player's bucket in an experiment is a number in [0, 1) made from the experiment's name and the
 * player's userId alone: the same on every node and after every restart, and unrelated to the bucket in any other
 * experiment. It is the MurmurHash3 (x86, 32 bits, seed 0) of `<experiment>:<userId>` in UTF-8, divided by 2^32.
 *
 * This must never change: a change would move every player of every running offer. docs/personalisation.md publishes the
 * rule with values to test against, so that any client can reproduce it (ADR 0012).
 */

/** The bytes with which every input of an experiment begins. */
export type Salt = Uint8Array;

const TWO_POW_32 = 2 ** 32;
const utf8 = new TextEncoder();

/** Buffers for the inputs. Salts and user ids are encoded once for many buckets, so a bucket needs no allocation. */
let input = new Uint8Array(256);

export function experimentSalt(experiment: string): Salt {
  return utf8.encode(`${experiment}:`);
}

export function offerSalt(offerId: string): Salt {
  return experimentSalt(`offer:${offerId}`);
}

/** Of the players who are held out of one offer: unrelated to its share. */
export function offerHoldoutSalt(offerId: string): Salt {
  return experimentSalt(`offer-holdout:${offerId}`);
}

/** Cannot clash with an offer: their names begin with `offer:`. */
export const HOLDOUT_SALT = experimentSalt('holdout');

export function userIdBytes(userId: string): Uint8Array {
  return utf8.encode(userId);
}

/** The bucket of a player in an experiment. */
export function bucketOf(salt: Salt, userId: Uint8Array): number {
  const length = salt.length + userId.length;
  if (length > input.length) input = new Uint8Array(2 * length);
  input.set(salt);
  input.set(userId, salt.length);
  return murmurHash3(input, 0, length) / TWO_POW_32;
}

export function isInShare(bucket: number, sharePercent: number): boolean {
  return bucket * 100 < sharePercent;
}
