import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientRoutes } from '../../src/app/client-routes.js';
import { registerErrorHandlers } from '../../src/platform/http/error-handler.js';

let root: string;
let app: FastifyInstance;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'savepoint-client-'));
  await mkdir(join(root, 'download'));
  await writeFile(join(root, 'download/savepoint-client.js'), 'export {};');
  await writeFile(join(root, 'download/.built-from'), 'hash');
  await writeFile(join(root, 'secret.js'), 'secret');
  app = fastify();
  registerErrorHandlers(app);
  clientRoutes(app, pathToFileURL(`${root}/download/`));
});
afterAll(async () => {
  await app.close();
  await rm(root, { recursive: true, force: true });
});

it('serves the client as a file', async () => {
  const response = await app.inject('/client/savepoint-client.js');
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(response.body).toBe('export {};');
});

it.each([
  '/client/savepoint-client.tgz',
  '/client/.built-from',
  '/client/..%2fsecret.js',
  '/client/toString',
  '/client/',
])('has nothing at %s', async (url) => {
  expect((await app.inject(url)).statusCode).toBe(404);
});
