import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createPlayerSamples,
  FAST_SAMPLE_SIZE,
  SEGMENT_SAMPLE_SIZE,
  thinToWeight,
} from '../../../src/liveops/audiences/player-samples.js';
import { drawPlayers } from '../../../src/liveops/audiences/sample-queries.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { readsOf } from '../../../src/platform/db/reads.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

it('draws once, and thins out to the players that a smaller draw has', async () => {
  const { pool, clock } = harness;
  const { rows } = await pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  const gameId = rows[0]?.id ?? 0;
  const add = (many: number) =>
    pool.query(
      `insert into players (game_id, user_id, created_at)
       select $1, gen_random_uuid(), $2 from generate_series(1, $3::int)`,
      [gameId, new Date(clock.now()), many],
    );
  const samples = createPlayerSamples(readsOf(pool), clock);
  for (const [added, players] of [
    [9_999, 9_999],
    [5_002, 15_001],
    [15_010, 30_011],
  ] as const) {
    await add(added);
    for (const size of [FAST_SAMPLE_SIZE, SEGMENT_SAMPLE_SIZE]) {
      const drawn = await withDedicatedConnection(pool, (connection) =>
        drawPlayers(connection, gameId, size),
      );
      expect(drawn.ids).toHaveLength(Math.min(players, size));
      expect(await samples.of(gameId, size)).toEqual(drawn);
    }
  }
  await add(1);
  // Kept for a minute, for all sizes.
  for (const size of [FAST_SAMPLE_SIZE, SEGMENT_SAMPLE_SIZE])
    expect((await samples.of(gameId, size)).players).toBe(30_011);
  clock.advance(60_000);
  expect((await samples.of(gameId, FAST_SAMPLE_SIZE)).players).toBe(30_012);
});

it('thins out to players of a total weight, evenly', () => {
  const ids = Array.from({ length: 100 }, (_, index) => String(index));
  const sample = { players: 1_000, ids };
  const weights = new Map(ids.filter((_, index) => index % 2 === 0).map((id) => [id, 10]));
  expect(thinToWeight(sample, weights, 500)).toEqual(sample);
  const half = thinToWeight(sample, weights, 250);
  expect(half.players).toBe(1_000);
  const weight = half.ids.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0);
  expect(weight).toBeLessThanOrEqual(250);
  expect(half.ids.length).toBeGreaterThan(0);
  expect(thinToWeight(sample, new Map(ids.map((id) => [id, 10])), 1).ids).toHaveLength(1);
});
