import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { type SendOutcome, sendExport } from '../../../src/trust/player-exports/send-export.js';

it('ends an export whose reader takes nothing any more', async () => {
  let isFreed = false;
  async function* endless() {
    try {
      for (;;) yield 'x'.repeat(1024 * 1024);
    } finally {
      isFreed = true;
    }
  }
  const app = fastify();
  const outcome = new Promise<SendOutcome>((resolve) => {
    app.get('/', async (_, reply) => {
      const of = { userId: 'u', stopping: new AbortController().signal };
      resolve(await sendExport(reply, endless(), of, { stallMs: 20, totalMs: 3_600_000 }));
      return reply;
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', agent: false }, () => {});
  request.on('error', () => {});
  expect(await outcome).toBe('left');
  expect(isFreed).toBe(true);
  request.destroy();
  await app.close();
});
