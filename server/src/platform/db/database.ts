import { attachToEmbeddedPostgres } from '../embedded-postgres/attach.js';
import { clusterPathIn } from '../embedded-postgres/cluster-place.js';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { sessionsEnded } from './open-connections.js';
import { createPool, type Pool } from './pool.js';

/** Where the database is, and how it is asked; a part of the settings of the process. */
export type DatabaseSettings = Readonly<{
  databaseUrl: string | undefined;
  dataDir: string;
  databaseBuffersMb: number | undefined;
  databaseTimeoutMs: number;
}>;

/** The database of this installation: the embedded one, started here, or the one of DATABASE_URL. */
export type Database = Readonly<{
  url: string;
  /** Where the embedded server keeps its files; undefined for another server. */
  dir: string | undefined;
  pool: Pool;
  /** Whether a running service holds it, and a command only works beside that service. */
  shared: boolean;
  close(): Promise<void>;
}>;

/** For the primary, the operations process and the command line: a few connections for administration. */
const ADMIN_POOL_SIZE = 4;

export async function openDatabase(
  settings: DatabaseSettings,
  say: (line: string) => void,
): Promise<Database> {
  if (settings.databaseUrl !== undefined)
    return connect(settings, settings.databaseUrl, true, async () => {});
  const { dataDir, databaseBuffersMb } = settings;
  const serverSettings = databaseBuffersMb === undefined ? {} : { shared_buffers: `${databaseBuffersMb}MB` };
  const server = await startEmbeddedPostgres({ dataDir, say, settings: serverSettings });
  return connect(settings, server.url, false, () => server.stop());
}

/** For commands: on the embedded database they work beside a running service, or start the server for themselves. */
export async function openDatabaseForCommand(settings: DatabaseSettings): Promise<Database> {
  const running =
    settings.databaseUrl === undefined ? await attachToEmbeddedPostgres(settings.dataDir) : undefined;
  return running === undefined
    ? openDatabase(settings, () => {})
    : connect(settings, running, true, async () => {});
}

/** Also for the replica of that database. */
export function createAdminPool(
  url: string,
  { databaseTimeoutMs }: Pick<DatabaseSettings, 'databaseTimeoutMs'>,
): Pool {
  return createPool({
    url,
    size: ADMIN_POOL_SIZE,
    timeoutMs: databaseTimeoutMs,
    // A broken idle connection is replaced by the next query, which reports what is wrong.
    onError: () => {},
    lookUps: 'planned each time',
  });
}

function connect(
  settings: DatabaseSettings,
  url: string,
  shared: boolean,
  stop: () => Promise<void>,
): Database {
  const pool = createAdminPool(url, settings);
  return {
    url,
    dir: settings.databaseUrl === undefined ? clusterPathIn(settings.dataDir) : undefined,
    pool,
    shared,
    async close() {
      await pool.end();
      await sessionsEnded();
      await stop();
    },
  };
}
