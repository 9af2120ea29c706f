import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { S3Content } from '../../src/platform/lib/s3/s3-client.js';

export const FAKE_KEY = {
  region: 'eu-test-1',
  accessKeyId: 'test-key',
  secretAccessKey: 'test/secret+key',
  bucket: 'backups',
};

/** An object to put. */
export const contentOf = (content: string): S3Content => ({
  size: Buffer.byteLength(content),
  sha256: sha256(content),
  open: () => Readable.from([Buffer.from(content)]),
});

export type FakeS3 = Readonly<{
  endpoint: string;
  objects: Map<string, Buffer>;
  /** Each request, as `PUT key`. */
  requests: string[];
  /** Requests get no response from now on. */
  hang(): void;
  /** The next responses end in the middle. */
  breakNext(count: number): void;
  /** The next requests are refused with this status. */
  failNext(count: number, status: number): void;
  close(): Promise<void>;
}>;

/** Lists this many at a time, so that lists have several pages. */
const PAGE = 7;

/** These two as Amazon's and Ceph's. */
const MAX_SKEW_MS = 15 * 60_000;
const MAX_PUT_BYTES = 5 * 1024 ** 3;

/**
 * A store of one bucket that checks the signature, the time and the digest of each request as S3 does. It refuses as Ceph's gateway does, by a code
 * without a message; `npm run operations -- backup --bucket` asks both the same.
 */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let isHanging = false;
  let breaking = 0;
  let failing = { count: 0, status: 0 };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://store');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    requests.push(`${request.method} ${key}`);
    // Before the content has arrived.
    const refusal = refusalOf(request) ?? (bucket === FAKE_KEY.bucket ? undefined : NO_BUCKET);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.code);
    const body = await buffer(request);
    if (failing.count > 0) {
      failing = { ...failing, count: failing.count - 1 };
      return refuse(response, failing.status, 'SlowDown', 'a &lt;test&gt;');
    }
    if (isHanging) return;
    if (breaking > 0) {
      breaking--;
      response
        .writeHead(200, { 'content-length': 1_000 })
        .write('<ListBucketResult>', () => response.destroy());
      return;
    }
    if (request.headers['x-amz-content-sha256'] !== sha256(body))
      return refuse(response, 400, 'XAmzContentSHA256Mismatch');
    if (request.method === 'PUT') {
      objects.set(key, body);
      return void response.end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (key === '') return void response.end(listOf([...objects.keys()].sort(), objects, url.searchParams));
    const found = objects.get(key);
    if (found === undefined) return refuse(response, 404, 'NoSuchKey');
    response.end(found);
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    hang() {
      isHanging = true;
    },
    breakNext(count) {
      breaking = count;
    },
    failNext(count, status) {
      failing = { count, status };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refuse(response: ServerResponse, status: number, code: string, message = ''): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

type Refusal = Readonly<{ status: number; code: string }>;
const NO_BUCKET: Refusal = { status: 404, code: 'NoSuchBucket' };
const DENIED: Refusal = { status: 403, code: 'AccessDenied' };

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** From what arrived on the wire alone: the path and the query as they were sent. */
function refusalOf({ method, url = '', headers }: IncomingMessage): Refusal | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  const [, keyId, day = '', region = '', names = '', signature = ''] = parts ?? [];
  const time = String(headers['x-amz-date']);
  if (parts === null || region !== FAKE_KEY.region || !time.startsWith(day)) return DENIED;
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.split(';').includes(name)))
    return DENIED;
  if (keyId !== FAKE_KEY.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
  const sentAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!(Math.abs(Date.now() - sentAt) < MAX_SKEW_MS)) return { status: 403, code: 'RequestTimeTooSkewed' };
  const [path, query = ''] = url.split('?');
  const signedHeaders = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = `${method}\n${path}\n${query.split('&').sort().join('&')}\n${signedHeaders.join('')}\n${names}\n${headers['x-amz-content-sha256']}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  let key: string | Buffer = `AWS4${FAKE_KEY.secretAccessKey}`;
  for (const part of [day, region, 's3', 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest();
  const given = Buffer.from(signature, 'hex');
  const isRight = given.length === key.length && timingSafeEqual(given, key as Buffer);
  if (!isRight) return { status: 403, code: 'SignatureDoesNotMatch' };
  const isTooLarge = Number(headers['content-length']) > MAX_PUT_BYTES;
  return isTooLarge ? { status: 400, code: 'EntityTooLarge' } : undefined;
}

function listOf(
  keys: readonly string[],
  objects: ReadonlyMap<string, Buffer>,
  query: URLSearchParams,
): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const entries = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return end === -1 ? { name: key, isFolder: false } : { name: key.slice(0, end + 1), isFolder: true };
    });
  const unique = [...new Map(entries.map((entry) => [entry.name, entry])).values()];
  // Ceph's token is the name with which the last page has ended.
  const after = query.get('continuation-token');
  const rest = after === null ? unique : unique.filter(({ name }) => name > after);
  const page = rest.slice(0, PAGE);
  const listed = page.map(({ name, isFolder }) =>
    isFolder
      ? `<CommonPrefixes><Prefix>${escapeXml(name)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${escapeXml(name)}</Key><Size>${objects.get(name)?.length}</Size></Contents>`,
  );
  const isTruncated = rest.length > PAGE;
  const token = escapeXml(page.at(-1)?.name ?? '');
  const next = isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><Prefix>${escapeXml(prefix)}</Prefix><IsTruncated>${isTruncated}</IsTruncated>${next}${listed.join('')}</ListBucketResult>`;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
