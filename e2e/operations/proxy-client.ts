import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { OPERATIONS_HOST, PLAYERS_HOST, type ProxyProgram } from './proxy-programs.js';

export type Reply = Readonly<{
  status: number;
  headers: IncomingMessage['headers'];
  /** As received: a header that came twice is there twice. */
  names: readonly string[];
  body: string;
}>;

type Asked = Readonly<{
  to?: 'players' | 'operators';
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** The address of this machine that the proxy sees. */
  from?: string;
}>;

/** Requests by https to the names of the samples. */
export type ProxyClient = Readonly<{
  ask(path: string, asked?: Asked): Promise<Reply>;
  /** Without waiting for the end of the body. */
  open(path: string, asked?: Asked): Promise<IncomingMessage>;
}>;

export function createProxyClient({ port }: Pick<ProxyProgram, 'port'>, ca: string): ProxyClient {
  const open = (path: string, { to = 'players', method, headers, body, from }: Asked = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const name = to === 'players' ? PLAYERS_HOST : OPERATIONS_HOST;
      const sent = request({
        host: '127.0.0.1',
        port,
        path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        servername: name,
        ca,
        agent: false,
        ...(from === undefined ? {} : { localAddress: from }),
        headers: {
          host: `${name}:${port}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      });
      sent.once('response', resolve).once('error', reject);
      sent.end(body);
    });
  return {
    open,
    async ask(path, asked) {
      const response = await open(path, asked);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        names: response.rawHeaders.filter((_, n) => n % 2 === 0).map((name) => name.toLowerCase()),
        body: await text(response),
      };
    },
  };
}
