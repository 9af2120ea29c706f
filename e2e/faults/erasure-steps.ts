import pg from 'pg';
import { until } from '../support/service.js';

/**
 * Where an erasure can be held: in the tables in which the player has rows, in the order in which they are deleted, and in the three
 * steps after that. The last row is that of the request, on which the receipt is stored.
 */
const OF_PLAYER = 'player_id = $1';
const HELD_ROWS = {
  players: 'id = $1',
  event_blocks: OF_PLAYER,
  event_identities: OF_PLAYER,
  transactions: OF_PLAYER,
  player_days: OF_PLAYER,
  event_installs: OF_PLAYER,
  player_notes: OF_PLAYER,
  failed_events: OF_PLAYER,
  // The step `traces`.
  audit_log: `target = 'player ' || (select user_id from erasures where player_id = $1)`,
  // The step `exports`.
  export_jobs: '$1::bigint is not null',
  // The step `finish`.
  jobs: `subject::text like '%' || (select user_id from erasures where player_id = $1) || '%'`,
  erasures: OF_PLAYER,
} as const;

export type HeldTable = keyof typeof HELD_ROWS;
export const HELD_TABLES = Object.keys(HELD_ROWS) as HeldTable[];

const BLOCKED_MS = 120_000;

export type HeldStep = {
  /** Settles when the erasure waits in this step. */
  blocked(): Promise<void>;
  release(): Promise<void>;
};

/** Locks the rows of the player in a table: the erasure comes as far as this table, and waits. Only the erasure touches these rows. */
export async function holdStep(url: string, table: HeldTable, playerId: string): Promise<HeldStep> {
  const client = await connect(url);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await client.query('begin');
  const locked = await client.query(`select from ${table} where ${HELD_ROWS[table]} for update`, [playerId]);
  if (locked.rowCount === 0) throw new Error(`the player has no row in ${table}`);
  return {
    blocked: () =>
      until(async () => {
        const waiting = await client.query(
          'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))',
          [rows[0]?.pid],
        );
        return (waiting.rowCount ?? 0) > 0;
      }, BLOCKED_MS),
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}

/** No process erases players until this is released. */
export async function holdErasures(url: string): Promise<() => Promise<void>> {
  const client = await connect(url);
  await client.query(`select pg_advisory_lock(hashtext('savepoint erasures'))`);
  return () => client.end();
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A run that fails stops PostgreSQL below it.
  client.on('error', () => {});
  await client.connect();
  return client;
}
