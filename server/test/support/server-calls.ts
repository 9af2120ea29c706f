import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { DEMO } from '../../src/app/demo-studio.js';
import {
  generateApiKey,
  insertApiKey,
  SERVER_SCOPES,
  type ServerScope,
} from '../../src/core/sessions/api-key-queries.js';
import type { Harness } from './harness.js';

type Place = { tenant?: string; game?: string; scopes?: readonly ServerScope[] };

/** A server key of a game, by default of the demo game and with all scopes. */
export async function addServerKey(
  { pool, masterKeys }: Harness,
  { tenant = DEMO.tenant, game = DEMO.game, scopes = SERVER_SCOPES }: Place = {},
) {
  const key = generateApiKey('development', 'server');
  const place = { tenant, game, environment: 'development', label: '', kind: 'server', scopes } as const;
  if (!(await insertApiKey(pool, masterKeys, key, place))) throw new Error('the key was not created');
  return { ...key, headers: { authorization: `Bearer ${key.secret}`, 'x-tenant-id': tenant } };
}

export type ServerRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  payload?: unknown;
};

export function call(
  app: FastifyInstance,
  { method = 'GET', url, headers, payload }: ServerRequest,
): Promise<LightMyRequestResponse> {
  if (payload === undefined) return app.inject({ method, url, headers });
  const body = JSON.stringify(payload);
  return app.inject({
    method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: body,
  });
}
