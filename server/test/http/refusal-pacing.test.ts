import { connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { paceRefused } from '../../src/http/refusal-pacing.js';
import { isBehindProxy } from '../../src/http/trust-proxy.js';

const FOREVER_MS = 2 ** 30;

describe('a connection whose requests are refused for overload', () => {
  const opened: { end(): void }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) each.end();
  });

  /** Counts the requests that it has read. */
  async function serve(pacing: Parameters<typeof paceRefused>[1]) {
    const read: string[] = [];
    const app: FastifyInstance = fastify({ forceCloseConnections: true });
    app.decorateRequest('isShed', undefined);
    paceRefused(app, pacing);
    app.addHook('onRequest', async (request) => void read.push(request.url));
    app.post('/refused', { onRequest: async (request, reply) => refuse(request, reply) }, async () => '');
    app.get('/good', async () => 'good');
    await app.listen({ port: 0, host: '127.0.0.1' });
    opened.push({ end: () => void app.close() });
    const address = app.server.address() as { port: number };
    return { read, open: () => openConnection(address.port) };
  }

  async function openConnection(port: number) {
    const socket = connect(port, '127.0.0.1');
    opened.push({ end: () => socket.destroy() });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const statuses = () => (text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => Number(line.slice(-3)));
    return { send: (request: string) => write(socket, request), statuses };
  }

  /** Refused twice, the second time soon after the first. */
  async function refuseTwice(connection: Awaited<ReturnType<typeof openConnection>>) {
    for (const statuses of [[503], [503, 503]]) {
      await connection.send(post('0123456789'));
      await expect.poll(connection.statuses).toEqual(statuses);
    }
  }

  it('is not read for a while when it came back soon, and others are', async () => {
    const { read, open } = await serve({ pauseMs: FOREVER_MS, soonMs: FOREVER_MS });
    const refused = await open();
    await refuseTwice(refused);
    await refused.send(get('/good?refused'));
    // A connection that comes later is served meanwhile, again and again.
    const other = await open();
    for (let n = 1; n <= 5; n++) {
      await other.send(get(`/good?other`));
      await expect.poll(other.statuses).toHaveLength(n);
    }
    expect(refused.statuses()).toEqual([503, 503]);
    expect(read).not.toContain('/good?refused');
  });

  it('is read on when it was refused for the first time, or took its time', async () => {
    const { open } = await serve({ pauseMs: FOREVER_MS, soonMs: 0 });
    const refused = await open();
    await refuseTwice(refused);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
  });

  it('is read on where it is the connection of a proxy, which carries requests of others', async () => {
    const { open } = await serve({ isShared: true, pauseMs: FOREVER_MS, soonMs: FOREVER_MS });
    const refused = await open();
    await refuseTwice(refused);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
  });

  it('is not read after its next refusal either, if a good request came in between, until that is forgotten', async () => {
    let nowMs = 0;
    const { open } = await serve({ pauseMs: 1, soonMs: 100, rememberMs: 1_000, now: () => nowMs });
    const refused = await open();
    await refuseTwice(refused);
    nowMs = 900;
    await refused.send(get('/good') + post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503]);
    await refused.send(get('/good'));
    const other = await open();
    for (let n = 1; n <= 5; n++) {
      await other.send(get('/good'));
      await expect.poll(other.statuses).toHaveLength(n);
    }
    expect(refused.statuses()).toHaveLength(4);
    // The pause is over.
    nowMs = 1_100;
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503, 200]);
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503, 200, 503]);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503, 200, 503, 200]);
  });

  it('is read again afterwards, also when the refused body came in late', async () => {
    const { open } = await serve({ pauseMs: 1, soonMs: FOREVER_MS });
    const refused = await open();
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503]);
    const [head, body] = post('0123456789').split('\r\n\r\n') as [string, string];
    await refused.send(`${head}\r\n\r\n${body.slice(0, 3)}`);
    await expect.poll(refused.statuses).toEqual([503, 503]);
    await refused.send(body.slice(3));
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 200]);
  });

  it('may be closed by its client meanwhile', async () => {
    const { open } = await serve({ pauseMs: 1, soonMs: FOREVER_MS });
    const gone = await open();
    await refuseTwice(gone);
    opened.at(-1)?.end();
    const other = await open();
    await other.send(get('/good'));
    await expect.poll(other.statuses).toEqual([200]);
  });
});

it.each([
  [false, false],
  [0, false],
  [1, true],
  [true, true],
  ['10.0.0.0/8', true],
])(
  'SAVEPOINT_TRUST_PROXY, read as %s, tells whether connections are those of a proxy',
  (setting, expected) => {
    expect(isBehindProxy(setting)).toBe(expected);
  },
);

async function refuse(
  request: { isShed: boolean | undefined },
  reply: { code(status: number): { send(text: string): unknown } },
) {
  request.isShed = true;
  return reply.code(503).send('later');
}

function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(text, () => resolve()));
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}

function post(body: string): string {
  return `POST /refused HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
