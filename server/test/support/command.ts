import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../src/app/bin/program.js';
import { DAY_MS } from './game-world.js';

/** The program as it is installed. */
export const SAVEPOINT = fileURLToPath(new URL('../../bin/savepoint.mjs', import.meta.url));

type Environment = Record<string, string>;

/** Not the list in the data folder of the repository: other tests start there with other master keys. */
const erasedList = join(tmpdir(), `savepoint-erased-${process.pid}`);
process.once('exit', () => rmSync(erasedList, { force: true }));

/** On a database that is there already, without a master key. */
const onDatabase = (url: string): Environment => ({
  SAVEPOINT_ENV: 'production',
  DATABASE_URL: url,
  SAVEPOINT_ERASED_LIST: erasedList,
});

/** With a master key, which commands that seal or open secrets need. */
const under = (masterKey: string, url: string): Environment => ({
  ...onDatabase(url),
  SAVEPOINT_MASTER_KEY: masterKey,
});

/** The built command in a process of its own: for signals, pipes and what else concerns the process. It takes a second of CPU. */
export function startCommand(databaseUrl: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return start(args, onDatabase(databaseUrl));
}

export function startCommandUnder(
  masterKey: string,
  databaseUrl: string,
  ...args: string[]
): ChildProcessWithoutNullStreams {
  return start(args, under(masterKey, databaseUrl));
}

/** On a data folder, where it starts the embedded PostgreSQL unless a service has started it. */
export function startEmbeddedCommand(dataDir: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return start(args, { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir });
}

/** A busy machine must not decide a test. */
const PATIENT = { SAVEPOINT_DB_TIMEOUT_MS: '60000' };

function start(args: readonly string[], settings: Environment): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [SAVEPOINT, ...args], { env: { ...process.env, ...PATIENT, ...settings } });
}

export type Finished = { out: string; errors: string; code: number | null };

/** What the command prints and its exit code, from the command line on; but in this process, which has loaded the code already. */
export function runCommand(databaseUrl: string, ...args: string[]): Promise<Finished> {
  return runCommandWith(onDatabase(databaseUrl), ...args);
}

export function runCommandUnder(
  masterKey: string,
  databaseUrl: string,
  ...args: string[]
): Promise<Finished> {
  return runCommandWith(under(masterKey, databaseUrl), ...args);
}

let lastRun: Promise<unknown> = Promise.resolve();

/** Commands take over the output and the environment of this process, so they run one after the other. */
export function runCommandWith(settings: Environment, ...args: string[]): Promise<Finished> {
  const run = lastRun.then(() => runHere(args, { ...PATIENT, ...settings }));
  lastRun = run.catch(() => {});
  return run;
}

async function runHere(args: readonly string[], settings: Environment): Promise<Finished> {
  const { env, exitCode } = process;
  const out = capture(process.stdout);
  const errors = capture(process.stderr);
  process.env = { ...env, ...settings };
  process.exitCode = undefined;
  try {
    const code = await runProgram(args);
    return { out: out.text(), errors: errors.text(), code: code ?? Number(process.exitCode ?? 0) };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    out.restore();
    errors.restore();
  }
}

function capture(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const chunks: Buffer[] = [];
  const { write } = stream;
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk));
    const written = rest.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
  return {
    text: () => Buffer.concat(chunks).toString(),
    restore: () => {
      stream.write = write;
    },
  };
}

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
