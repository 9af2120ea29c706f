import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('../../../src/platform/telemetry/map-stack-traces.ts', import.meta.url));

const SOURCE = `
import { mapStackTraces } from '${MODULE}';

type Unused = string;

mapStackTraces();
function fail(): never {
  throw new TypeError('it is late');
}
try {
  fail();
} catch (error) {
  process.stdout.write((error as Error).stack ?? '');
}
`;

it('names the lines of the sources in the stack traces of a bundle, and those of the bundle without a map', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-stack-'));
  const input = join(folder, 'clock.ts');
  const file = join(folder, 'dist/programs/clock.js');
  await writeFile(input, SOURCE);
  const build = await rolldown({ input, platform: 'node' });
  await build.write({ file, format: 'es', sourcemap: true, sourcemapExcludeSources: true });
  await build.close();
  const lines = async () => (await promisify(execFile)(process.execPath, [file])).stdout.split('\n');

  const [message, first, second] = await lines();
  expect(message).toBe('TypeError: it is late');
  expect(first).toMatch(/^ {4}at fail \(file:\/\/.*\/clock\.ts:8:\d+\)$/);
  expect(second).toMatch(/^ {4}at file:\/\/.*\/clock\.ts:11:\d+$/);

  await rm(`${file}.map`);
  expect((await lines())[1]).toMatch(/^ {4}at fail \(file:\/\/.*\/dist\/programs\/clock\.js:\d+:\d+\)$/);
  await rm(folder, { recursive: true });
});
