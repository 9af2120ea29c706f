import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHealthApp } from '../../src/app/health-app.js';
import type { ApiDocument } from '../../src/app/reference/api-document.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { createHarness, type Harness } from '../support/harness.js';
import { bodyOf, exchange, requestText, statusOf } from '../support/raw-http.js';

let harness: Harness;
let admin: AdminClient;
let port: number;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, undefined, ['ops.example.com', 'Dotted.Example.']);
  await admin.app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = admin.app.server.address() as AddressInfo);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ROUTES = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/reference/',
  '/reference/reference.js',
  '/console/',
  '/openapi/player.json',
  '/admin/v1/me',
  '/nothing',
];
const get = (url: string, host: string) => admin.app.inject({ url, headers: { host } });

describe('the host name against DNS rebinding', () => {
  it.each([
    'localhost',
    'localhost:8081',
    'LOCALHOST.',
    'console.localhost:8081',
    '127.0.0.1',
    '127.0.0.1:8081',
    '10.1.2.3:8081',
    '[::1]',
    '[::1]:8081',
    '[fd00::17]:8081',
    'ops.example.com',
    'OPS.example.com.:8081',
    'dotted.example',
  ])('%s is served', async (host) => {
    for (const url of ROUTES) expect((await get(url, host)).statusCode, url).not.toBe(421);
    expect((await get('/healthz', host)).statusCode).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:8081',
    'ops.example.com.evil.example',
    'notlocalhost',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io:8081',
    '0x7f000001',
    '::1',
    '[evil.example]',
    '[::1].evil.example',
    'ops.example.com@evil.example',
  ])('%s is refused, wherever it asks', async (host) => {
    for (const url of ROUTES) {
      const response = await get(url, host);
      expect(response.statusCode, url).toBe(421);
      expect(response.json()).toMatchObject({
        error: { code: 'host_not_allowed', message: expect.stringContaining('SAVEPOINT_OPS_ALLOWED_HOSTS') },
      });
    }
  });

  it('is refused before a token is looked at', async () => {
    const headers = { host: 'evil.example', authorization: `Bearer ${admin.tokens.owner}` };
    expect((await admin.app.inject({ url: '/admin/v1/me', headers })).statusCode).toBe(421);
  });

  it('may be left out by HTTP/1.0, and is refused when it is repeated', async () => {
    expect(statusOf(await exchange(port, 'GET /healthz HTTP/1.0\r\n\r\n'))).toBe(200);
    const repeated = requestText({ path: '/healthz', headers: [['Host', 'evil.example']] });
    const response = await exchange(port, repeated);
    expect(statusOf(response)).toBe(400);
    expect(bodyOf(response)).toMatchObject({ error: { code: 'header_invalid' } });
  });

  it('is checked by a consumer, too', async () => {
    const app = buildHealthApp({
      logger: pino({ level: 'silent' }),
      readiness: async () => ({ ready: true, checks: {} }),
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      allowedHosts: [],
      trustProxy: false,
    });
    const statusFor = async (host: string) =>
      (await app.inject({ url: '/metrics', headers: { host } })).statusCode;
    expect(await statusFor('10.0.0.7:8081')).toBe(200);
    expect(await statusFor('evil.example')).toBe(421);
    await app.close();
  });
});

describe('what a browser may do with a response', () => {
  it('is next to nothing', async () => {
    for (const url of ROUTES) {
      const { headers } = await get(url, 'localhost');
      expect(headers['x-content-type-options'], url).toBe('nosniff');
      expect(headers['referrer-policy'], url).toBe('no-referrer');
      expect(headers['content-security-policy'], url).toMatch(/default-src 'none'/);
      expect(headers['content-security-policy'], url).toMatch(/frame-ancestors 'none'/);
      if (url !== '/reference/' && url !== '/console/') {
        expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      }
    }
  });

  it('runs no inline script on the reference page, and lets it ask nobody', async () => {
    const { body, headers } = await get('/reference/', 'localhost');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|connect-src/);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]+ on\w+=/);
  });
});

describe('the API reference', () => {
  it('shows each operation and schema of the player API, with a login for the host under which it was opened', async () => {
    const { body } = await get('/reference/', 'localhost:8081');
    const document = (await get('/openapi/player.json', 'localhost:8081')).json();
    expectWhole(body, document);
    for (const part of ['timestamp_out_of_window', 'serverTime', 'Each event counts once']) {
      expect(body).toContain(part);
    }
    expect(body).toContain('curl -s http://localhost:8080/auth/login -H');
    expect(body).toContain('&quot;expiresIn&quot;: 3600');
    expect(body).toContain('&lt;sentence&gt;');
  });

  it('shows the admin API, with requests to the address under which it was opened', async () => {
    const { body } = await get('/reference/?api=admin', 'localhost:8081');
    expectWhole(body, (await get('/openapi/admin.json', 'localhost:8081')).json());
    expect(body).toContain('curl -s &quot;http://localhost:8081/admin/v1/me&quot;');
    expect(body).toContain('price_raise_unconfirmed');
  });

  function expectWhole(html: string, document: ApiDocument): void {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const names = Object.keys(document.components?.schemas ?? {}).map((name) => `schema-${name}`);
    for (const id of [...ids, ...names]) expect(html, id).toContain(`<article id="${id}">`);
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    for (const target of targets) expect(html, target).toContain(`id="${target}"`);
    // Markdown became elements, and a type of the documents is no tag.
    expect(html).not.toMatch(/<(?:sentence|code|token)>"/);
  }
});

describe('the documents of the reference', () => {
  it('name the addresses under which they were asked for', async () => {
    expect((await get('/openapi/player.json', 'localhost:8081')).json().servers).toEqual([
      { url: 'http://localhost:8080' },
    ]);
    expect((await get('/openapi/player.json', '[::1]:8081')).json().servers).toEqual([
      { url: 'http://[::1]:8080' },
    ]);
    expect((await get('/openapi/admin.json', 'localhost:8081')).json().servers).toEqual([{ url: '/' }]);
  });

  it.each([
    ['/', '/console/'],
    ['/console', '/console/'],
    ['/reference', '/reference/'],
  ])('%s leads to %s', async (url, target) => {
    const response = await get(url, 'localhost');
    expect(response.statusCode).toBe(302);
    expect(new URL(String(response.headers.location), `http://localhost${url}`).pathname).toBe(target);
  });
});
