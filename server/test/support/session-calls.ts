import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import {
  type Environment,
  generateApiKey,
  insertApiKey,
  type NewApiKey,
} from '../../src/core/sessions/api-key-queries.js';
import { findGame, insertGame, insertTenant } from '../../src/platform/admin-api/tenants.js';
import { type Harness, postLogin, type Session, signedLogin, toSession } from './harness.js';

/** The calls of a player's session, and what every response of theirs must look like. */

export function postRefresh(app: FastifyInstance, refreshToken: unknown): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/auth/refresh', payload: { refreshToken } });
}

export function postLogout(
  app: FastifyInstance,
  accessToken: string,
  body?: object,
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url: '/auth/logout',
    headers: { authorization: `Bearer ${accessToken}` },
    ...(body === undefined ? {} : { payload: body }),
  });
}

/** Any data endpoint would do to see whether an access token works; this is the plainest. */
export function getStatus(app: FastifyInstance, session: Session): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'GET', url: '/v1/player/status', headers: session.headers });
}

/**
 * The public key set. A node whose database takes a second to respond serves the keys that it knows: then it is asked again,
 * as often as that happens on a busy machine.
 */
export async function getKeySet(app: FastifyInstance): Promise<LightMyRequestResponse> {
  for (;;) {
    const begun = performance.now();
    const response = await app.inject({ method: 'GET', url: '/.well-known/jwks.json' });
    if (performance.now() - begun < 900) return response;
  }
}

export async function refreshed(app: FastifyInstance, refreshToken: string): Promise<Session> {
  const response = await postRefresh(app, refreshToken);
  expect(response.statusCode, response.body).toBe(200);
  return toSession(response.json());
}

/** The string form: everything under /auth/ and every 401. */
export function expectStringError(response: LightMyRequestResponse, status: number, code: string): void {
  expect(response.statusCode, response.body).toBe(status);
  const body = response.json();
  expect(body).toEqual(expect.objectContaining({ error: expect.any(String), code }));
  expect(body).not.toHaveProperty('status');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-request-id']).toMatch(/./);
  if (status !== 401) return;
  expect(body.error).toMatch(/invalid authentication credentials/i);
  expect(response.headers['www-authenticate']).toMatch(/^Bearer/);
}

/** A 401 for a token that was sent: the client is told to get another one. */
export function expectRefusedToken(response: LightMyRequestResponse, code?: string): void {
  expectStringError(response, 401, code ?? response.json().code);
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
}

export async function expectDead(app: FastifyInstance, session: Session): Promise<void> {
  expectRefusedToken(await getStatus(app, session), 'session_ended');
  expectRefusedToken(await postRefresh(app, session.refreshToken), 'refresh_token_invalid');
}

export async function expectAlive(app: FastifyInstance, session: Session): Promise<void> {
  const response = await getStatus(app, session);
  expect(response.statusCode, response.body).toBe(200);
}

export type Studio = NewApiKey & { tenant: string; game: string; login(deviceId: string): Promise<Session> };

/** Another game, of another tenant unless it exists already, with a key of its own. */
export async function addStudio(
  { pool, masterKeys, app, clock }: Harness,
  tenant: string,
  game: string,
  environment: Environment = 'development',
): Promise<Studio> {
  await insertTenant(pool, tenant, tenant);
  await insertGame(pool, tenant, game, game);
  expect(await findGame(pool, tenant, game)).toBeDefined();
  const key = generateApiKey(environment);
  const place = { tenant, game, environment, label: '' };
  expect(await insertApiKey(pool, masterKeys, key, place)).toBe(true);
  return {
    ...key,
    tenant,
    game,
    async login(deviceId) {
      const { keyId: apiKey, secret } = key;
      const response = await postLogin(app, signedLogin({ deviceId, nowMs: clock.now(), apiKey, secret }));
      expect(response.statusCode, response.body).toBe(200);
      return toSession(response.json());
    },
  };
}
