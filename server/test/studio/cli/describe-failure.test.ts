import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/platform/errors.js';
import { describeFailure } from '../../../src/studio/cli/describe-failure.js';
import { finished, runCommand } from '../../support/command.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.js';

const failure = (message: string, more: object) => Object.assign(new Error(message), more);
const lost = { code: 'EPIPE', syscall: 'write' };

describe('what a command says about an error', () => {
  it.each([
    [
      'a full disk',
      failure('ENOSPC: no space left on device, write', { code: 'ENOSPC' }),
      /The disk is full: free/,
    ],
    [
      'a folder without rights',
      failure("EACCES: permission denied, open '/x'", { code: 'EACCES', syscall: 'open', path: '/x' }),
      /'\/x'\. Give the user who runs this command the right to it/,
    ],
    [
      'a database that has gone',
      failure('write EPIPE', lost),
      /^The connection to the database was lost: write EPIPE\. See/,
    ],
    [
      'a database that was stopped',
      failure('terminating connection due to administrator command', { code: '57P01' }),
      /^The connection to the database was lost: terminating/,
    ],
    [
      'a slow database',
      failure('canceling statement due to statement timeout', { code: '57014' }),
      /^The database did not respond in time: .*SAVEPOINT_DB_TIMEOUT_MS/,
    ],
    [
      'its full disk',
      failure('could not extend file', { code: '53100' }),
      /^The disk of the database is full/,
    ],
    [
      'its full connections',
      failure('too many clients', { code: '53300' }),
      /^PostgreSQL has no connection left/,
    ],
    ['a standby', failure('read-only transaction', { code: '25006' }), /^The database can only be read/],
    ['a lock', failure('deadlock detected', { code: '40P01' }), /^Others change the same rows/],
    [
      'a right',
      failure('permission denied for table games', { code: '42501' }),
      /^PostgreSQL refuses it to the role/,
    ],
    ['a refusal of the API', new ApiError('not_found'), /^[A-Z][^\n]+\.$/],
    [
      'a refusal for the database',
      new ApiError('unavailable', { cause: failure('write EPIPE', lost) }),
      /^The connection to the database was lost/,
    ],
    [
      'a request that fails',
      Object.assign(new TypeError('fetch failed'), { cause: failure('connect ECONNREFUSED ::1:1', {}) }),
      /cannot be reached: connect ECONNREFUSED ::1:1\. Check its address/,
    ],
  ])('names %s, and what to do', (_name, error, sentence) => {
    expect(describeFailure(error)).toMatch(sentence);
    expect(describeFailure(error, 'Nothing was changed.')).toMatch(/\. Nothing was changed\.$/);
  });

  it.each([
    new TypeError('x is not a function'),
    new ApiError('internal'),
    failure('relation "x" does not exist', { code: '42P01' }),
  ])('leaves a defect its stack trace: %o', (error) => {
    expect(describeFailure(error)).toBeUndefined();
  });
});

describe('a command', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database.url);
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  it('whose database goes away says so, and what became of its work', async () => {
    const cut = proxy.cutAtNextCommit('before');
    const { code, out, errors } = await runCommand(proxy.url, 'tenant', 'create', 'cut');
    await cut;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toMatch(
      /^\nThe connection to the database was lost: [^\n]+ A change that was not committed was rolled back\.\n$/,
    );
  });

  it('says the same about an error that nothing waits for', async () => {
    const module = new URL('../../../dist/app/bin/program.js', import.meta.url).href;
    const script = `const { endOnUncaught } = await import(${JSON.stringify(module)});
      endOnUncaught();
      setInterval(() => {}, 1_000);
      Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
    expect(await finished(child)).toEqual({
      code: 1,
      out: '',
      errors: expect.stringMatching(/^\nThe connection to the database was lost: write EPIPE\. [^\n]+\n$/),
    });
  });
});
