import { connect, type Socket } from 'node:net';

/** HTTP as bytes on a socket, for what no well-behaved client would send. */
export type RawConnection = {
  socket: Socket;
  send(text: string | Buffer): void;
  /** Everything received so far. */
  text(): string;
  /** Resolves when the server has closed the connection, with all that was received. */
  closed: Promise<string>;
  /** Resolves once what was received matches. */
  received(pattern: RegExp): Promise<string>;
};

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const waiting: { pattern: RegExp; resolve: (text: string) => void }[] = [];
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (const { pattern, resolve } of waiting) if (pattern.test(text)) resolve(text);
  });
  // The server may close while we are still sending; what counts is its response.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    text: () => text,
    closed,
    received: (pattern) =>
      pattern.test(text)
        ? Promise.resolve(text)
        : new Promise((resolve) => {
            waiting.push({ pattern, resolve });
          }),
  };
}

/** Sends a whole request and gives the whole response; the request must make the server close. */
export async function exchange(port: number, request: string | Buffer): Promise<string> {
  const connection = await openConnection(port);
  connection.send(request);
  return connection.closed;
}

export type RequestParts = {
  method?: string;
  path?: string;
  /** In this order, repeated or not. */
  headers?: [string, string][];
  body?: string;
};

/** The text of a request that asks the server to close after its response. */
export function requestText({
  method = 'GET',
  path = '/v1/limits',
  headers = [],
  body = '',
}: RequestParts): string {
  const lines = [['Host', 'localhost'], ['Connection', 'close'], ...headers].map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
}

export function bodyOf(response: string): unknown {
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
}
