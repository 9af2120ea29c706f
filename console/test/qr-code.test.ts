import jsqr from 'jsqr';
import { expect, it } from 'vitest';
import { qrCodeOf } from '../src/lib/qr-code.js';
import type { QrModules } from '../src/lib/qr-modules.js';

/** The picture that a camera would take: four pixels a module, with the margin of four modules that the standard wants. */
function pictureOf(modules: QrModules): { pixels: Uint8ClampedArray; width: number } {
  const width = 4 * (modules.length + 8);
  const pixels = new Uint8ClampedArray(4 * width * width).fill(255);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      if (modules[Math.floor(y / 4) - 4]?.[Math.floor(x / 4) - 4] !== true) continue;
      pixels.fill(0, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  }
  return { pixels, width };
}

/** A decoder that others wrote. Node sees the default export of this CommonJS package one level deeper than its types say. */
const { default: decodePicture } = jsqr as unknown as { default: typeof jsqr };

function decode(modules: QrModules | undefined) {
  if (modules === undefined) return undefined;
  const { pixels, width } = pictureOf(modules);
  const found = decodePicture(pixels, width, width);
  return found === null ? undefined : { text: found.data, version: found.version };
}

const URI =
  'otpauth://totp/Savepoint:ada%40studio.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Savepoint';

it('shows the address of a second factor', () => {
  expect(decode(qrCodeOf(URI))).toEqual({ text: URI, version: 6 });
});

it.each(['', 'a', 'Grüße 🎮', '0'.repeat(100), '\u0000\u0001'])('shows %j', (text) => {
  expect(decode(qrCodeOf(text))?.text).toBe(text);
});

/** How many bytes fit at level M, from the table of the standard. */
const CAPACITIES = [
  ...[14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666],
  ...[711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370],
];

/** Large ones take the decoder a second each. */
const SAMPLE = CAPACITIES.map((bytes, index) => [index + 1, bytes] as const).filter(
  ([version]) => version <= 12 || version % 9 === 0 || version === 30,
);

it.each(SAMPLE)('fills version %i with %i bytes', (version, bytes) => {
  const text = Array.from({ length: bytes }, (_, n) =>
    String.fromCharCode(33 + ((n * 7 + version) % 90)),
  ).join('');
  expect(qrCodeOf(text)).toHaveLength(17 + 4 * version);
  expect(decode(qrCodeOf(text))).toEqual({ text, version });
  const next = qrCodeOf(`${text}!`);
  expect(next?.length).toBe(version === 30 ? undefined : 21 + 4 * version);
});
