import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Pool, query, transaction } from '../../../src/platform/db/pool.js';
import { type StatementWatch, watchStatements } from '../../../src/platform/db/watch-statements.js';
import { createSlowStatements } from '../../../src/platform/telemetry/slow-statements.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { NO_TIMEOUT_MS } from '../../support/harness.js';

describe('slow statements', () => {
  const record = () => {
    const lines: { statement: string; ms: number; othersSince: number }[] = [];
    const stream = new PassThrough();
    stream.on('data', (line) => lines.push(JSON.parse(String(line))));
    let now = 0;
    const watch = createSlowStatements(100, pino(stream), () => now);
    const run = (statement: string, ms: number) => {
      const end = watch(statement);
      now += ms;
      end();
    };
    return { lines, run };
  };

  it('are logged from the threshold on, on one line', () => {
    const { lines, run } = record();
    run('select 1', 99);
    run('select *\n  from players', 100);
    expect(lines).toMatchObject([{ statement: 'select * from players', ms: 100, othersSince: 0 }]);
  });

  it('are logged once a second, with the number of those left out', () => {
    const { lines, run } = record();
    for (let n = 0; n < 5; n++) run(`statement ${n}`, 200);
    run('the next', 1_000);
    expect(lines).toMatchObject([
      { statement: 'statement 0', othersSince: 0 },
      { statement: 'the next', othersSince: 4 },
    ]);
  });
});

describe('a watch on a pool', () => {
  let database: TestDatabase;
  let pool: Pool;
  let told: string[] = [];
  const watch: StatementWatch = (statement) => (error) => {
    told.push(error === undefined ? statement : `${statement}: ${error.message}`);
  };
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'empty' });
    pool = createPool({ url: database.url, size: 1, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
    watchStatements(pool, watch);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('is told of every statement once, by name where it has one, and of its failure', async () => {
    // The settings of a new connection are not a statement of anybody.
    await pool.query('select 0');
    told = [];
    await pool.query('select $1::int', [42]);
    await query(pool, { name: 'of-a-name', text: 'select 2' }, []);
    await transaction(pool, (client) => client.query('select 3'));
    await expect(pool.query('select nonsense')).rejects.toThrow();
    expect(told).toEqual([
      'select $1::int',
      'of-a-name',
      'begin',
      'select 3',
      'commit',
      'select nonsense: column "nonsense" does not exist',
    ]);
  });
});
