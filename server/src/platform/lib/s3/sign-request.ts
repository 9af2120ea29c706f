import { createHash, createHmac } from 'node:crypto';

export type S3Credentials = Readonly<{ region: string; accessKeyId: string; secretAccessKey: string }>;

export type S3Request = Readonly<{
  method: string;
  host: string;
  /** Without a query, not yet encoded: `/bucket/key`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Further headers to sign, by names in lower case. */
  headers?: Readonly<Record<string, string>>;
  payloadSha256: string;
}>;

/** What is sent: the path with its query, encoded, and all headers. */
export type SignedRequest = Readonly<{ path: string; headers: Readonly<Record<string, string>> }>;

export const EMPTY_SHA256 = createHash('sha256').update('').digest('hex');
const ALGORITHM = 'AWS4-HMAC-SHA256';

/** By Signature Version 4, which S3 and the stores that are compatible with it check. */
export function signRequest(request: S3Request, credentials: S3Credentials, at: Date): SignedRequest {
  const { method, host, payloadSha256 } = request;
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    ...request.headers,
    host,
    'x-amz-content-sha256': payloadSha256,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const path = encodePath(request.path);
  const query = encodeQuery(request.query ?? {});
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    payloadSha256,
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${credentials.region}/s3/aws4_request`;
  const text = [ALGORITHM, time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signature = createHmac('sha256', signingKey(credentials, time)).update(text).digest('hex');
  const authorization = `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`;
  return { path: query === '' ? path : `${path}?${query}`, headers: { ...headers, authorization } };
}

function signingKey({ secretAccessKey, region }: S3Credentials, time: string): Buffer {
  return [time.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
}

const encodePath = (path: string): string => path.split('/').map(encode).join('/');

const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');

/** All but letters, digits and -._~ as %XX, as S3 wants it. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
