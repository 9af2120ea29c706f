import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleRoutes } from '../../src/app/console-routes.js';
import { registerErrorHandlers } from '../../src/platform/http/error-handler.js';

const PAGE =
  '<html><meta property="csp-nonce" nonce="{{nonce}}"><script src="/console/assets/main-1a2b.js"></script></html>';

let root: string;
let app: FastifyInstance;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'savepoint-console-'));
  const dist = join(root, 'dist');
  await mkdir(join(dist, 'assets'), { recursive: true });
  await writeFile(join(dist, 'index.html'), PAGE);
  await writeFile(join(dist, 'scheme.js'), 'scheme();');
  await writeFile(join(dist, '.built-from'), 'hash');
  await writeFile(join(dist, 'assets/main-1a2b.js'), 'main();');
  await writeFile(join(dist, 'assets/main-1a2b.js.gz'), gzipSync('main();'));
  await writeFile(join(dist, 'assets/main-1a2b.css'), 'p{}');
  await writeFile(join(root, 'secret.js'), 'secret();');
  app = build(dist);
});
afterAll(async () => {
  await app.close();
  await rm(root, { recursive: true, force: true });
});

function build(folder: string): FastifyInstance {
  const built = fastify();
  registerErrorHandlers(built);
  consoleRoutes(built, pathToFileURL(`${folder}/`));
  return built;
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the page of the console', () => {
  it.each(['/console/', '/console/sign-in?token=x', '/console/demo-studio/demo-game/players/0199c1a2'])(
    'is the response to %s, with a nonce of its own',
    async (url) => {
      const responses = [await get(url), await get(url)];
      const nonces = responses.map(({ statusCode, headers, body }) => {
        const policy = String(headers['content-security-policy']);
        const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
        expect(statusCode).toBe(200);
        expect(headers['content-type']).toBe('text/html; charset=utf-8');
        expect(headers['cache-control']).toBe('no-store');
        expect(body).toBe(PAGE.replace('{{nonce}}', nonce));
        return nonce;
      });
      expect(new Set(nonces).size).toBe(2);
    },
  );

  it('runs no inline script, and sends no request to another origin', async () => {
    const policy = String((await get('/console/')).headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('says what to do while it is not built', async () => {
    const unbuilt = build(join(root, 'nothing-here'));
    const { statusCode, body, headers } = await unbuilt.inject({ url: '/console/' });
    expect(statusCode).toBe(503);
    expect(body).toContain('npm ci &amp;&amp; npm run build');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    await unbuilt.close();
  });
});

describe('the files of the console', () => {
  it('are kept by browsers for a year, and sent compressed to those who can read that', async () => {
    const small = await get('/console/assets/main-1a2b.js', { 'accept-encoding': 'br, gzip' });
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(gunzipSync(small.rawPayload).toString()).toBe('main();');
    const plain = await get('/console/assets/main-1a2b.js');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe('main();');
  });

  it('are sent as they are where there is no compressed one', async () => {
    const response = await get('/console/assets/main-1a2b.css', { 'accept-encoding': 'gzip' });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect([response.body, response.headers['content-type']]).toEqual(['p{}', 'text/css; charset=utf-8']);
  });

  it('are asked for again each time where their names have no hash', async () => {
    expect((await get('/console/scheme.js')).headers['cache-control']).toBe('no-cache');
  });

  it('of an older build are not found', async () => {
    const response = await get('/console/assets/main-0000.js');
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it.each([
    '/console/../secret.js',
    '/console/..%2fsecret.js',
    '/console/%2e%2e/secret.js',
    '/console/assets/..%2f..%2f..%2fsecret.js',
    '/console/assets/../../secret.js',
    '/console/.built-from',
    '/console/assets/.hidden',
  ])('%s leads to no file outside of them', async (url) => {
    const { body } = await get(url);
    expect(body).not.toContain('secret();');
    expect(body).not.toBe('hash');
  });
});
