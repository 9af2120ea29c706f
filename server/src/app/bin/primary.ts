import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { listForeignRoots } from '../../core/events/receipts/load-apple-receipts.js';
import { type Database, openDatabase } from '../../platform/db/database.js';
import type { Settings } from '../../platform/settings/settings.js';
import { createLogger } from '../../platform/telemetry/logger.js';
import { type Installation, PATIENCE, prepareInstallation } from './installation.js';
import { startProcesses } from './processes.js';
import { refuseTakenPort } from './taken-port.js';
import { printWelcome } from './welcome.js';

/**
 * The first process: it prepares the database, and keeps the API workers and the operations process running. It runs no
 * code of a request, so no request can hold it up.
 *
 *   starting ──► running ──signal──► draining: not ready, still serving ──► stopping: processes finish their requests
 *                                                                       ──► database closed ──► exit
 */
const GIVE_WAY_MS = 3_000;
export async function runPrimary(settings: Settings, say: (line: string) => void): Promise<void> {
  await refuseTakenPort(settings.host, settings.port, 'SAVEPOINT_PORT');
  await refuseTakenPort(settings.opsHost, settings.opsPort, 'SAVEPOINT_OPS_PORT');

  // From here on Ctrl-C waits for the step of the start that runs, so that whatever was started is also stopped.
  const { first: asked, second: askedAgain } = catchSignals();
  const signal = abortedBy(asked);
  const logger = createLogger(settings);
  for (const warning of await listForeignRoots(settings)) logger.warn(warning);
  let isPreparing = true;
  void asked.then((name) => {
    if (isPreparing) say(`\n${name}: ending the start…`);
  });
  const prepared = await prepare(settings, say, signal).catch((error: unknown) => {
    // Ctrl-C reaches the programs that were setting up PostgreSQL as well.
    if (!signal.aborted) throw error;
    return undefined;
  });
  if (prepared === undefined || signal.aborted) {
    await prepared?.database.close();
    say('Savepoint has stopped.');
    process.exit(0);
  }
  isPreparing = false;
  const { database, installation } = prepared;
  const processes = startProcesses(
    settings,
    { databaseUrl: database.url, databaseDir: database.dir, masterKey: installation.masterKeyText },
    logger,
  );
  let isServing = false;
  const stop = async (name: string): Promise<void> => {
    if (settings.drainSeconds > 0 && isServing) {
      processes.drain();
      say(`\n${name}: serving for ${settings.drainSeconds} s more, until balancers have noticed…`);
      await Promise.race([sleep(settings.drainSeconds * 1000), askedAgain]);
    }
    say(`\n${name}: finishing requests in flight…`);
    await processes.stop();
    await database.close();
    say('Savepoint has stopped.');
  };
  asked.then(stop).then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'the service could not be stopped cleanly');
      process.exit(1);
    },
  );

  const serve = async (): Promise<void> => {
    // Only now: the admin API takes as long to load as a worker does, and players come first. Not for ever: when no worker
    // comes up, this is where operators look.
    await Promise.race([processes.playerPort, asked, sleep(GIVE_WAY_MS)]);
    if (signal.aborted) return;
    const [opsPort, signInPath, port] = await Promise.all([
      processes.startOperations(),
      createSignInPath(settings, database, logger),
      processes.playerPort,
    ]);
    isServing = true;
    printWelcome(settings, { port, opsPort, signInPath }, say);
  };
  await serve().catch((error: unknown) => {
    // The database is being closed.
    if (!signal.aborted) throw error;
  });
}

type Prepared = Readonly<{ database: Database; installation: Installation }>;

async function prepare(
  settings: Settings,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Prepared> {
  const database = await openDatabase(settings, say);
  try {
    const installation = await prepareInstallation(settings, database, say, { ...PATIENCE, signal });
    // Again, because that took a while: workers may listen beside another service without an error (shared-port.ts).
    await refuseTakenPort(settings.host, settings.port, 'SAVEPOINT_PORT');
    return { database, installation };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** In development: signs in to the demo studio. */
async function createSignInPath(
  settings: Settings,
  { pool }: Database,
  logger: Logger,
): Promise<string | undefined> {
  if (settings.environment !== 'development') return undefined;
  const { demoSignInPathIfPossible } = await import('../demo-account.js');
  return demoSignInPathIfPossible(pool, logger);
}

/** The first one stops the service, the second one ends the wait for balancers. */
function catchSignals(): Readonly<{ first: Promise<string>; second: Promise<string> }> {
  const next = () =>
    new Promise<string>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(signal));
    });
  const first = next();
  return { first, second: first.then(next) };
}

function abortedBy(asked: Promise<string>): AbortSignal {
  const controller = new AbortController();
  void asked.then(() => controller.abort());
  return controller.signal;
}
