import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DAY_MS } from './game-world.js';

/** The program as it is installed. */
export const SAVEPOINT = fileURLToPath(new URL('../../bin/savepoint.mjs', import.meta.url));

/** The built command on a database that is there already, without a master key. */
export function startCommand(databaseUrl: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return run(args, { SAVEPOINT_ENV: 'production', DATABASE_URL: databaseUrl });
}

/** With a master key, which commands that seal or open secrets need. */
export function startCommandUnder(
  masterKey: string,
  databaseUrl: string,
  ...args: string[]
): ChildProcessWithoutNullStreams {
  const settings = { SAVEPOINT_ENV: 'production', SAVEPOINT_MASTER_KEY: masterKey };
  return run(args, { ...settings, DATABASE_URL: databaseUrl });
}

/** On a data folder, where it starts the embedded PostgreSQL unless a service has started it. */
export function startEmbeddedCommand(dataDir: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return run(args, { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir });
}

function run(args: readonly string[], settings: Record<string, string>): ChildProcessWithoutNullStreams {
  // A busy machine must not decide a test.
  const patient = { SAVEPOINT_DB_TIMEOUT_MS: '60000' };
  return spawn(process.execPath, [SAVEPOINT, ...args], { env: { ...process.env, ...patient, ...settings } });
}

export type Finished = { out: string; errors: string; code: number | null };

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { out, errors, code };
}

/** Asks once more if midnight (UTC) passed meanwhile: commands read the clock themselves. */
export async function withinOneDay<T>(ask: (today: number) => Promise<T>): Promise<T> {
  const startOfDay = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (;;) {
    const today = startOfDay();
    const response = await ask(today);
    if (startOfDay() === today) return response;
  }
}
