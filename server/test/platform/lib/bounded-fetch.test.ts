import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedFetch } from '../../../src/platform/lib/bounded-fetch.js';

const BOUNDS = { method: 'GET', timeoutMs: 60_000, maxBytes: 1_000 } as const;

describe('a call to another service', () => {
  let server: Server;
  let url: string;
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/elsewhere') response.writeHead(302, { location: '/secret' }).end();
      else if (request.url === '/large') response.end('x'.repeat(1_001));
      else if (request.url === '/silent') response.write('{');
      else response.writeHead(404).end('gone');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('returns status and text', async () => {
    expect(await boundedFetch(`${url}/missing`, BOUNDS)).toEqual({ status: 404, text: 'gone' });
  });

  it('follows no redirect', async () => {
    expect((await boundedFetch(`${url}/elsewhere`, BOUNDS)).status).toBe(302);
    expect(asked).not.toContain('/secret');
  });

  it('ends for a response that is too long, and for one that never ends', async () => {
    await expect(boundedFetch(`${url}/large`, BOUNDS)).rejects.toThrow('longer than 1000 bytes');
    await expect(boundedFetch(`${url}/silent`, { ...BOUNDS, timeoutMs: 50 })).rejects.toThrow();
  });
});
