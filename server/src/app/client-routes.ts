import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.js';
import { publishedFolder } from '../platform/package-files.js';

/** The TypeScript client in two forms: the npm package, and one ES module for pages without a bundler. */
const TYPES: Readonly<Record<string, string>> = {
  'savepoint-client.tgz': 'application/gzip',
  'savepoint-client.js': 'text/javascript; charset=utf-8',
};

/** The client for download, of the version of this service. A developer fetches it once; games do not load it from here. */
export function clientRoutes(
  app: FastifyInstance,
  folder: URL = publishedFolder('client', 'sdk/download'),
): void {
  app.get('/client/:file', async (request, reply) => {
    const { file } = request.params as { file: string };
    const type = Object.hasOwn(TYPES, file) ? TYPES[file] : undefined;
    if (type === undefined || !existsSync(new URL(file, folder))) throw new ApiError('not_found');
    return reply
      .type(type)
      .header('cache-control', 'no-cache')
      .send(await readFile(new URL(file, folder)));
  });
}
