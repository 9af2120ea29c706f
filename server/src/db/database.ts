import type { Config } from '../config.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { createPool, type Pool } from './pool.js';

/** The database of this installation: the embedded one, started here, or the one of DATABASE_URL. */
export type Database = Readonly<{ url: string; pool: Pool; embedded: boolean; close(): Promise<void> }>;

/** For the primary and the command line: a few connections for administration. */
const ADMIN_POOL_SIZE = 4;

export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  const server =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, say })
      : undefined;
  const url = server?.url ?? config.databaseUrl ?? '';
  const pool = createPool({
    url,
    size: ADMIN_POOL_SIZE,
    timeoutMs: config.databaseTimeoutMs,
    // An idle connection that breaks is replaced with the next query, which reports what is wrong.
    onError: () => {},
  });
  return {
    url,
    pool,
    embedded: server !== undefined,
    async close() {
      await pool.end();
      await server?.stop();
    },
  };
}
