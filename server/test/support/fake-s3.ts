import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const FAKE_KEY = {
  region: 'eu-test-1',
  accessKeyId: 'test-key',
  secretAccessKey: 'test/secret+key',
  bucket: 'backups',
};

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

/** A store of one bucket that checks the signature and the digest of each request as S3 does. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let isHanging = false;
  let breaking = 0;
  let failing = { count: 0, status: 0 };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const url = new URL(request.url ?? '/', 'http://store');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    requests.push(`${request.method} ${key}`);
    if (failing.count > 0) {
      failing = { ...failing, count: failing.count - 1 };
      return refuse(response, failing.status, 'SlowDown');
    }
    if (isHanging) return;
    if (breaking > 0) {
      breaking--;
      response
        .writeHead(200, { 'content-length': 1_000 })
        .write('<ListBucketResult>', () => response.destroy());
      return;
    }
    if (!isSigned(request, body)) return refuse(response, 403, 'SignatureDoesNotMatch');
    if (bucket !== FAKE_KEY.bucket) return refuse(response, 404, 'NoSuchBucket');
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

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>a &lt;test&gt;</Message></Error>`);
}

/** From what arrived on the wire alone: the path and the query as they were sent. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  const [, keyId, day = '', region = '', names = '', signature = ''] = parts ?? [];
  const time = String(headers['x-amz-date']);
  if (keyId !== FAKE_KEY.accessKeyId || region !== FAKE_KEY.region || !time.startsWith(day)) return false;
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.split(';').includes(name)))
    return false;
  if (headers['x-amz-content-sha256'] !== sha256(body)) return false;
  const [path, query = ''] = url.split('?');
  const signedHeaders = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = `${method}\n${path}\n${query.split('&').sort().join('&')}\n${signedHeaders.join('')}\n${names}\n${sha256(body)}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  let key: string | Buffer = `AWS4${FAKE_KEY.secretAccessKey}`;
  for (const part of [day, region, 's3', 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === key.length && timingSafeEqual(given, key as Buffer);
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
      return end === -1 ? { key } : { folder: key.slice(0, end + 1) };
    });
  const unique = [...new Map(entries.map((entry) => [entry.key ?? entry.folder, entry])).values()];
  const from = Number(query.get('continuation-token') ?? 0);
  const page = unique
    .slice(from, from + PAGE)
    .map(({ key, folder }) =>
      key === undefined
        ? `<CommonPrefixes><Prefix>${escapeXml(folder ?? '')}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${escapeXml(key)}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
  const isTruncated = from + PAGE < unique.length;
  const next = isTruncated ? `<NextContinuationToken>${from + PAGE}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><Prefix>${escapeXml(prefix)}</Prefix><IsTruncated>${isTruncated}</IsTruncated>${next}${page.join('')}</ListBucketResult>`;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
