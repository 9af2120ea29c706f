import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inParallel } from '../../server/src/platform/lib/in-parallel.js';
import {
  createS3Client,
  type S3Client,
  type S3Content,
  type S3Settings,
} from '../../server/src/platform/lib/s3/s3-client.js';
import { contentOf } from '../../server/test/support/fake-s3.js';

/** Stores list a thousand at a time. */
const MANY = 1_010;
const FOLDERS = 10;
const LARGE_CHUNKS = 128;
const CHUNK_BYTES = 1024 ** 2;
/** Stores take a quarter of an hour. */
const SKEW_MS = 20 * 60_000;
const ODD_NAMES = [
  'plain',
  'a folder/é & <b>',
  "it's (fine)!*~",
  'a+b=c?d#e%25',
  '日本語/😀',
  'twice//slashed',
  ' spaces ',
  '"quoted"\\;,:@$%2F',
  `long/${'x'.repeat(900)}`,
];

type Check = Readonly<{ what: string; run(): Promise<unknown> }>;

/** Asks a store what backups and files of events need from it. Leaves nothing behind. Returns what is wrong. */
export async function checkStore(settings: S3Settings): Promise<readonly string[]> {
  const client = createS3Client(settings, Date.now);
  const checks: readonly Check[] = [
    { what: 'keys of all kinds', run: () => checkKeys(client) },
    { what: `a list of ${MANY} objects`, run: () => checkLists(client) },
    { what: `an object of ${LARGE_CHUNKS} MB`, run: () => checkLarge(client) },
    { what: 'objects that are not there', run: () => checkMissing(client) },
    { what: 'refusals', run: () => checkRefusals(settings) },
  ];
  const problems: string[] = [];
  for (const { what, run } of checks) {
    const startMs = performance.now();
    await run().catch((error: Error) => problems.push(`the store, ${what}: ${error.message}`));
    process.stdout.write(`the store, ${what}: ${Math.round(performance.now() - startMs)} ms\n`);
  }
  const { objects } = await client.list('');
  if (objects.length > 0) problems.push(`the store still has ${objects.length} objects`);
  return problems;
}

async function checkKeys(client: S3Client): Promise<void> {
  const keys = ODD_NAMES.map((name) => `odd/${name}`);
  for (const key of keys) await client.put(key, contentOf(`content of ${key}`));
  await client.put('odd/empty', contentOf(''));
  const listed = (await client.list('odd/')).objects.map(({ key }) => key);
  expectSame('the list', listed.sort(), [...keys, 'odd/empty'].sort());
  for (const key of keys) {
    expectSame(`the list of ${key}`, (await client.list(key)).objects[0]?.key, key);
    expectSame(key, await readAll(client, key), `content of ${key}`);
  }
  expectSame('an empty object', await readAll(client, 'odd/empty'), '');
  for (const key of listed) await client.delete(key);
}

async function checkLists(client: S3Client): Promise<void> {
  const keys = Array.from({ length: MANY }, (_, n) => `many/${n % FOLDERS}/${n}`);
  await inParallel(keys, undefined, (key) => client.put(key, contentOf(key)));
  const { objects } = await client.list('many/');
  expectSame('the keys', objects.map(({ key }) => key).sort(), [...keys].sort());
  expectSame(
    'the sizes',
    objects.every(({ key, size }) => size === key.length),
    true,
  );
  const { prefixes } = await client.list('many/', { folders: true });
  expectSame(
    'the folders',
    prefixes,
    Array.from({ length: FOLDERS }, (_, n) => `many/${n}/`),
  );
  await inParallel(keys, undefined, (key) => client.delete(key));
}

async function checkLarge(client: S3Client): Promise<void> {
  const content = largeContent();
  await client.put('large', content);
  expectSame('its size', (await client.list('large')).objects[0]?.size, content.size);
  const hash = createHash('sha256');
  for await (const chunk of (await client.get('large')) ?? []) hash.update(chunk);
  expectSame('its digest', hash.digest('hex'), content.sha256);
  await client.delete('large');
}

async function checkMissing(client: S3Client): Promise<void> {
  expectSame('what was read', await client.get('missing'), undefined);
  await client.delete('missing');
  expectSame('the list', await client.list('missing/'), { objects: [], prefixes: [] });
}

/** Whatever the store refuses, the reason is told, and nothing is stored. */
async function checkRefusals(settings: S3Settings): Promise<void> {
  const connect = (changes: Partial<S3Settings> = {}, now = Date.now) =>
    createS3Client({ ...settings, ...changes }, now, []);
  const expectRefusal = async (code: string, call: Promise<unknown>) => {
    const said = await call.then(
      () => 'nothing',
      (error: Error) => error.message,
    );
    if (!said.includes(code)) throw new Error(`not refused with ${code}: ${said}`);
    process.stdout.write(`  ${said}\n`);
  };
  const wrong = connect({ secretAccessKey: 'another' });
  await expectRefusal('SignatureDoesNotMatch', wrong.list(''));
  await expectRefusal('SignatureDoesNotMatch', wrong.put('refused', largeContent()));
  await expectRefusal('InvalidAccessKeyId', connect({ accessKeyId: 'another' }).get('refused'));
  await expectRefusal('NoSuchBucket', connect({ bucket: 'another' }).list(''));
  await expectRefusal('NoSuchBucket', connect({ bucket: 'another' }).put('refused', largeContent()));
  await expectRefusal('NoSuchBucket', connect({ bucket: 'another' }).get('refused'));
  await expectRefusal('RequestTimeTooSkewed', connect({}, () => Date.now() - SKEW_MS).list(''));
  await expectRefusal('RequestTimeTooSkewed', connect({}, () => Date.now() + SKEW_MS).delete('refused'));
  const { sha256 } = contentOf('another content');
  await expectRefusal('SHA256Mismatch', connect().put('refused', { ...largeContent(), sha256 }));
  await expectRefusal('EntityTooLarge', connect().put('refused', tooLargeContent()));
  expectSame('what is stored', (await connect().list('refused')).objects, []);
}

function largeContent(): S3Content {
  const chunks = Array.from({ length: LARGE_CHUNKS }, (_, n) => Buffer.alloc(CHUNK_BYTES, n));
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return {
    size: LARGE_CHUNKS * CHUNK_BYTES,
    sha256: hash.digest('hex'),
    open: () => Readable.from(chunks),
  };
}

/** One request may have 5 GB. The store refuses it by its length, before the most of it is sent. */
function tooLargeContent(): S3Content {
  const size = 5 * 1024 ** 3 + 1;
  const zeros = Buffer.alloc(CHUNK_BYTES);
  return {
    size,
    sha256: contentOf('').sha256,
    open: () =>
      Readable.from(
        (function* () {
          for (let sent = 0; sent < size; sent += CHUNK_BYTES) yield zeros.subarray(0, size - sent);
        })(),
      ),
  };
}

async function readAll(client: S3Client, key: string): Promise<string | undefined> {
  const content = await client.get(key);
  return content === undefined ? undefined : text(content);
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  const [given, wanted] = [JSON.stringify(found), JSON.stringify(expected)];
  if (given !== wanted) throw new Error(`${what} should be ${wanted}, and is ${given}`);
}
