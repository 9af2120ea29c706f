import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3Client } from '../../../../src/platform/lib/s3/s3-client.js';
import { readList } from '../../../../src/platform/lib/s3/s3-documents.js';
import { contentOf, FAKE_KEY, type FakeS3, startFakeS3 } from '../../../support/fake-s3.js';

const NO_PAUSES = [0, 0, 0];
const NEVER = [86_400_000];
/** More than the buffers of a connection hold. */
const LARGE = 32 * 1024 ** 2;

describe('the client of an S3-compatible store', () => {
  let store: FakeS3;
  beforeAll(async () => {
    store = await startFakeS3();
  });
  afterAll(() => store.close());

  const connect = (changes: Partial<typeof FAKE_KEY> = {}) =>
    createS3Client({ endpoint: store.endpoint, ...FAKE_KEY, ...changes }, Date.now, NO_PAUSES);

  it('writes, reads, lists and deletes objects, whatever their keys hold', async () => {
    const client = connect();
    const keys = ['plain', 'a folder/é & <b>', "it's (fine)!*~", 'a+b=c?d#e%25'];
    for (const key of keys) await client.put(`odd/${key}`, contentOf(`content of ${key}`));
    const { objects } = await client.list('odd/');
    expect(objects.map(({ key }) => key).sort()).toEqual(keys.map((key) => `odd/${key}`).sort());
    for (const key of keys) {
      const stored = await client.get(`odd/${key}`);
      expect(stored && (await text(stored))).toBe(`content of ${key}`);
      await client.delete(`odd/${key}`);
    }
    expect(await client.get('odd/plain')).toBeUndefined();
    expect(await client.list('odd/')).toEqual({ objects: [], prefixes: [] });
  });

  it('lists all pages, and folders as one', async () => {
    const client = connect();
    // The last key of a page is the token of the next one.
    for (let n = 0; n < 20; n++) await client.put(`many/${n % 2}/é & <b>+=%25 ${n}`, contentOf('x'));
    expect((await client.list('many/')).objects).toHaveLength(20);
    expect(await client.list('many/', { folders: true })).toEqual({
      objects: [],
      prefixes: ['many/0/', 'many/1/'],
    });
  });

  it('tries again while the store is away, and reads the content again for it', async () => {
    store.failNext(3, 503);
    await connect().put('again', contentOf('all of it'));
    expect(store.objects.get('again')?.toString()).toBe('all of it');
    store.failNext(4, 503);
    await expect(connect().put('never', contentOf('x'))).rejects.toThrow(
      'S3, writing never: status 503 SlowDown a <test>',
    );
    expect(store.objects.has('never')).toBe(false);
  });

  it('asks again for a list that breaks off', async () => {
    await connect().put('broken/1', contentOf('x'));
    store.breakNext(2);
    expect((await connect().list('broken/')).objects).toEqual([{ key: 'broken/1', size: 1 }]);
  });

  it('does not take a part of a list for all of it', () => {
    expect(() => readList('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>')).toThrow(
      'has no token for the next page',
    );
  });

  it('says at once, in words, what a store refuses for good', async () => {
    const before = store.requests.length;
    const changes: [Partial<typeof FAKE_KEY>, string][] = [
      [{ secretAccessKey: 'another' }, 'status 403 SignatureDoesNotMatch the secret is not that of the key'],
      [{ accessKeyId: 'another' }, 'status 403 InvalidAccessKeyId the store does not know the key'],
      [{ bucket: 'another' }, 'status 404 NoSuchBucket there is no such bucket'],
    ];
    for (const [change, problem] of changes) {
      const client = connect(change);
      const place = `${change.bucket ?? FAKE_KEY.bucket}/`;
      await expect(client.list('')).rejects.toThrow(`S3, listing ${place}: ${problem}`);
      await expect(client.put('x', contentOf('x'))).rejects.toThrow(`S3, writing x: ${problem}`);
      await expect(client.get('x')).rejects.toThrow(problem);
      await expect(client.delete('x')).rejects.toThrow(problem);
    }
    const late = createS3Client(
      { endpoint: store.endpoint, ...FAKE_KEY },
      () => Date.now() - 20 * 60_000,
      NO_PAUSES,
    );
    await expect(late.list('')).rejects.toThrow('the clocks here and at the store are too far apart');
    const { sha256 } = contentOf('what was meant');
    await expect(connect().put('x', { ...contentOf('what arrives'), sha256 })).rejects.toThrow(
      'status 400 XAmzContentSHA256Mismatch what has arrived does not agree with its digest',
    );
    expect(store.objects.has('x')).toBe(false);
    expect(store.requests.length - before).toBe(4 * changes.length + 2);
  });

  it('does not go on sending what the store has refused', async () => {
    const body = '<Error><Code>EntityTooLarge</Code></Error>';
    const deaf = createServer((socket) => {
      socket.on('error', () => {}).pause();
      socket.write(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    }).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const endpoint = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const content = Readable.from(
      (function* () {
        for (let sent = 0; sent < LARGE; sent += 2 ** 16) yield Buffer.alloc(2 ** 16);
      })(),
    );
    const large = { size: LARGE, sha256: '', open: () => content };
    try {
      await expect(
        createS3Client({ ...FAKE_KEY, endpoint }, Date.now, NO_PAUSES).put('x', large),
      ).rejects.toThrow('EntityTooLarge the file is larger than the store takes in one request');
      await expect.poll(() => content.destroyed).toBe(true);
    } finally {
      deaf.close();
    }
  });

  it('says that nothing listens', async () => {
    const client = createS3Client({ ...FAKE_KEY, endpoint: 'http://127.0.0.1:1' }, Date.now, NO_PAUSES);
    await expect(client.get('x')).rejects.toThrow(/^S3, reading x: .*ECONNREFUSED/);
  });

  it('ends requests, responses and pauses with a signal', async () => {
    const stopping = new AbortController();
    const hanging = await startFakeS3();
    const client = createS3Client({ ...FAKE_KEY, endpoint: hanging.endpoint }, Date.now, NEVER);
    try {
      await client.put('large', contentOf('x'.repeat(LARGE)));
      const response = await client.until(stopping.signal).get('large');
      hanging.failNext(1, 503);
      const pausing = client.until(stopping.signal).get('pausing');
      await expect.poll(() => hanging.requests).toContain('GET pausing');
      hanging.hang();
      const waiting = client.until(stopping.signal).get('waiting');
      await expect.poll(() => hanging.requests).toContain('GET waiting');
      stopping.abort();
      await expect(pausing).rejects.toThrow('aborted');
      await expect(waiting).rejects.toThrow('aborted');
      await expect(text(response as Readable)).rejects.toThrow('aborted');
      await expect(client.until(stopping.signal).list('')).rejects.toThrow('aborted');
    } finally {
      await hanging.close();
    }
  });

  it('takes an IPv6 address in brackets for an address, not for a name', async () => {
    const client = createS3Client({ ...FAKE_KEY, endpoint: 'http://[::1]:1' }, Date.now, NO_PAUSES);
    // A machine without IPv6 says something else than ECONNREFUSED.
    await expect(client.get('x')).rejects.toThrow(/^S3, reading x: (?!.*(ENOTFOUND|EAI_AGAIN))/);
  });
});
