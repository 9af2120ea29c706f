import { capacityOf, drawCode, type QrModules } from './qr-modules.js';

/**
 * QR codes (ISO/IEC 18004): a text as a square of dark and light modules, in byte mode with error correction level M, which survives
 * 15% damage. The steps, in the order of the standard:
 *
 *   text → bytes with header and padding → blocks with error correction → interleaved → modules in zigzag → the best of eight masks
 */
/** Of level M, by version. The standard has 40; no address of a second factor needs more than 30. */
const CORRECTION_PER_BLOCK = [
  ...[10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26],
  ...Array<number>(9).fill(28),
];
const BLOCKS = [
  ...[1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16],
  ...[17, 17, 18, 20, 21, 23, 25, 26, 28, 29],
];

/** Undefined if the text is too long: more than 1,370 bytes. */
export function qrCodeOf(text: string): QrModules | undefined {
  const bytes = new TextEncoder().encode(text);
  const version =
    BLOCKS.findIndex((_, index) => headerBits(index + 1) + 8 * bytes.length <= 8 * dataBytes(index + 1)) + 1;
  if (version === 0) return undefined;
  return drawCode(withCorrection(dataOf(bytes, version), version), version);
}

/** The mode, and the number of bytes. */
const headerBits = (version: number) => 4 + (version < 10 ? 8 : 16);
const correctionOf = (version: number) => CORRECTION_PER_BLOCK[version - 1] ?? 0;
const blocksOf = (version: number) => BLOCKS[version - 1] ?? 1;
/** Of all codewords, those that are not for error correction. */
const dataBytes = (version: number) => capacityOf(version) - correctionOf(version) * blocksOf(version);

function dataOf(bytes: Uint8Array, version: number): number[] {
  const length = bytes.length.toString(2).padStart(headerBits(version) - 4, '0');
  const body = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const capacity = dataBytes(version);
  // 0100 is byte mode; up to four zeros end the text.
  const bits = `0100${length}${body}${'0'.repeat(Math.min(4, 8 * capacity - headerBits(version) - body.length))}`;
  const whole = bits.padEnd(8 * Math.ceil(bits.length / 8), '0');
  const data = (whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad);
  return data;
}

/** Short blocks come first. The codewords of all blocks take turns, so that one stain does not ruin one block. */
function withCorrection(data: readonly number[], version: number): number[] {
  const count = blocksOf(version);
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const blocks = Array.from({ length: count }, (_, block) => {
    const start = block * short + Math.max(0, block - longFrom);
    return data.slice(start, start + short + (block < longFrom ? 0 : 1));
  });
  const corrections = blocks.map((block) => remainder(block, generator(correctionOf(version))));
  return [blocks, corrections].flatMap((rows) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, column) =>
      rows.flatMap((row) => row[column] ?? []),
    ).flat(),
  );
}

/** In the field of 256 elements of which the standard makes use: by x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** The product of (x - 2^i) for i below the degree: its coefficients without the first, which is 1. */
function generator(degree: number): number[] {
  let coefficients = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    coefficients = coefficients.map((each, at) => multiply(each, root) ^ (coefficients[at + 1] ?? 0));
    root = multiply(root, 2);
  }
  return coefficients;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let left = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (left[0] ?? 0);
    left = divisor.map((each, at) => (left[at + 1] ?? 0) ^ multiply(each, factor));
  }
  return left;
}
