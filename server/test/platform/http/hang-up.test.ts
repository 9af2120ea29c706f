import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hangUpOf } from '../../../src/platform/http/hang-up.js';

const app = fastify();
/** Settled by each request, so that a test knows where it is. */
let begun: () => void;
let ended: (isAborted: boolean) => void;

app.get('/before', async (_request, reply) => {
  begun();
  await once(reply.raw, 'close');
  ended(hangUpOf(reply).aborted);
});
app.get('/after', async (_request, reply) => {
  const signal = hangUpOf(reply);
  begun();
  await once(signal, 'abort');
  ended(signal.aborted);
});
app.get('/never', async (_request, reply) => {
  const signal = hangUpOf(reply);
  reply.raw.once('close', () => ended(signal.aborted));
  return {};
});

beforeAll(() => app.listen({ port: 0, host: '127.0.0.1' }));
afterAll(() => app.close());

it.each(['/before', '/after'])('notices a client that has gone %s it is asked', async (path) => {
  const arrived = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const outcome = new Promise<boolean>((resolve) => {
    ended = resolve;
  });
  const request = get({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', path });
  request.once('error', () => {});
  await arrived;
  request.destroy();
  expect(await outcome).toBe(true);
});

it('says nothing of a client that has its response', async () => {
  const outcome = new Promise<boolean>((resolve) => {
    ended = resolve;
  });
  await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/never`);
  expect(await outcome).toBe(false);
});
