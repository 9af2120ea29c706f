import { OPERATIONS, type Operations } from './admin-api.gen.js';

export type { Schemas } from './admin-api.gen.js';

/** Calls the admin API. The console has no other way to the data, and no rights that another client lacks. */

export type OperationId = keyof Operations;
type ResponseOf<Id extends OperationId> = Operations[Id]['response'];
/** What an operation returns, without its envelope. */
export type DataOf<Id extends OperationId> =
  ResponseOf<Id> extends { data: infer Data } ? Data : ResponseOf<Id>;
export type RequestOf<Id extends OperationId> = {
  params?: Operations[Id]['params'];
  query?: Operations[Id]['query'];
  body?: Operations[Id]['body'];
};

/** A refusal of the admin API, with the message of the service. */
export class ApiProblem extends Error {
  readonly status: number;
  /** Permanent: switch on it. `unreachable` where there was no response at all. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Goes with every request that changes something; the service gives it to the signed-in person. */
let csrfToken: string | null = null;

export function rememberCsrfToken(token: string | null): void {
  csrfToken = token;
}

type SendOptions = {
  studio?: string | undefined;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** The request is sent even if the page is left meanwhile. */
  isKeptAlive?: boolean;
};

export async function call<Id extends OperationId>(
  id: Id,
  request: RequestOf<Id> = {},
  options: SendOptions = {},
): Promise<DataOf<Id>> {
  const response = await send(id, request, options);
  const body = (await response.json()) as { data?: unknown };
  return (body.data === undefined ? body : body.data) as DataOf<Id>;
}

/** For responses that are read as they arrive. */
export async function send<Id extends OperationId>(
  id: Id,
  { params, query, body }: RequestOf<Id>,
  { studio, signal, headers, isKeptAlive = false }: SendOptions,
): Promise<Response> {
  const { method } = OPERATIONS[id];
  const isText = typeof body === 'string';
  const response = await fetch(addressOf(id, params, query), {
    method,
    keepalive: isKeptAlive,
    ...(signal === undefined ? {} : { signal }),
    headers: {
      ...headers,
      ...(studio === undefined ? {} : { 'x-tenant-id': studio }),
      ...(method === 'GET' || csrfToken === null ? {} : { 'x-csrf-token': csrfToken }),
      ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(
      0,
      'unreachable',
      'The service cannot be reached. Check the connection, then try again.',
    );
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The address of an operation, also for links to files. */
function addressOf<Id extends OperationId>(
  id: Id,
  params: Operations[Id]['params'] | undefined,
  query?: Operations[Id]['query'],
): string {
  const values = (params ?? {}) as Record<string, unknown>;
  const path = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== '') asked.set(name, String(value));
  }
  const text = asked.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A 401 has a short form, every other error the general one; the response of a proxy may have neither. */
async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: string | ({ code?: string; message?: string } & Record<string, unknown>);
    code?: string;
  };
  if (typeof body.error === 'string') {
    return new ApiProblem(response.status, body.code ?? 'unknown', body.error);
  }
  const { code, message, ...details } = body.error ?? {};
  return new ApiProblem(
    response.status,
    code ?? 'unknown',
    message ?? `The service responded with status ${response.status} and no explanation.`,
    details,
  );
}
