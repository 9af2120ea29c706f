import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** Whether tests that need Mono can run here. */
export const HAS_MONO = ['mcs', 'mono'].every((program) => spawnSync(program, ['--version']).status === 0);
/** Ends the name of a group of such tests, so that a skip says why. */
export const NEEDS_MONO = HAS_MONO ? '' : ' (skipped: Mono is not installed)';

/** Starts the driver of the conformance suite. */
export const DRIVER = ['mono', `${FOLDER}dist/Savepoint.Driver.exe`];
/** The same without compiling the HTTP client of Mono anew in each process, which is most of the CPU of a short run. */
export const INTERPRETED_DRIVER = ['mono', '--interpreter', `${FOLDER}dist/Savepoint.Driver.exe`];

/** Compiles the client and its tests. Fails on any warning, such as a public member without a comment. */
export async function buildClient(): Promise<void> {
  await promisify(execFile)(`${FOLDER}build.sh`);
}

/** Runs the checks that are written in C#. Returns what they print. */
export async function runChecks(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('mono', [
    `${FOLDER}dist/Savepoint.Checks.exe`,
    folder,
    `${FOLDER}dist/Savepoint.Client.xml`,
  ]);
  return stdout;
}
