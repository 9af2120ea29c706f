import inspector from 'node:inspector';
import type { Logger } from 'pino';
import { type MasterKeys, parseMasterKeys, UnsealError } from '../security/master-keys.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { createLogger } from '../telemetry/logger.js';
import { BEAT_MS } from './heartbeat.js';
import { mapStackTraces } from './map-stack-traces.js';

export type ChildOptions = Readonly<{
  settings: Settings;
  databaseUrl: string;
  /** The folder of the embedded database; undefined if it is another server, whose disk nobody here can look at. */
  databaseDir: string | undefined;
  masterKeys: MasterKeys;
  logger: Logger;
}>;

export type RunningChild = Readonly<{ port: number; close(): Promise<void> }>;

/** What a process tells the primary, besides its responses to questions. */
export type ChildMessage =
  | Readonly<{ type: 'heartbeat'; isInspected: boolean }>
  | Readonly<{ type: 'listening'; port: number }>;

/** A process of the service that the primary starts, watches, replaces and stops: see supervised-process.ts. */
export async function runChild(start: (options: ChildOptions) => Promise<RunningChild>): Promise<void> {
  mapStackTraces();
  const read = readSettings(process.env, { tty: false });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { settings } = read;
  const { databaseUrl } = settings;
  const databaseDir = process.argv[2];
  const keys = parseMasterKeys(settings.masterKey ?? '');
  if (!keys.ok || databaseUrl === undefined || process.send === undefined) {
    throw new Error('this process is started by `savepoint start`, not by hand');
  }
  const logger = createLogger(settings);

  // Ctrl-C reaches the whole process group; the primary decides when a process stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  process.once('disconnect', () => process.exit(1));
  let running: RunningChild | undefined;
  process.on('message', (message: { type?: string }) => {
    if (message.type === 'stop') void stop(running, logger);
  });
  setInterval(() => tell({ type: 'heartbeat', isInspected: inspector.url() !== undefined }), BEAT_MS);

  try {
    running = await start({ settings, databaseUrl, databaseDir, masterKeys: keys.keys, logger });
  } catch (error) {
    // The master key was rotated, and the running service does not have the new one. The sentence says so; a stack trace would
    // not.
    if (!(error instanceof UnsealError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  tell({ type: 'listening', port: running.port });
}

/** A primary that is gone ends this process: nothing is to be done about what could not be told. */
function tell(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => {});
}

async function stop(running: RunningChild | undefined, logger: Logger): Promise<void> {
  try {
    await running?.close();
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'a process could not be stopped cleanly');
    process.exit(1);
  }
}
