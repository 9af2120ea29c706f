import pg from 'pg';
import { until } from '../support/service.js';

/** The steps of an erasure that can be held: where the player has rows, in the order in which they are deleted. */
export const HELD_TABLES = [
  'players',
  'event_blocks',
  'event_identities',
  'transactions',
  'player_days',
  'event_installs',
  'player_notes',
  'failed_events',
  'erasures',
] as const;

const BLOCKED_MS = 120_000;

export type HeldStep = {
  /** Settles when the erasure waits in this step. */
  blocked(): Promise<void>;
  release(): Promise<void>;
};

/** Locks the rows of the player in a table: the erasure comes as far as this table, and waits. Only the erasure touches these rows. */
export async function holdStep(url: string, table: string, playerId: string): Promise<HeldStep> {
  const client = await connect(url);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await client.query('begin');
  const column = table === 'players' ? 'id' : 'player_id';
  const locked = await client.query(`select from ${table} where ${column} = $1 for update`, [playerId]);
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
