import { randomUUID } from 'node:crypto';
import { checkEvents } from '../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../src/core/events/intake/event-record.js';
import { insertSessions } from '../../src/core/sessions/session-queries.js';
import { findGame, insertGame, insertTenant } from '../../src/platform/admin-api/tenants.js';
import { createPool, type Pool } from '../../src/platform/db/pool.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { NO_TIMEOUT_MS } from './harness.js';

export const DAY_MS = 86_400_000;

export type TestPlayer = { playerId: string; gameId: number; userId: string; createdAt: number };
export type TestEvent = Record<string, unknown>;

/** A database with a studio and games, and players made as a first login makes them; without the HTTP around it. */
export type GameWorld = {
  url: string;
  pool: Pool;
  tenant: string;
  addGame(slug: string): Promise<number>;
  addPlayers(gameId: number, createdAt: readonly number[]): Promise<TestPlayer[]>;
  close(): Promise<void>;
};

export async function createGameWorld(poolSize = 4, ownDatabase?: TestDatabase): Promise<GameWorld> {
  const database = ownDatabase ?? (await createTestDatabase());
  const pool = createPool({ url: database.url, size: poolSize, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
  await insertTenant(pool, 'studio', 'studio');
  return {
    url: database.url,
    pool,
    tenant: 'studio',
    async addGame(slug) {
      await insertGame(pool, 'studio', slug, slug);
      const game = await findGame(pool, 'studio', slug);
      if (game === undefined) throw new Error(`there is no game ${slug}`);
      return game.id;
    },
    addPlayers: (gameId, createdAt) => addPlayers(pool, gameId, createdAt),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

async function addPlayers(pool: Pool, gameId: number, createdAt: readonly number[]): Promise<TestPlayer[]> {
  const keyId = `key-of-${gameId}`;
  await pool.query(
    `insert into api_keys (key_id, game_id, environment, label, sealed_secret)
     values ($1, $2, 'production', '', '') on conflict do nothing`,
    [keyId, gameId],
  );
  const players = createdAt.map((at) => ({ userId: randomUUID(), createdAt: at }));
  const sessions = await insertSessions(
    pool,
    players.map(({ userId, createdAt: at }) => ({
      sessionId: randomUUID(),
      userIdIfNew: userId,
      gameId,
      deviceId: userId,
      forgottenId: `forgotten ${userId}`,
      keyId,
      createdAt: at,
      expiresAt: at + DAY_MS,
      refresh: { tagKey: Buffer.of(0), currentHash: Buffer.of(0), recent: [] },
    })),
  );
  const ids = new Map(sessions.map(({ userId, playerId }) => [userId, playerId]));
  return players.map((player) => ({ ...player, gameId, playerId: ids.get(player.userId) ?? '' }));
}

/** Events of a player as the route hands them on. `named` gives them an identity that does not depend on the player. */
export function toRecords(
  player: TestPlayer,
  events: readonly TestEvent[],
  receivedAtMs: number,
): EventRecord[] {
  const checked = checkEvents({ events, bytes: 0, suspicious: true }, player, receivedAtMs);
  if (checked.rejected.length > 0) throw new Error(JSON.stringify(checked.rejected));
  return recordsOfPlayer(checked.events, player);
}

export function adImpressionAt(ms: number, n = 0): TestEvent {
  return { eventType: 'Ad_Impression', timestamp: new Date(ms).toISOString(), payload: { adId: `ad-${n}` } };
}
