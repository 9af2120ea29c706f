import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readList, readProblem, type S3List, type S3Problem } from './s3-documents.js';
import { EMPTY_SHA256, type S3Credentials, type S3Request, signRequest } from './sign-request.js';

export type S3Settings = S3Credentials & Readonly<{ endpoint: string; bucket: string }>;

/** What to send, and how often: a repeated request reads it again. */
export type S3Content = Readonly<{ size: number; sha256: string; open(): Readable }>;

/** The few calls that a copy of files needs. Each is repeated while the store does not respond; then it throws `S3Error`. */
export type S3Client = Readonly<{
  put(key: string, content: S3Content): Promise<void>;
  /** Undefined if there is no such object. */
  get(key: string): Promise<Readable | undefined>;
  /** All objects whose keys begin with this text. With `folders`, those behind the next slash are one of `prefixes`. */
  list(prefix: string, options?: { folders?: boolean }): Promise<S3List>;
  delete(key: string): Promise<void>;
  /** The same client, whose requests, responses and pauses end with the signal. */
  until(signal: AbortSignal): S3Client;
}>;

export class S3Error extends Error {
  constructor(
    what: string,
    readonly status: number | undefined,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`S3, ${what}: ${problem}`, options);
  }
}

/** Without a byte in either direction. */
const IDLE_MS = 60_000;
const PAUSES_MS = [500, 2_000, 5_000];

type Call = Pick<S3Request, 'method' | 'query'> & Readonly<{ key: string; content?: S3Content }>;
type Response = Readable & { statusCode?: number | undefined };

/** `now`: stores refuse requests of another time, give or take some minutes. */
export function createS3Client(
  settings: S3Settings,
  now: () => number,
  pausesMs: readonly number[] = PAUSES_MS,
  signal?: AbortSignal,
): S3Client {
  const { protocol, hostname, port, host, pathname } = new URL(settings.endpoint);
  // A URL has an IPv6 address in brackets, and a socket wants it without them.
  const address = hostname.replaceAll(/^\[|\]$/g, '');
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  const base = `${pathname.replace(/\/+$/, '')}/${settings.bucket}`;

  const send = ({ method, key, query, content }: Call): Promise<Response> => {
    const payloadSha256 = content?.sha256 ?? EMPTY_SHA256;
    // The name of the bucket is in the path: every compatible store understands that, and it needs no DNS of its own.
    const path = key === '' ? base : `${base}/${key}`;
    const given = { method, host, path, payloadSha256, ...(query === undefined ? {} : { query }) };
    const signed = signRequest(given, settings, new Date(now()));
    const headers = { ...signed.headers, 'content-length': content?.size ?? 0 };
    return new Promise((resolve, reject) => {
      const message = request({
        hostname: address,
        port,
        method,
        path: signed.path,
        headers,
        timeout: IDLE_MS,
      });
      message.once('timeout', () => message.destroy(new Error('no response')));
      message.once('response', (response) => {
        // Refused before all of the content was sent. The rest would still be sent, or wait in vain for a store that reads no more.
        response.once('end', () => {
          if (!message.writableFinished) message.destroy();
        });
        resolve(signal === undefined ? response : addAbortSignal(signal, response));
      });
      message.on('error', reject);
      if (signal !== undefined) addAbortSignal(signal, message);
      if (content === undefined) message.end();
      // The error of the request says why.
      else pipeline(content.open(), message).catch((error) => message.destroy(error as Error));
    });
  };

  /** `read` is a part of what is repeated: a connection may break in the middle of a response. */
  const call = async <Result>(
    what: string,
    options: Call,
    read: (response: Response) => Result | Promise<Result>,
  ): Promise<Result | undefined> => {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await attemptCall(what, () => send(options), read);
      if (!(outcome instanceof S3Error)) return outcome;
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !isTemporary(outcome)) throw outcome;
      await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
    }
  };

  return {
    async put(key, content) {
      const response = await call(`writing ${key}`, { method: 'PUT', key, content }, drain);
      if (response === undefined) throw new S3Error(`writing ${key}`, 404, 'there is no such bucket');
    },
    get: (key) => call(`reading ${key}`, { method: 'GET', key }, (response) => response),
    async list(prefix, { folders = false } = {}) {
      const what = `listing ${settings.bucket}/${prefix}`;
      const found: { objects: S3List['objects'][number][]; prefixes: string[] } = {
        objects: [],
        prefixes: [],
      };
      for (let token: string | undefined; ; ) {
        const query = {
          'list-type': '2',
          prefix,
          ...(folders ? { delimiter: '/' } : {}),
          ...(token === undefined ? {} : { 'continuation-token': token }),
        };
        const page = await call(what, { method: 'GET', key: '', query }, async (response) =>
          readList(await text(response)),
        );
        if (page === undefined) throw new S3Error(what, 404, 'there is no such bucket');
        found.objects.push(...page.objects);
        found.prefixes.push(...page.prefixes);
        token = page.next;
        if (token === undefined) return found;
      }
    },
    async delete(key) {
      await call(`deleting ${key}`, { method: 'DELETE', key }, drain);
    },
    until: (ending) => createS3Client(settings, now, pausesMs, ending),
  };
}

/** For stores that send a code and no message, as Ceph's gateway does. */
const MEANINGS: Readonly<Record<string, string>> = {
  AccessDenied: 'the key may not do this',
  EntityTooLarge: 'the file is larger than the store takes in one request',
  InvalidAccessKeyId: 'the store does not know the key',
  NoSuchBucket: 'there is no such bucket',
  QuotaExceeded: 'the bucket or its owner may hold no more',
  RequestTimeTooSkewed: 'the clocks here and at the store are too far apart',
  SignatureDoesNotMatch: 'the secret is not that of the key',
  XAmzContentSHA256Mismatch: 'what has arrived does not agree with its digest',
};

const describe = ({ code, message }: S3Problem): string => `${code} ${message || (MEANINGS[code] ?? '')}`;

const drain = (response: Response): Response => response.resume();

async function attemptCall<Result>(
  what: string,
  send: () => Promise<Response>,
  read: (response: Response) => Result | Promise<Result>,
): Promise<Result | undefined | S3Error> {
  try {
    const response = await send();
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return await read(response);
    const problem = readProblem(await text(response));
    if (statusCode === 404 && problem.code !== 'NoSuchBucket') return undefined;
    return new S3Error(what, statusCode, `status ${statusCode} ${describe(problem)}`.trim());
  } catch (error) {
    return new S3Error(what, undefined, (error as Error).message, { cause: error });
  }
}

/** A store that is away, or asks for fewer requests. */
export function isTemporary({ status }: S3Error): boolean {
  return status === undefined || status >= 500 || status === 429;
}
