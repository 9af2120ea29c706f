import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuMs } from '../../../support/cpu-time.js';
import { expectCounts, expectGeneralError, postBytes } from '../../../support/data-calls.js';
import { adImpression, createHarness, type Harness, type Session } from '../../../support/harness.js';

const MAX_BODY_BYTES = 1_048_576;
const hasZstd = 'zstdCompressSync' in zlib;

type Compress = (bytes: Buffer) => Buffer;
const ENCODINGS: [string, string, Compress][] = [
  ['gzip', 'gzip', zlib.gzipSync],
  ['GZIP', 'gzip, whatever its case', zlib.gzipSync],
  ['x-gzip', 'gzip by its old name', zlib.gzipSync],
  ['br', 'Brotli', zlib.brotliCompressSync],
  ['deflate', 'zlib', zlib.deflateSync],
  ['deflate', 'zlib, stored', (bytes) => zlib.deflateSync(bytes, { level: 0 })],
  ['deflate', 'raw deflate', zlib.deflateRawSync],
  ['deflate', 'raw deflate, stored', (bytes) => zlib.deflateRawSync(bytes, { level: 0 })],
  ['identity', 'nothing', (bytes) => bytes],
];
if (hasZstd) {
  ENCODINGS.push(['zstd', 'Zstandard', (zlib as unknown as { zstdCompressSync: Compress }).zstdCompressSync]);
}

describe('Content-Encoding of a batch', () => {
  let harness: Harness;
  let session: Session;
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('encodings');
  });
  afterAll(() => harness.close());

  const batch = (count = 3) =>
    Buffer.from(
      JSON.stringify(Array.from({ length: count }, () => adImpression(++sent, harness.clock.now()))),
    );
  const send = (body: Buffer, encoding: string) =>
    postBytes(harness.app, session, body, { 'content-encoding': encoding });

  describe.each(ENCODINGS)('%s (%s)', (encoding, name, compress) => {
    it('is unpacked', async () => {
      expectCounts(await send(compress(batch(50)), encoding), { accepted: 50, duplicates: 0 });
    });

    it('holds the limit for what it unpacks to, to the byte', async () => {
      if (name.endsWith('stored')) return; // larger packed than unpacked
      const fits = Buffer.from(batch().toString().padEnd(MAX_BODY_BYTES));
      expectCounts(await send(compress(fits), encoding), { accepted: 3, duplicates: 0 });
      const tooLarge = Buffer.concat([fits, Buffer.from(' ')]);
      expectGeneralError(await send(compress(tooLarge), encoding), 413, 'body_too_large');
    });
  });

  it('a compressed batch and the plain one are the same batch', async () => {
    const body = batch();
    expectCounts(await send(zlib.gzipSync(body), 'gzip'), { accepted: 3, duplicates: 0 });
    expectCounts(await postBytes(harness.app, session, body), { accepted: 0, duplicates: 3 });
  });

  it.each(['compress', 'gzip, gzip', 'gzip,br', 'identity, gzip', 'utf-8', '*', 'gzip;q=1', '__proto__', ''])(
    '"%s" is not supported',
    async (encoding) => {
      expectGeneralError(await send(zlib.gzipSync(batch()), encoding), 415, 'unsupported_encoding');
    },
  );

  it.each(['gzip', 'br', 'deflate', ...(hasZstd ? ['zstd'] : [])])(
    '%s that is none is refused',
    async (encoding) => {
      // The same in every run: Brotli has no checksum, so broken bytes may by chance be good ones.
      const plain = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, n) => adImpression(n, 0))));
      const packed = ENCODINGS.find(([name]) => name === encoding)?.[2](plain) ?? Buffer.alloc(0);
      const broken = Buffer.from(packed);
      broken.fill(0xa5, packed.length >> 1);
      for (const body of [Buffer.from('[]'), plain, packed.subarray(0, -20), broken, Buffer.from([0x78])]) {
        const response = await send(body, encoding);
        expectGeneralError(response, 400, 'encoding_invalid');
      }
    },
  );

  it('compressed bytes without the header are not UTF-8', async () => {
    const response = await postBytes(harness.app, session, zlib.gzipSync(batch()));
    expectGeneralError(response, 400, 'invalid_utf8');
  });

  it('an empty compressed body is no body', async () => {
    expectGeneralError(await send(zlib.gzipSync(''), 'gzip'), 400, 'body_invalid');
    expectGeneralError(await send(Buffer.alloc(0), 'gzip'), 400, 'body_invalid');
  });

  it.each([
    ['gzip', gzipBomb],
    ['deflate', deflateBomb],
    ['br', brotliBomb],
  ])('a %s bomb is refused at once, without its memory', async (encoding, makeBomb) => {
    const bomb = makeBomb();
    expect(bomb.length).toBeLessThanOrEqual(MAX_BODY_BYTES);
    const rssBefore = process.memoryUsage.rss();
    const sendEight = async () => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => send(bomb, encoding)));
      for (const response of responses) expectGeneralError(response, 413, 'body_too_large');
    };
    expect(await cpuMs(sendEight)).toBeLessThan(5_000);
    expect(process.memoryUsage.rss() - rssBefore).toBeLessThan(500_000_000);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/vnd.api+json',
    'json',
    'application/jsonx',
    '*/*',
    '',
  ])('Content-Type "%s" is refused', async (type) => {
    const response = await postBytes(harness.app, session, batch(), { 'content-type': type });
    expectGeneralError(response, 415, 'unsupported_media_type');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
  ])('Content-Type "%s" is taken', async (type) => {
    const response = await postBytes(harness.app, session, batch(), { 'content-type': type });
    expectCounts(response, { accepted: 3, duplicates: 0 });
  });
});

/** A gigabyte of spaces: 100 times the same block, which stands for itself because its history was flushed. */
function deflateBomb(): Buffer {
  const block = zlib.deflateRawSync(Buffer.alloc(10_000_000, ' '), {
    finishFlush: zlib.constants.Z_FULL_FLUSH,
  });
  return Buffer.concat(Array.from({ length: 100 }, () => block));
}

function gzipBomb(): Buffer {
  const header = zlib.gzipSync('').subarray(0, 10);
  return Buffer.concat([header, deflateBomb()]);
}

function brotliBomb(): Buffer {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 };
  return zlib.brotliCompressSync(Buffer.alloc(100_000_000, ' '), { params });
}
