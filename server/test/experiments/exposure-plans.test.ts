import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listExposures, listReseeded } from '../../src/experiments/exposure-queries.js';
import type { DedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { connect, explainAll } from '../platform/db/plans/explain-all.js';
import type { Plan } from '../platform/db/plans/plan-problems.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const ROWS = 10_000;
const ANOTHER_GAME = 2;
const RUN = { gameId: 1, experimentId: 'price_test', seed: '1', isActivated: false };
const PLAYER_IDS = Array.from({ length: 2_000 }, (_, n) => 1 + n);

/** The statistics of PostgreSQL are from a time at which all exposures were of another game. */
describe('with statistics that do not know the game, the exposures', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await connect(database.url);
    await client.query('alter table experiment_exposures set (autovacuum_enabled = off)');
    await insertExposures(client, { gameId: ANOTHER_GAME, firstId: 1_000_000 });
    await client.query('analyze experiment_exposures');
    await insertExposures(client, { gameId: RUN.gameId, firstId: 1 });
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('of two thousand players are looked up by the player, not among all of the game', async () => {
    const plan = await planOf((connection) =>
      listExposures(connection, PLAYER_IDS, [RUN], { to: '2100-01-01', reseeded: [] }),
    );
    expect(indexesOf(plan)).toContain('experiment_exposures_pkey');
    expect(indexesOf(plan)).not.toContain('experiment_exposures_listed');
  });

  it('under another seed are looked for among those of the experiment', async () => {
    const plan = await planOf((connection) => listReseeded(connection, [RUN]));
    expect(indexesOf(plan)).toEqual(['experiment_exposures_listed', 'experiment_exposures_listed']);
  });

  async function planOf(send: (connection: DedicatedConnection) => Promise<unknown>) {
    const sent: { text: string; values: unknown[] }[] = [];
    const query = async (text: string, values: unknown[]) => {
      sent.push({ text, values });
      return { rows: [] };
    };
    await send({ query } as unknown as DedicatedConnection);
    const [{ text, values } = { text: '', values: [] }] = sent;
    // As `walkByIndex` sets it.
    const options = '-c enable_seqscan=off -c enable_bitmapscan=off';
    const [plan] = await explainAll(
      database.url,
      [{ name: undefined, text, values, options }],
      async () => {},
    );
    return plan;
  }
});

async function insertExposures(
  client: pg.Client,
  { gameId, firstId }: { gameId: number; firstId: number },
): Promise<void> {
  await client.query(
    `insert into experiment_exposures (game_id, player_id, experiment_id, seed, variant_id, exposed_at)
     select $1, n, 'price_test', '1', 'b', now() from generate_series($2::int, $3) n`,
    [gameId, firstId, firstId + ROWS - 1],
  );
}

function indexesOf(plan: Plan | undefined): string[] {
  if (plan === undefined) return [];
  const own = plan['Relation Name'] === 'experiment_exposures' ? [plan['Index Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(indexesOf)];
}
