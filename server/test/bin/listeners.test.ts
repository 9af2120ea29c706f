import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const CLUSTER = fileURLToPath(new URL('listeners-cluster.mjs', import.meta.url));

it('a worker accepts several connections in a turn of its event loop, also after another one has died', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [CLUSTER]);
  expect(JSON.parse(stdout)).toEqual({ responses: 64, isSeveralPerTurn: true });
});
