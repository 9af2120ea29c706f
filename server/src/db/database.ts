import type { Config } from '../settings/settings.js';
import { attachToEmbeddedPostgres } from './embedded/attach.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { sessionsEnded } from './open-connections.js';
import { createPool, type Pool } from './pool.js';

/** The database of this installation: the embedded one, started here, or the one of DATABASE_URL. */
export type Database = Readonly<{
  url: string;
  pool: Pool;
  /** Whether a running service holds it, and a command only works beside that service. */
  shared: boolean;
  close(): Promise<void>;
}>;

/** For the primary and the command line: a few connections for administration. */
const ADMIN_POOL_SIZE = 4;

export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.databaseUrl !== undefined) return connect(config, config.databaseUrl, true, async () => {});
  const { dataDir, databaseBuffersMb } = config;
  const settings = databaseBuffersMb === undefined ? {} : { shared_buffers: `${databaseBuffersMb}MB` };
  const server = await startEmbeddedPostgres({ dataDir, say, settings });
  return connect(config, server.url, false, () => server.stop());
}

/** For commands: on the embedded database they work beside a running service, or start the server for themselves. */
export async function openDatabaseForCommand(config: Config): Promise<Database> {
  const running =
    config.databaseUrl === undefined ? await attachToEmbeddedPostgres(config.dataDir) : undefined;
  return running === undefined
    ? openDatabase(config, () => {})
    : connect(config, running, true, async () => {});
}

function connect(config: Config, url: string, shared: boolean, stop: () => Promise<void>): Database {
  const pool = createPool({
    url,
    size: ADMIN_POOL_SIZE,
    timeoutMs: config.databaseTimeoutMs,
    // An idle connection that breaks is replaced with the next query, which reports what is wrong.
    onError: () => {},
    lookUps: 'planned each time',
  });
  return {
    url,
    pool,
    shared,
    async close() {
      await pool.end();
      await sessionsEnded();
      await stop();
    },
  };
}
