/** @module-tag full */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GameFolder } from '../../../src/insight/event-files/manifest.js';
import { DAY, DAY_START, fillClosedDay } from '../../support/closed-day.js';
import { runCommandWith } from '../../support/command.js';
import { createFilesFolder, type FilesFolder } from '../../support/event-files.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

let world: GameWorld;
let files: FilesFolder;
let one: GameFolder;
let other: string;
beforeAll(async () => {
  world = await createGameWorld();
  files = await createFilesFolder(world.pool);
  const [player] = await fillClosedDay(world);
  one = { gameId: player?.gameId ?? 0, tenant: 'studio', game: 'one' };
  await world.pool.query("insert into event_block_days (day, state) values ($1, 'kept')", [DAY]);
  await files.write();
  other = `${files.folder}/studio/two/${(await files.manifest('two')).files[0]?.file}`;
});
afterAll(async () => {
  await files.remove();
  await world.close();
});

describe('a question to the files of a game', () => {
  it('is answered with columns, rows and their types', async () => {
    const sql = `select event_type, min(received_at) as first, sum(price) as paid, count(*) as n, payload ->> 'durationMs' as ms
                 from events where event_type = 'Session_End' group by all order by ms limit 1`;
    expect(await files.ask(one, sql)).toEqual({
      outcome: 'answered',
      answer: {
        columns: [
          { name: 'event_type', type: 'VARCHAR' },
          { name: 'first', type: 'TIMESTAMP' },
          { name: 'paid', type: 'DECIMAL(38,6)' },
          { name: 'n', type: 'BIGINT' },
          { name: 'ms', type: 'VARCHAR' },
        ],
        rows: [['Session_End', expect.stringContaining('20'), null, expect.anything(), expect.any(String)]],
        isCut: false,
      },
    });
  });

  it('gets as many rows as it may, and is told that there are more', async () => {
    const outcome = await files.ask(one, 'select event_type from events', { maxRows: 3 });
    expect(outcome).toMatchObject({
      answer: { rows: [[expect.anything()], [expect.anything()], [expect.anything()]], isCut: true },
    });
    const long = await files.ask(one, `select repeat('x', 1000) from events`, { maxBytes: 2_500 });
    expect(long).toMatchObject({ answer: { rows: [expect.anything(), expect.anything()], isCut: true } });
  });

  it('finds nothing where there are no files, by the same columns', async () => {
    const empty = { gameId: await world.addGame('empty'), tenant: 'studio', game: 'empty' };
    const columns = async (game: GameFolder) =>
      files.rows(game, 'select column_name, column_type from (describe events)');
    expect(await columns(empty)).toEqual(await columns(one));
    expect(await files.rows(empty, 'select count(*)::integer from events')).toEqual([[0]]);
  });

  it('is told what is wrong with it, in the words of DuckDB', async () => {
    expect(await files.ask(one, 'select level from events')).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('"level"'),
    });
    expect(await files.ask(one, 'selct 1')).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('syntax error'),
    });
  });

  it.each([
    'select 1; select 2',
    'set memory_limit = 0',
    'explain analyze select 1',
    `attach '/tmp/other.db'`,
    'load httpfs',
  ])('is refused where it is not one statement that reads: %s', async (sql) => {
    expect(await files.ask(one, sql)).toMatchObject({ outcome: 'refused' });
  });

  it.each([
    ['a file of the machine', () => `select * from read_text('/etc/hostname')`],
    ['a file to write', () => `copy events to '/tmp/stolen.csv'`],
    ['a list of files', () => `select * from glob('/etc/*')`],
    ['the files of another game', () => `select count(*) from read_parquet('${other}')`],
    ['the same by its name alone', () => `select count(*) from '${other}'`],
    ['the shape of a file', () => `select * from sniff_csv('/etc/passwd')`],
    ['an address', () => `select * from read_csv('https://example.com/a.csv')`],
  ])('does not reach %s', async (_, sql) => {
    const outcome = await files.ask(one, sql());
    expect(outcome).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(/^(Permission|Missing Extension|IO|Invalid Input|Catalog) ?.*Error/),
    });
  });

  it('cannot write to the files that it may read', async () => {
    const own = `${files.folder}/studio/one/${(await files.manifest('one')).files[0]?.file}`;
    const outcome = await files.ask(one, `copy (select 1) to '${own}' (format parquet)`);
    expect(outcome.outcome).not.toBe('answered');
    expect(await files.rows(one, 'select count(*) > 0 from events')).toEqual([[true]]);
  });

  it('knows nothing of the settings and the time zone of the service', async () => {
    const at = `select current_setting('TimeZone'), min(received_at)::varchar from events`;
    expect(await files.rows(one, at)).toEqual([
      ['UTC', new Date(DAY_START).toISOString().replace('T', ' ').replace('.000Z', '')],
    ]);
    expect(await files.ask(one, `select getenv('PATH')`)).toMatchObject({ outcome: 'failed' });
  });

  it('ends when it takes too much memory, or too long', async () => {
    const memory =
      'select count(distinct hash(a.range * 1000003 + b.range)) from range(100000) a, range(1000) b';
    expect(await files.ask(one, memory, { memoryMb: 64 })).toMatchObject({ outcome: 'out_of_memory' });
    const endless = 'select sum(sqrt(range)) from range(1000000000000)';
    expect(await files.ask(one, endless, { maxMs: 500 })).toMatchObject({ outcome: 'out_of_time' });
  });

  it('ends when it takes memory that DuckDB does not count', async () => {
    const texts = `select list_transform(range(2500), x -> repeat('a', 1000000))`;
    expect(await files.ask(one, texts, { memoryMb: 64 })).toMatchObject({ outcome: 'out_of_memory' });
    // More than the bound, which the kernel gives, and work that takes hours.
    const kept = `select list_transform([list_transform(range(130), x -> repeat('a', 1000000))],
      l -> levenshtein(repeat('a', 500000), repeat('b', 500000 + len(l))))`;
    expect(await files.ask(one, kept, { memoryMb: 64 })).toMatchObject({ outcome: 'out_of_memory' });
  });

  it.runIf(process.platform === 'linux')('is what the kernel ends first', async () => {
    const stop = new AbortController();
    const endless = 'select sum(sqrt(range)) from range(1000000000000)';
    const asked = files.ask(one, endless, {}, stop.signal).catch(String);
    await expect.poll(scoresOfQuestions, { timeout: 60_000 }).toEqual(['1000']);
    stop.abort();
    expect(await asked).toContain('AbortError');
  });

  it('gets no long error, and no row that does not fit', async () => {
    expect(await files.ask(one, 'select error(repeat(chr(10), 12000000))')).toEqual({
      outcome: 'failed',
      message: expect.stringMatching(/^.{10,40}\n{3900,3999}…$/),
    });
    expect(await files.ask(one, `select repeat('x', 5000000)`)).toMatchObject({
      outcome: 'answer_too_large',
    });
  });
});

describe('savepoint sql', () => {
  const sql = (question: string) =>
    runCommandWith(
      { SAVEPOINT_ENV: 'production', DATABASE_URL: world.url, SAVEPOINT_EVENT_FILES_DIR: files.folder },
      ...['sql', '--tenant', 'studio', '--game', 'one', question],
    );

  it('prints no control characters of an error, and its lines', async () => {
    const { errors, code } = await sql(`select error('one' || chr(10) || 'two' || chr(27) || '[2J')`);
    expect([errors, code]).toEqual([expect.stringMatching(/one\ntwo\\u001b\[2J\n/), 1]);
  });

  it('shortens names of columns and cells of a table', async () => {
    const { out } = await sql(`select repeat('x', 1000) as "${'n'.repeat(400)}"`);
    expect(out).toBe(`${'n'.repeat(59)}…\n${'x'.repeat(59)}…\n`);
  });
});

/** By the kernel: `oom_score_adj` of the processes that answer questions of this one. */
function scoresOfQuestions(): string[] {
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((pid) => read(pid, 'cmdline').includes('sql-child.js'))
    .filter((pid) => read(pid, 'status').includes(`PPid:\t${process.pid}\n`))
    .map((pid) => read(pid, 'oom_score_adj').trim());
}
