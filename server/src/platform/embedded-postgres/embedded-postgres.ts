import { join } from 'node:path';
import { prepareBinaries } from './binaries.js';
import { bringUp, type ServerSpec } from './bring-up.js';
import { hasCluster, makeCluster, removeLeftovers } from './cluster.js';
import {
  clusterPathIn,
  findClusterDir,
  linkCluster,
  makeSocketDir,
  READING_PORT,
  SOCKET_PORT,
  setAsideAbandoned,
} from './cluster-place.js';
import { noteVersion } from './cluster-version.js';
import { openDataDir } from './data-dir.js';
import { takeDataLock } from './data-lock.js';
import { explainFileError, explainProgramFailure } from './failures.js';
import { connectionUrl, ensureDatabase } from './login.js';
import { makePassword, readPassword } from './password-file.js';
import { adoptPostmaster, shutDown } from './postmaster.js';
import { findRunningServer, type RunningServer } from './postmaster-pid.js';
import { chooseServerUser } from './server-user.js';
import { supervise } from './supervisor.js';
import { finishSwap, refuseEmptyBeside } from './swap-clusters.js';

export type EmbeddedPostgres = {
  /** For `pg`: the database "savepoint", with user and password. Stays good when the server is restarted. */
  readonly url: string;
  /** Whether a server left behind by a killed service was taken over. */
  readonly adopted: boolean;
  /** Stops the server, by force after 8 s, and frees the data folder. May be called again. */
  stop(): Promise<void>;
};

type Options = {
  /** SAVEPOINT_DATA_DIR; the cluster is <dataDir>/postgres. */
  readonly dataDir: string;
  /** Progress, for a person. */
  readonly say: (line: string) => void;
  /** PostgreSQL settings that win over the defaults, such as `fsync: 'off'` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder with another PostgreSQL than that of this Savepoint, for trials of upgrades. */
  readonly binaries?: string;
};

/**
 * Runs the PostgreSQL that comes with Savepoint on a data folder: sets it up on the first start, takes over a
 * server that a killed service left running, and restarts it should it die.
 *
 * @throws StartupError with a sentence for a person
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const root = await openDataDir(options.dataDir);
  try {
    const release = await takeDataLock(root);
    try {
      return await start(root, options, release);
    } catch (error) {
      await release();
      throw error;
    }
  } catch (error) {
    throw explainFileError(error, options.dataDir);
  }
}

async function start(
  root: string,
  options: Options,
  release: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const { say } = options;
  const spec = await prepare(root, options);
  const first = await bringUp(spec, new AbortController().signal);
  try {
    await ensureDatabase(spec.login);
  } catch (error) {
    await shutDown(first, spec.clusterDir);
    const output = error instanceof Error ? error.message : String(error);
    throw explainProgramFailure(output, { ...spec, what: 'PostgreSQL did not make the database' });
  }
  if (first.adopted) say(`Took over PostgreSQL (pid ${first.pid}), which an earlier Savepoint left running.`);

  const supervisor = supervise({
    first,
    clusterDir: spec.clusterDir,
    restart: (signal) => bringUp(spec, signal),
    say,
  });
  let stopped: Promise<void> | undefined;
  return {
    url: connectionUrl(spec.login),
    adopted: first.adopted,
    stop() {
      stopped ??= supervisor.stop().finally(release);
      return stopped;
    },
  };
}

/** Programs, cluster and password in place, nothing running that was not before. */
async function prepare(root: string, options: Options): Promise<ServerSpec> {
  const { dataDir, say, settings = {} } = options;
  const finished = await finishSwap(root);
  if (finished !== undefined)
    say(
      `Finished ${finished === 'restored' ? 'a restore' : 'an upgrade'} of the database that was interrupted.`,
    );
  const user = await chooseServerUser(clusterPathIn(root));
  const binaries = await prepareBinaries(root, user, options.binaries);
  const clusterDir = await findClusterDir(root, dataDir, user);
  await setAsideAbandoned(root, clusterDir, say);
  const exists = await hasCluster(root, clusterDir, binaries);
  if (!exists) await refuseEmptyBeside(root, clusterDir);
  const running = await findServerToAdopt(clusterDir);
  // A server found running keeps its socket, also when TMPDIR has changed since.
  const socketDir = running?.socketDir || (await makeSocketDir(root, clusterDir, user));
  const port = running?.port ?? SOCKET_PORT;

  await removeLeftovers(clusterDir, socketDir);
  const password = exists ? await readPassword(root) : await makePassword(root);
  if (!exists) {
    say(`Preparing PostgreSQL ${binaries.major} in ${dataDir}/postgres (first start only)…`);
    const sync = settings.fsync !== 'off';
    await makeCluster({ clusterDir, socketDir, dataDir, binaries, user, password, sync });
  }
  if (await linkCluster(root, clusterDir)) {
    say(
      `The database lives in ${clusterDir}, because PostgreSQL runs as the user "${user?.name}", who cannot enter ${dataDir}. ${dataDir}/postgres is a link to it.`,
    );
  }
  await noteVersion(root, binaries);
  const logFile = join(root, 'postgres.log');
  return {
    dataDir,
    clusterDir,
    logFile,
    login: { socketDir, port, password },
    binaries,
    user,
    settings,
    say,
  };
}

/** The old server of an upgrade that was killed has no autovacuum, so it is stopped. */
async function findServerToAdopt(clusterDir: string): Promise<RunningServer | undefined> {
  const running = await findRunningServer(clusterDir);
  if (running?.port !== READING_PORT) return running;
  await shutDown(adoptPostmaster(running.pid), clusterDir);
  return undefined;
}
