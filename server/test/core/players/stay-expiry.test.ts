import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredStays } from '../../../src/core/players/stay-expiry.js';
import { storeStays } from '../../../src/core/players/stay-queries.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';

/** Which stays in segments with two thresholds go with the events of their time. */

const KEPT_FROM = Date.parse('2026-06-15');
/** More than a chunk, so that it takes several. */
const CHUNK = 3;
const OLD_PLAYERS = 7;

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
});
afterAll(() => world.close());

const change = (isInside: boolean) => ({
  segmentId: 'leaving',
  thresholds: 'churn > 0.7, < 0.5',
  isInside,
  value: 0.6,
});

/** As requests of the player store it. */
async function stay(playerId: string, fromMs: number, toMs: number | null): Promise<void> {
  await storeStays(world.pool, [{ playerId, atMs: fromMs, changes: [change(true)] }]);
  if (toMs !== null) await storeStays(world.pool, [{ playerId, atMs: toMs, changes: [change(false)] }]);
}

async function addGame(slug: string, keptFrom: string | null) {
  const gameId = await world.addGame(slug);
  await world.pool.query('update games set events_deleted_before = $2 where id = $1', [gameId, keptFrom]);
  const players = await world.addPlayers(gameId, Array(OLD_PLAYERS).fill(KEPT_FROM - 90 * DAY_MS));
  for (const { playerId } of players) await stay(playerId, KEPT_FROM - 80 * DAY_MS, KEPT_FROM - 1);
  return players.map(({ playerId }) => playerId);
}

const staysOf = async (players: readonly string[]) => {
  const { rows } = await world.pool.query<{ leftAt: number | null }>(
    'select left_at as "leftAt" from segment_stays where player_id = any($1::bigint[]) order by left_at',
    [players],
  );
  return rows.map(({ leftAt }) => leftAt);
};

describe('stays that have ended', () => {
  it('are deleted when their game no longer keeps the events of that time', async () => {
    const expiring = await addGame('expiring', '2026-06-15');
    const [first = '', second = ''] = expiring;
    await stay(first, KEPT_FROM - DAY_MS / 2, KEPT_FROM);
    await stay(second, KEPT_FROM - 70 * DAY_MS, null);
    const longer = await addGame('longer', '2026-06-14');
    const endless = await addGame('endless', null);

    const stopped = AbortSignal.abort();
    expect(await deleteExpiredStays(world.pool, stopped, CHUNK)).toBe(0);
    expect(await deleteExpiredStays(world.pool, undefined, CHUNK)).toBe(OLD_PLAYERS);
    expect(await staysOf(expiring)).toEqual([KEPT_FROM, null]);
    expect(await staysOf(longer)).toEqual(Array(OLD_PLAYERS).fill(KEPT_FROM - 1));
    expect(await staysOf(endless)).toEqual(Array(OLD_PLAYERS).fill(KEPT_FROM - 1));
    expect(await deleteExpiredStays(world.pool)).toBe(0);
  });
});
