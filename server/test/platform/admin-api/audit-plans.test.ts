import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditEntries, listAuditEntriesOfGame } from '../../../src/platform/admin-api/audit-log.js';
import { insertTenant } from '../../../src/platform/admin-api/tenants.js';
import type { DedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import type { Pool, Statement } from '../../../src/platform/db/pool.js';
import { listAuditLines } from '../../../src/studio/games-and-keys/audit-overview.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

const BUSY_ENTRIES = 30_000;
const QUIET_ENTRIES = 30;
const PAGE = 20;

type Asked = { text: string; values: unknown[] };
type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

describe('listing the audit log', () => {
  let world: GameWorld;
  let tenantId: number;
  let quietTenant: number;
  let quietGame: number;
  beforeAll(async () => {
    world = await createGameWorld();
    const busyGame = await world.addGame('busy');
    quietGame = await world.addGame('quiet');
    await insertTenant(world.pool, 'other', 'other');
    const tenants = await world.pool.query<{ id: number }>('select id from tenants order by slug = $1', [
      'other',
    ]);
    [tenantId = 0, quietTenant = 0] = tenants.rows.map(({ id }) => id);
    // Statistics of an empty table, until a test runs analyze.
    await world.pool.query('alter table audit_log set (autovacuum_enabled = false)');
    await world.pool.query('delete from audit_log');
    await world.pool.query('analyze audit_log');
    const insert = (tenant: number | null, game: number | null, count: number) =>
      world.pool.query(
        `insert into audit_log (tenant_id, game_id, at, actor, action, target)
         select $1, $2, now(), 'Ada', 'draft.save', 'draft' from generate_series(1, $3::int)`,
        [tenant, game, count],
      );
    await insert(tenantId, quietGame, QUIET_ENTRIES);
    await insert(quietTenant, null, QUIET_ENTRIES);
    await insert(tenantId, busyGame, BUSY_ENTRIES);
  });
  afterAll(() => world.close());

  /** The statements of each way of listing. */
  const listings = async (): Promise<Record<string, Asked>> => {
    const ask = async (list: (pool: Pool) => Promise<unknown>): Promise<Asked> => {
      const asked: Asked[] = [];
      const recorder = {
        query: async (statement: Statement & { values: unknown[] } & string, values: unknown[]) => {
          asked.push(typeof statement === 'string' ? { text: statement, values } : statement);
          return { rows: [] };
        },
      } as unknown as Pool;
      await list(recorder);
      return asked[0] as Asked;
    };
    const page = { beforeId: null, limit: PAGE };
    return {
      'of a quiet game': await ask((pool) => listAuditEntriesOfGame(pool, quietGame, page)),
      'of a quiet game, older ones': await ask((pool) =>
        listAuditEntriesOfGame(pool, quietGame, { beforeId: String(BUSY_ENTRIES), limit: PAGE }),
      ),
      'of a quiet studio': await ask((pool) => listAuditEntries(pool, quietTenant, page)),
      'of a busy studio': await ask((pool) => listAuditEntries(pool, tenantId, page)),
      'of a quiet game, by command': await ask((pool) =>
        listAuditLines(pool, { gameId: quietGame, limit: PAGE }),
      ),
      'of a quiet studio, by command': await ask((pool) =>
        listAuditLines(pool, { tenantId: quietTenant, limit: PAGE }),
      ),
    };
  };

  const expectRead = (most: (listing: string) => number) =>
    withDedicatedConnection(world.pool, async (connection) => {
      for (const [listing, asked] of Object.entries(await listings())) {
        // Statements of commands are planned each time, those of the admin API are prepared.
        const modes = listing.endsWith('command') ? ['custom'] : ['custom', 'generic'];
        for (const mode of modes) {
          const read = await rowsRead(connection, asked, `force_${mode}_plan`);
          expect(read, `${listing}, ${mode} plan`).toBeLessThanOrEqual(most(listing));
        }
      }
    });

  it('never reads entries of others, even with the statistics of an empty table', async () => {
    await expectRead((listing) => (listing.includes('quiet') ? QUIET_ENTRIES : BUSY_ENTRIES + QUIET_ENTRIES));
  });

  it('reads one page if there are statistics', async () => {
    await world.pool.query('analyze audit_log');
    await expectRead(() => PAGE);
  });
});

/** How many entries PostgreSQL reads for a response. */
async function rowsRead(
  connection: DedicatedConnection,
  { text, values }: Asked,
  mode: string,
): Promise<number> {
  await connection.query("select set_config('plan_cache_mode', $1, false)", [mode]);
  await connection.query(`prepare asked as ${text}`);
  const literals = values.map((value) => (value === null ? 'null' : connection.escapeLiteral(String(value))));
  const { rows } = await connection.query(
    `explain (analyze, format json) execute asked(${literals.join(', ')})`,
  );
  await connection.query('deallocate asked');
  return entriesIn(rows[0]['QUERY PLAN'][0].Plan);
}

function entriesIn(plan: Plan): number {
  const inside = (plan.Plans ?? []).reduce((sum, each) => sum + entriesIn(each), 0);
  if (plan['Relation Name'] !== 'audit_log') return inside;
  return inside + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}
