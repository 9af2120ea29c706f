import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  createServiceModel,
  type ModelResponse,
  type SentEvent,
  type ServiceModel,
} from './service-model.js';

type Respond = {
  kind: 'respond';
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
};

/** What happens to a request that does not get the usual response. */
export type Act =
  /** This response, and the service does nothing. */
  | Respond
  /** The connection is cut before the service has processed the request. */
  | { kind: 'cut before' }
  /** The service processes the request, then the connection is cut: the response is lost. */
  | { kind: 'cut after' }
  /** The network delivers the request twice; the client gets the second response. */
  | { kind: 'twice' }
  /** The response is sent when this settles: the usual one, or another one in its place. */
  | { kind: 'hold'; until: Promise<unknown>; instead?: Respond };

/** A request that arrived. */
export type Arrived = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  bytes: number;
  /** By a clock that only goes forward. */
  arrivedAtMs: number;
  /** When its response was sent; undefined where none was. */
  respondedAtMs?: number;
};

export type ScriptedServer = ServiceModel & {
  url: string;
  signUrl: string;
  /** All requests in the order of their arrival, those of the signing endpoint apart. */
  requests: Arrived[];
  /** While false, every connection is cut as soon as it has sent something. */
  isReachable: boolean;
  /** What happens to the next requests to a path. Later requests get the usual response. */
  script(path: string, ...acts: Act[]): void;
  /** The requests to a path. */
  to(path: string): Arrived[];
  /** The batches of events that arrived, whether they were taken or not. */
  batches(): SentEvent[][];
  /** Is called whenever a request has arrived, was taken or got its response. */
  onChange: () => void;
  close(): Promise<void>;
};

/** Web games have to be allowed to read responses of another origin. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, Authorization',
  'access-control-allow-methods': '*',
  'access-control-expose-headers': 'Date, ETag, Retry-After, X-Request-Id',
  'access-control-max-age': '600',
};

/** A service on 127.0.0.1 that does what an exchange says, and remembers what it was asked. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const scripts = new Map<string, Act[]>();
  const sockets = new Set<Socket>();
  const requests: Arrived[] = [];
  const http = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error));
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAtMs = performance.now();
    // Not when the client connects: some programs reconnect for ever while they have not sent anything.
    if (!server.isReachable) return void request.socket.destroy();
    // Connections are never reused: HTTP libraries repeat a request when a reused connection is cut.
    response.setHeader('connection', 'close');
    if (request.method === 'OPTIONS') {
      response.writeHead(204, CORS).end();
      return;
    }
    const text = await read(request);
    const path = request.url?.split('?')[0] ?? '';
    const method = request.method ?? '';
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    if (path === '/sign') {
      send(response, { status: 200, headers: {}, body: server.sign(body as { deviceId: string }) });
      return;
    }
    const headers = request.headers as Record<string, string>;
    const arrived: Arrived = { method, path, headers, body, bytes: Buffer.byteLength(text), arrivedAtMs };
    requests.push(arrived);
    server.onChange();
    const reply = await perform(scripts.get(path)?.shift(), arrived);
    if (reply === undefined) request.socket.destroy();
    else {
      // Before the response is sent: a client must never seem to have waited less than it has.
      arrived.respondedAtMs = performance.now();
      send(response, reply);
    }
    server.onChange();
  };

  /** What is sent back; undefined where the connection is cut. */
  const perform = async (act: Act | undefined, request: Arrived): Promise<ModelResponse | undefined> => {
    if (act?.kind === 'respond') return responseOf(act);
    if (act?.kind === 'cut before') return undefined;
    const reply = server.respond(request);
    server.onChange();
    if (act?.kind === 'cut after') return undefined;
    if (act?.kind === 'hold') await act.until;
    if (act?.kind === 'hold' && act.instead !== undefined) return responseOf(act.instead);
    return act?.kind === 'twice' ? server.respond(request) : reply;
  };

  const send = (response: ServerResponse, { status, headers, body }: ModelResponse) => {
    const date = new Date(server.nowMs()).toUTCString();
    const type = typeof body === 'string' ? 'text/html' : 'application/json';
    response.writeHead(status, { ...CORS, date, 'content-type': type, ...headers });
    response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  };

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  // The exchanges change members of the model, so it must stay the same object.
  const server: ScriptedServer = Object.assign(createServiceModel(), {
    url,
    signUrl: `${url}/sign`,
    requests,
    isReachable: true,
    onChange: () => {},
    script: (path: string, ...acts: Act[]) => void scripts.set(path, [...(scripts.get(path) ?? []), ...acts]),
    to: (path: string) => requests.filter((request) => request.path === path),
    batches: () => server.to('/v1/events').map(({ body }) => body as SentEvent[]),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
  });
  return server;
}

function responseOf({ status, headers = {}, body, text }: Respond): ModelResponse {
  return { status, headers, body: text ?? body };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
