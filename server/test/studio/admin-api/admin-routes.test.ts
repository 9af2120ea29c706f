import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import type { AdminContext } from '../../../src/studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../src/studio/admin-api/admin-routes.js';

const ROUTE = { role: 'viewer', operationId: 'probe', summary: 'A probe', response: { 200: {} } } as const;

// `npm run check:types` fails where one of the errors is missing.
it('the compiler refuses a handler that forgets to return', async () => {
  const app = fastify();
  const routes = routesOfGame(app, {} as AdminContext, 'Probes');
  // @ts-expect-error nothing is returned
  routes.get('/admin/v1/games/:game/a', { ...ROUTE, handle: async () => {} });
  routes.get('/admin/v1/games/:game/b', {
    ...ROUTE,
    // @ts-expect-error nothing is returned of some games
    handle: async ({ gameId }) => (gameId === 1 ? { isFirst: true } : undefined),
  });
  routes.get('/admin/v1/games/:game/c', {
    ...ROUTE,
    // @ts-expect-error the reply is sent, and not returned
    handle: async ({ reply }) => {
      reply.send('sent');
    },
  });
  routes.get('/admin/v1/games/:game/d', { ...ROUTE, handle: async ({ reply }) => reply.send('sent') });
  routes.get('/admin/v1/games/:game/e', { ...ROUTE, handle: async () => null });
  expect(app.hasRoute({ method: 'GET', url: '/admin/v1/games/:game/e' })).toBe(true);
  await app.close();
});
