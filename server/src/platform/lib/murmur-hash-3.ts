/**
 * MurmurHash3, the x86 variant with 32 bits, by Austin Appleby (public domain): the hash that most feature flag systems
 * bucket with, and that has an implementation in every language. It is not cryptographic.
 */

const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

/**
 * The hash, 0 to 2^32 - 1, of the first `length` bytes. Blocks are little-endian whatever the machine is.
 */
export function murmurHash3(bytes: Uint8Array, seed = 0, length = bytes.length): number {
  const tailAt = length & ~3;
  let hash = seed;
  for (let at = 0; at < tailAt; at += 4) {
    // The zero keeps it an integer of 32 bits: as a double it takes nearly twice as long.
    hash = (Math.imul(rotateLeft(hash ^ scramble(blockAt(bytes, at)), 13), 5) + 0xe6546b64) | 0;
  }
  if (tailAt < length) {
    let tail = 0;
    for (let at = length - 1; at >= tailAt; at--) tail = (tail << 8) | byteAt(bytes, at);
    hash ^= scramble(tail);
  }
  return finalise(hash ^ length);
}

function blockAt(bytes: Uint8Array, at: number): number {
  return (
    byteAt(bytes, at) |
    (byteAt(bytes, at + 1) << 8) |
    (byteAt(bytes, at + 2) << 16) |
    (byteAt(bytes, at + 3) << 24)
  );
}

/** The caller stays within the array: a check for every byte would cost a tenth of the time. */
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

function scramble(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, C1), 15), C2);
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Every bit of the input changes every bit of the output with probability one half. */
function finalise(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
