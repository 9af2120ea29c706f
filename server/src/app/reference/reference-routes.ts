import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type KeyPair, sampleLogin } from '../../core/sessions/sample-login.js';
import { hostNameOf } from '../../platform/http/host-check.js';
import { inPackage } from '../../platform/package-files.js';
import type { ApiDocument } from './api-document.js';
import { type Api, referencePage } from './reference-page.js';

const FILES = inPackage('reference/');

export type ReferenceSources = {
  /** The OpenAPI document of an API, as it is committed. */
  apiDocument: (api: Api) => Promise<ApiDocument>;
  /** The development key pair, where it works. */
  demoKey: KeyPair | undefined;
  /** The address of the player API for a client that reached this listener under a host name. */
  playerUrl: (hostName: string) => Promise<string>;
};

/** For an installation in production, where readers have keys of their own. */
const YOUR_KEY: KeyPair = { keyId: 'YOUR_API_KEY', secret: 'YOUR_API_SECRET' };

/** The page asks nobody for anything: everything on it comes with it. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API reference: a page for each API, with the addresses under which it was opened. */
export function referenceRoutes(
  app: FastifyInstance,
  { apiDocument, playerUrl, demoKey }: ReferenceSources,
): void {
  const playerDocument = async ({ headers }: FastifyRequest) => {
    const url = await playerUrl(hostNameOf(headers.host ?? ''));
    const document = { ...(await apiDocument('player')), servers: [{ url }] };
    // The signature of a fixed example would be outside of the time window: this one signs the time at which it is pasted.
    const login = document.paths['/auth/login']?.post;
    const source = sampleLogin(url, demoKey ?? YOUR_KEY);
    if (login !== undefined) login['x-codeSamples'] = [{ source }];
    return { document, url };
  };

  app.get('/reference', async (_request, reply) => reply.redirect('reference/'));
  app.get('/reference/', async (request, reply) => {
    const isAdmin = new URLSearchParams(request.url.split('?')[1]).get('api') === 'admin';
    const { document, url } = isAdmin
      ? { document: await apiDocument('admin'), url: `${request.protocol}://${request.headers.host}` }
      : await playerDocument(request);
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', PAGE_POLICY)
      .send(referencePage(isAdmin ? 'admin' : 'player', document, url));
  });
  app.get('/reference/reference.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(await readFile(new URL('reference.js', FILES))),
  );
  app.get('/reference/reference.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(await readFile(new URL('reference.css', FILES))),
  );

  app.get('/openapi/player.json', async (request) => (await playerDocument(request)).document);
  // Wherever the document came from: this listener, or a proxy in front of it.
  app.get('/openapi/admin.json', async () => ({ ...(await apiDocument('admin')), servers: [{ url: '/' }] }));
}
