import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = [
  'server/test',
  'statistics/test',
  'sdk/test',
  'clients',
  'simulator/test',
  'console/test',
  'e2e',
];
const MODULE_TAG = '/** @module-tag full */';

export type Selection = { include: string[]; tagsFilter?: string[] };

/**
 * Which tests run. `npm test` is for the loop of a developer: what breaks the product, in five minutes. What is tagged `full` runs by
 * `npm run test:full` (`--mode full`): trainings of simulated games, faults and attacks, other clients, most pages of the console. A file
 * that is named runs as a whole. Files without a test that is wanted are left out here, so that they are not imported either.
 */
export function selectTests(mode: string, commandLine: readonly string[]): Selection {
  const files = FOLDERS.flatMap(testFiles);
  const names = commandLine.filter((argument) => argument.includes('.test.'));
  if (names.length > 0) return { include: files };
  if (mode === 'full') return { include: files.filter(hasFullTests), tagsFilter: ['full'] };
  return { include: files.filter((path) => !isFull(path)), tagsFilter: ['!full'] };
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

function isFull(path: string): boolean {
  return readFileSync(path, 'utf8').includes(MODULE_TAG);
}

function hasFullTests(path: string): boolean {
  return isFull(path) || readFileSync(path, 'utf8').includes("tags: ['full']");
}
