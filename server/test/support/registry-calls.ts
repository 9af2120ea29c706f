import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { DEMO } from '../../src/app/demo-studio.js';
import { registerEventType } from '../../src/insight/event-types/event-types.js';
import {
  findGame,
  type UnregisteredTypes,
  updateUnregisteredTypes,
} from '../../src/platform/admin-api/tenants.js';
import type { Pool } from '../../src/platform/db/pool.js';

/** The event types of the demo game, and what it refuses. */

export async function demoGameId(pool: Pool): Promise<number> {
  const game = await findGame(pool, DEMO.tenant, DEMO.game);
  if (game === undefined) throw new Error('the demo game is missing');
  return game.id;
}

/** Registers a schema for the payload of a type and returns its version. */
export function registerPayload(pool: Pool, eventType: string, payload: unknown): Promise<number> {
  return registerSchema(pool, eventType, { properties: { payload } });
}

export async function registerSchema(pool: Pool, eventType: string, schema: unknown): Promise<number> {
  const schemaText = JSON.stringify(schema);
  const gameId = await demoGameId(pool);
  const result = await registerEventType(
    pool,
    { gameId, eventType, schemaText },
    { name: 'test', nowMs: Date.now() },
  );
  if (!result.ok) throw new Error(result.reason);
  return result.version;
}

export async function setUnregisteredTypes(pool: Pool, what: UnregisteredTypes): Promise<void> {
  await updateUnregisteredTypes(pool, await demoGameId(pool), what);
}

/** A game event; `n` makes it different from its siblings. */
export function gameEvent(
  eventType: string,
  n: number,
  nowMs: number,
  payload: Record<string, unknown> = {},
) {
  return { eventType, timestamp: new Date(nowMs - n * 1_000).toISOString(), payload: { n, ...payload } };
}

/** The codes of the rejected events, whether some or all were rejected. */
export function rejectedCodes(response: LightMyRequestResponse): string[] {
  expect([202, 400], response.body).toContain(response.statusCode);
  const body = response.json();
  const rejected: { code: string }[] = (body.data ?? body.error).rejected;
  return rejected.map(({ code }) => code);
}
