import { SavepointError } from './errors.js';

export type Reply = {
  status: number;
  headers: Headers;
  /** The body, out of its `data` wrapper if it had one; undefined where there is none or it is not JSON. */
  body: unknown;
  /** Whether there was no body at all. */
  isEmpty: boolean;
};

export type Exchange = (path: string, init: RequestInit) => Promise<Reply>;

/** What a request may take. A phone that changes networks leaves connections that never end. */
const TIMEOUT_MS = 30_000;

/** Sends one request. Throws `network_failed` where there is no response. A response of any status is returned as a {@link Reply}. */
export function createExchange(
  baseUrl: string,
  fetching: typeof fetch,
  onDate: (serverMs: number) => void,
): Exchange {
  return async (path, init) => {
    try {
      const { response, text } = await fetchText(fetching, baseUrl + path, init);
      const serverMs = Date.parse(response.headers.get('date') ?? '');
      if (serverMs) onDate(serverMs);
      return {
        status: response.status,
        headers: response.headers,
        body: unwrap(parse(text)),
        isEmpty: text === '',
      };
    } catch (cause) {
      throw new SavepointError('network_failed', 'The service did not respond.', { cause });
    }
  };
}

/** Fetches a response with its body, unless the signal of `init` ends it. */
export async function fetchText(
  fetching: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  const abort = new AbortController();
  const end = () => abort.abort();
  const timer = setTimeout(end, TIMEOUT_MS);
  init.signal?.addEventListener('abort', end);
  try {
    const response = await fetching(url, { ...init, signal: abort.signal });
    return { response, text: await response.text() };
  } finally {
    clearTimeout(timer);
  }
}

export function postJson(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Success comes in two forms: as it is, or as `data` beside `status`. */
function unwrap(body: unknown): unknown {
  return isObject(body) && body.status === 'success' && 'data' in body ? body.data : body;
}

/** The members of an error body, which comes in two forms: `error` is the sentence, or holds code and sentence. */
export function errorDetails({ body }: Reply): Record<string, unknown> | undefined {
  if (!isObject(body)) return undefined;
  if (typeof body.error === 'string') return { ...body, message: body.error };
  return isObject(body.error) ? body.error : undefined;
}

/** A response that is no success, as an error. */
export function toError(reply: Reply): SavepointError {
  const { status, headers } = reply;
  const details = errorDetails(reply);
  const unnamed = details === undefined ? 'response_invalid' : `http_${status}`;
  return new SavepointError(
    typeof details?.code === 'string' ? details.code : unnamed,
    String(details?.message ?? `The response (${status}) is not one of the service.`),
    {
      status,
      retryAfterSeconds: retryAfter(headers),
      requestId: headers.get('x-request-id') ?? undefined,
    },
  );
}

/** RFC 9110: seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return wait >= 0 ? wait : undefined;
}
