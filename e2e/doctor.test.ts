import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runHere } from './support/run-here.js';
import { cleanUp, temporaryFolder } from './support/service.js';

afterAll(cleanUp);

it('doctor finds nothing wrong with a new installation, names a misspelt setting, and creates nothing', async () => {
  const folder = await temporaryFolder();
  const settings = { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: join(folder, 'data') };
  const { code, output } = await runHere(['doctor'], { ...settings, SAVEPOINT_PROT: '8080' });
  expect(output).toContain(
    '  warning  settings: SAVEPOINT_PROT is not a setting. Did you mean "SAVEPOINT_PORT"?\n',
  );
  expect(output).toMatch(/^ {2}\S+ +free space of the data folder: /m);
  expect(output).toContain('embedded PostgreSQL (made at the first start)');
  expect(output).not.toContain('PROBLEM');
  expect(code).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

it('a misspelt setting is named at the start, also of one that fails', async () => {
  const { code, output } = await runHere(['start'], {
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_WORKRES: '2',
    SAVEPOINT_PORT: 'eighty',
  });
  expect(code).toBe(1);
  expect(output).toContain(
    'Warning: SAVEPOINT_WORKRES is not a setting. Did you mean "SAVEPOINT_WORKERS"?\n',
  );
});
