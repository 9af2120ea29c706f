import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The project: the client as an addon, the example, the driver and the checks. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Whether tests that need Godot can run here: 4.4 is the first with typed dictionaries. */
export const HAS_GODOT = isRecent(spawnSync('godot', ['--version'], { encoding: 'utf8' }).stdout);
/** Ends the name of a group of such tests, so that a skip says why. */
export const NEEDS_GODOT = HAS_GODOT ? '' : ' (skipped: Godot 4.4 or newer is not installed)';

const command = (script: string) => [
  'godot',
  '--headless',
  '--no-header',
  '--path',
  PROJECT,
  '--script',
  `res://test/${script}.gd`,
];

/** Starts the driver of the conformance suite. */
export const DRIVER = command('driver');

/** Runs a script of the test folder. Returns the lines that it prints, and the errors of the engine. */
export async function runScript(
  script: string,
  ...args: string[]
): Promise<{ lines: string[]; errors: string }> {
  const [program = '', ...rest] = [...command(script), '--', ...args];
  const { stdout, stderr } = await promisify(execFile)(program, rest);
  return { lines: stdout.trimEnd().split('\n'), errors: stderr };
}

function isRecent(version: string | null): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? [];
  return Number(major) === 4 && Number(minor) >= 4;
}
