import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.js';
import { publishedFolder } from '../platform/package-files.js';

/** Files whose names hold a hash of their content, and the few beside the page. No folder above, no hidden file. */
const ASSET = /^assets\/[\w-][\w.-]*$/;
const BESIDE = /^[\w-]+\.(?:js|svg)$/;

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

const YEAR = 'public, max-age=31536000, immutable';

/**
 * The console as static files: a client of the admin API like any other, so nothing here knows who asks. Every address that is no
 * file is a view of the console and gets its page.
 */
export function consoleRoutes(
  app: FastifyInstance,
  folder: URL = publishedFolder('console', 'console/dist'),
): void {
  app.get('/', async (_request, reply) => reply.redirect('console/'));
  app.get('/console', async (_request, reply) => reply.redirect('console/'));
  app.get('/console/*', async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': name = '' } = request.params as { '*'?: string };
    if (ASSET.test(name)) return sendFile(folder, name, YEAR, request, reply);
    // Short: these have no hash in their names.
    if (BESIDE.test(name)) return sendFile(folder, name, 'no-cache', request, reply);
    return sendPage(folder, reply);
  });
}

async function sendPage(folder: URL, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64');
  const page = await readIfThere(new URL('index.html', folder));
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', pagePolicy(nonce));
  if (page === undefined) return reply.code(503).send(NOT_BUILT);
  return reply.send(page.toString('utf8').replaceAll('{{nonce}}', nonce));
}

async function sendFile(
  folder: URL,
  name: string,
  caching: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const small = isGzip ? await readIfThere(new URL(`${name}.gz`, folder)) : undefined;
  const content = small ?? (await readIfThere(new URL(name, folder)));
  // A page from before the last build may ask for a file that is gone.
  if (content === undefined) throw new ApiError('not_found');
  if (small !== undefined) reply.header('content-encoding', 'gzip');
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return reply
    .type(TYPES[ending] ?? 'application/octet-stream')
    .header('vary', 'accept-encoding')
    .header('cache-control', caching)
    .send(content);
}

async function readIfThere(file: URL): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** No inline script, no inline style without the nonce of this response, and no request to another origin. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Savepoint: the console is not built</title></head>
  <body>
    <h1>The console is not built</h1>
    <p>The service runs, and players are served. To build the console, run this in the repository:</p>
    <pre>npm ci &amp;&amp; npm run build</pre>
    <p>Then load this page again; no restart is needed. <code>npm start</code> builds the console by itself.</p>
    <p>Meanwhile: <a href="/reference/">API reference</a></p>
  </body>
</html>
`;
