import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { backFillOwnAttributes } from '../../../src/liveops/own-attributes/back-fill.js';
import { toOwnJson } from '../../../src/liveops/own-attributes/own-json.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import {
  adImpressionAt,
  createGameWorld,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const ADS = {
  attributeId: 'ads',
  description: '',
  eventType: 'Ad_Impression',
  member: null,
  fold: 'count' as const,
  type: 'integer' as const,
};

type Options = Omit<Parameters<typeof backFillOwnAttributes>[0], 'connection' | 'clock' | 'rests'>;

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
});
afterAll(() => world.close());

const send = (player: TestPlayer, n: number) =>
  applyEvents(world.pool, toRecords(player, [adImpressionAt(NOW, n)], NOW));

/** A game with three players, whose own attributes are to be worked out. */
async function addGameBehind(slug: string) {
  const gameId = await world.addGame(slug);
  const players = await world.addPlayers(gameId, [NOW, NOW, NOW]);
  players.sort((a, b) => Number(a.playerId) - Number(b.playerId));
  for (const player of players) await send(player, 0);
  const document = { ...DEFAULT_DOCUMENT, attributes: [ADS] };
  await publishConfig(world.pool, { gameId, document, note: '' }, { name: 'test', nowMs: NOW });
  return { gameId, players, ids: players.map(({ playerId }) => playerId) };
}

function backFill(options: Options) {
  return withDedicatedConnection(world.pool, (connection) =>
    backFillOwnAttributes({ connection, clock: { now: () => NOW }, rests: false, ...options }),
  );
}

describe('working out own attributes', () => {
  it('reads a player who always sends events alone, and at last under the lock', async () => {
    const { players, ids } = await addGameBehind('busy');
    const [busy] = players;
    if (busy === undefined) throw new Error('there is a player');
    const reads: (readonly string[])[] = [];
    const result = await backFill({
      async onRead(playerIds) {
        reads.push(playerIds);
        await send(busy, reads.length);
      },
    });
    expect(result).toEqual({ isDone: true, players: 3, sets: 1 });
    expect(reads).toEqual([ids, ...Array.from({ length: 10 }, () => [busy.playerId])]);
    const [reading] = await findFacts(world.pool, [busy.playerId], NOW);
    const own = toOwnJson(reading?.facts.own ?? {}, [ADS], NOW);
    expect(own).toMatchObject({ ads: { total: reads.length + 1 } });
  });

  it('lets games take turns', async () => {
    const [one, other] = [await addGameBehind('one'), await addGameBehind('other')];
    const reads: (readonly string[])[] = [];
    await backFill({
      playersPerChunk: 1,
      chunksPerTurn: 1,
      onRead: async (playerIds) => void reads.push(playerIds),
    });
    expect(reads.flat()).toEqual(one.ids.flatMap((id, index) => [id, other.ids[index]]));
  });

  it('goes on with other games where one fails', async () => {
    const [failing, other] = [await addGameBehind('failing'), await addGameBehind('fine')];
    const onRead = async ([id]: readonly string[]) => {
      if (failing.ids.includes(id ?? '')) throw new Error('this game fails');
    };
    await expect(backFill({ onRead })).rejects.toThrow('this game fails');
    await expect(backFill({ onRead })).rejects.toThrow('this game fails');
    const { rows } = await world.pool.query(
      'select game_id as "gameId", finished_at is not null as "isDone" from own_attribute_sets where game_id = any($1)',
      [[failing.gameId, other.gameId]],
    );
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ gameId: failing.gameId, isDone: false });
    expect(rows).toContainEqual({ gameId: other.gameId, isDone: true });
  });
});
