import { connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { paceRefused } from '../../src/http/refusal-pacing.js';
import { isBehindProxy } from '../../src/http/trust-proxy.js';

const FOREVER_MS = 2 ** 30;

type Handle = { readStop(): void; readStart(): void };

const opened: { end(): void }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) each.end();
});

describe('a connection whose requests are refused for overload', () => {
  /** Counts the requests that it has read. */
  async function serve(pacing: Parameters<typeof paceRefused>[1]) {
    const read: string[] = [];
    const app: FastifyInstance = fastify({ forceCloseConnections: true });
    app.decorateRequest('isShed', undefined);
    const { letIn } = paceRefused(app, pacing);
    app.addHook('onRequest', async (request) => {
      read.push(request.url);
      letIn(request.raw);
    });
    app.post('/refused', { onRequest: async (request, reply) => refuse(request, reply) }, async () => '');
    app.get('/good', async () => 'good');
    const count = { pauses: 0, ends: 0 };
    app.server.on('connection', ({ _handle: handle }: Socket & { _handle: Handle }) => {
      const { readStop, readStart } = handle;
      handle.readStop = () => {
        readStop.call(handle);
        count.pauses++;
      };
      handle.readStart = () => {
        readStart.call(handle);
        count.ends++;
      };
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    opened.push({ end: () => void app.close() });
    const address = app.server.address() as { port: number };
    return {
      read,
      pauses: () => count.pauses,
      ends: () => count.ends,
      open: () => openConnection(address.port),
    };
  }

  /** Refused twice, the second time soon after the first. */
  async function refuseTwice(connection: Awaited<ReturnType<typeof openConnection>>) {
    for (const statuses of [[503], [503, 503]]) {
      await connection.send(post('0123456789'));
      await expect.poll(connection.statuses).toEqual(statuses);
    }
  }

  it('is not read for a while when it came back at once, and others are', async () => {
    const { read, open } = await serve({ pauseMs: FOREVER_MS });
    const refused = await open();
    await refuseTwice(refused);
    await refused.send(get('/good?refused'));
    await expectOthersServed(open);
    expect(refused.statuses()).toEqual([503, 503]);
    expect(read).not.toContain('/good?refused');
  });

  it('is read on when it was refused for the first time, or took its time', async () => {
    const clock = { nowMs: 0 };
    const { open } = await serve({ pauseMs: 100, now: () => clock.nowMs });
    const refused = await open();
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503]);
    clock.nowMs = 100;
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503, 503]);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
  });

  it('is read on where it is the connection of a proxy, which carries requests of others', async () => {
    const { open } = await serve({ isShared: true, pauseMs: FOREVER_MS });
    const refused = await open();
    await refuseTwice(refused);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
  });

  it('is paused after its next refusal, too, if requests were let in between, until it takes its time', async () => {
    const clock = { nowMs: 0 };
    const { open, pauses, ends } = await serve({ pauseMs: 100, now: () => clock.nowMs });
    const refused = await open();
    await refuseTwice(refused);
    await expect.poll(pauses).toBe(1);
    await refused.send(get('/good'));
    clock.nowMs = 100;
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
    // Later because of the response, not because it waited after a refusal.
    clock.nowMs = 1_000;
    await refused.send(post('0123456789'));
    await expect.poll(pauses).toBe(2);
    clock.nowMs = 1_100;
    await expect.poll(ends).toBe(2);
    clock.nowMs = 1_200;
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503, 503]);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 503, 503, 200]);
    expect(pauses()).toBe(2);
  });

  it('is read again afterwards, also when the refused body came in late', async () => {
    const clock = { nowMs: 0 };
    const { open, pauses } = await serve({ pauseMs: 100, now: () => clock.nowMs });
    const refused = await open();
    await refused.send(post('0123456789'));
    await expect.poll(refused.statuses).toEqual([503]);
    const [head, body] = post('0123456789').split('\r\n\r\n') as [string, string];
    await refused.send(`${head}\r\n\r\n${body.slice(0, 3)}`);
    await expect.poll(refused.statuses).toEqual([503, 503]);
    expect(pauses()).toBe(0);
    await refused.send(body.slice(3));
    await expect.poll(pauses).toBe(1);
    await refused.send(get('/good'));
    clock.nowMs = 100;
    await expect.poll(refused.statuses).toEqual([503, 503, 200]);
    await refused.send(get('/good'));
    await expect.poll(refused.statuses).toEqual([503, 503, 200, 200]);
  });

  it('may be closed by its client meanwhile', async () => {
    const clock = { nowMs: 0 };
    const { open, pauses } = await serve({ pauseMs: 100, now: () => clock.nowMs });
    const gone = await open();
    await refuseTwice(gone);
    await expect.poll(pauses).toBe(1);
    opened.at(-1)?.end();
    clock.nowMs = 100;
    await expectOthersServed(open);
  });
});

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

/** A connection that comes later is served, again and again. */
async function expectOthersServed(open: () => ReturnType<typeof openConnection>) {
  const other = await open();
  for (let n = 1; n <= 5; n++) {
    await other.send(get('/good?other'));
    await expect.poll(other.statuses).toHaveLength(n);
  }
}

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
