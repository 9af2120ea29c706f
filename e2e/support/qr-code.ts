import jsqr from 'jsqr';
import type { Locator } from 'playwright-core';

const PIXELS = 4;

/** Reads a QR code of a page, from the modules that it draws, by a decoder that others wrote. */
export async function readQrCode(picture: Locator): Promise<string | undefined> {
  const { size, path } = await picture.evaluate((svg) => ({
    size: (svg as SVGSVGElement).viewBox.baseVal.width,
    path: svg.querySelector('path')?.getAttribute('d') ?? '',
  }));
  const width = PIXELS * size;
  const pixels = new Uint8ClampedArray(4 * width * width).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < PIXELS; row++) {
      const from = 4 * ((PIXELS * Number(y) + row) * width + PIXELS * Number(x));
      for (let at = from; at < from + 4 * PIXELS; at += 4) pixels.fill(0, at, at + 3);
    }
  }
  return jsqr.default(pixels, width, width)?.data;
}
