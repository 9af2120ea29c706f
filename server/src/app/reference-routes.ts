import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { type KeyPair, sampleLogin } from '../features/sessions/sample-login.js';
import { hostNameOf } from '../http/host-check.js';

const PAGE = new URL('../../reference/', import.meta.url);
const SCRIPT = 'text/javascript; charset=utf-8';

export type ReferenceSources = {
  /** The OpenAPI document of an API, as it is committed. */
  apiDocument: (api: 'player' | 'admin') => Promise<OpenApiDocument>;
  /** The development key pair, where it works. */
  demoKey: KeyPair | undefined;
  /** The address of the player API for a client that reached this listener under a host name. */
  playerUrl: (hostName: string) => Promise<string>;
};

type OpenApiDocument = Record<string, unknown> & {
  paths?: Record<string, { post?: Record<string, unknown> }>;
};

/** For an installation in production, where readers have keys of their own. */
const YOUR_KEY: KeyPair = { keyId: 'YOUR_API_KEY', secret: 'YOUR_API_SECRET' };

/** The API reference: one page, from this server only, for the addresses under which it was opened. */
export function referenceRoutes(
  app: FastifyInstance,
  { apiDocument, playerUrl, demoKey }: ReferenceSources,
): void {
  const playerUrlFor = ({ headers }: FastifyRequest) => playerUrl(hostNameOf(headers.host ?? ''));

  app.get('/reference', async (_request, reply) => reply.redirect('reference/'));
  app.get('/reference/', async (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    const page = await readFile(new URL('index.html', PAGE), 'utf8');
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', pagePolicy(nonce, await playerUrlFor(request)))
      .send(page.replace('{{nonce}}', nonce));
  });
  app.get('/reference/start.js', async (_request, reply) =>
    reply.type(SCRIPT).send(await readFile(new URL('start.js', PAGE))),
  );
  app.get('/reference/reference.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(await readFile(new URL('reference.css', PAGE))),
  );
  let scalar: Promise<Buffer> | undefined;
  app.get('/reference/scalar.js', async (_request, reply) => {
    scalar ??= loadScalar();
    return reply.type(SCRIPT).send(await scalar);
  });

  app.get('/openapi/player.json', async (request) => {
    const url = await playerUrlFor(request);
    const document = { ...(await apiDocument('player')), servers: [{ url }] };
    // The signature of a fixed example would be outside of the time window: this one signs the time at which it is pasted.
    const login = document.paths?.['/auth/login']?.post;
    const source = sampleLogin(url, demoKey ?? YOUR_KEY);
    if (login !== undefined) login['x-codeSamples'] = [{ lang: 'shell', label: 'Shell', source }];
    return document;
  });
  // Wherever the document came from: this listener, or a proxy in front of it.
  app.get('/openapi/admin.json', async () => ({ ...(await apiDocument('admin')), servers: [{ url: '/' }] }));
}

/**
 * The script that Scalar's plugin for Fastify serves. The plugin has it within its code, and gives it out by this route only. Its
 * page is not ours: it begins with an inline script. Loaded when the page is opened, because it has 4 MB.
 */
async function loadScalar(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(plugin, { routePrefix: '/', configuration: { content: '{}' } });
  const { rawPayload } = await app.inject('/js/scalar.js');
  await app.close();
  return rawPayload;
}

/** Requests that are tried out go to the two APIs, and nothing goes anywhere else. */
function pagePolicy(nonce: string, playerUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Scalar numbers the lines of its samples by style attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${playerUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
