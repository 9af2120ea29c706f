import { uuid7 } from './uuid7.js';

/**
 * Every player belongs to one of 64 buckets, for ever: see docs/adr/0032-ids-and-buckets.md. They have nothing to do with the buckets
 * of offers, which are fractions (docs/adr/0012-bucketing.md).
 */
export const PLAYER_BUCKETS = 64;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Every byte as two hex digits. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function bucketOfUser(userId: string): number {
  return bucketOf(fnv1a(userId));
}

/** The bucket of the player that is created when the device first logs in. */
export function bucketOfDevice(gameId: number, deviceId: string): number {
  // One character per byte of UTF-8, so that any implementation of the hash gives the same.
  return bucketOf(fnv1a(Buffer.from(`${gameId}:${deviceId}`).toString('latin1')));
}

/**
 * A version 7 UUID in a bucket. The last byte is the first one that fits, because drawing whole UUIDs until one fits would take 64
 * of them and 77 µs; this takes 1 µs. Two ids of one millisecond still differ by 66 random bits.
 */
export function uuid7InBucket(nowMs: number, bucket: number): string {
  for (;;) {
    const start = uuid7(nowMs).slice(0, -2);
    const startHash = fnv1a(start);
    const end = BYTES.find((byte) => bucketOf(fnv1a(byte, startHash)) === bucket);
    // One start in a thousand has no end that fits.
    if (end !== undefined) return start + end;
  }
}

function bucketOf(hash: number): number {
  return (hash >>> 0) % PLAYER_BUCKETS;
}

/** FNV-1a, 32 bits. `hash` is that of the text before. */
function fnv1a(text: string, hash = FNV_OFFSET): number {
  let result = hash;
  for (let at = 0; at < text.length; at++) result = Math.imul(result ^ text.charCodeAt(at), FNV_PRIME);
  return result;
}
