import { describe, expect, it } from 'vitest';
import {
  type ClickHouseLoad,
  clickHouseStatements,
  parseLoaded,
} from '../../../src/insight/event-files/clickhouse.js';
import { fileName } from '../../../src/insight/event-files/manifest.js';

/** The statements themselves are tried with ClickHouse by `npm run operations -- clickhouse`. */

const SHA = (digit: string) => digit.repeat(64);
const fileOf = (day: string, generation: number, sha256: string, events = 3) => ({
  ...{ gameId: 1, day, generation, file: fileName(day, generation), events, bytes: 100, sha256 },
  writtenAt: 0,
});
const FILES = [fileOf('2026-11-14', 1, SHA('a')), fileOf('2026-11-15', 2, SHA('b'), 5)];
const HIDE_AND_DROP = [
  "alter table events_files drop partition '2026-11-15'",
  "alter table events_stored drop partition ('2026-11-15', 2)",
];

/** Without the statements that make the tables. */
function load(changes: Partial<ClickHouseLoad> = {}): string[] {
  const [stored, files, view, ...rest] = clickHouseStatements({
    game: { gameId: 1, tenant: 'studio', game: 'one' },
    files: FILES,
    table: 'events',
    loaded: [],
    source: (name) => `file('${name}')`,
    ...changes,
  });
  expect([stored, files, view].join()).toMatch(
    /^create table .*create table .*create view if not exists events /,
  );
  return rest.map((statement) => statement.replace(/\(day, generation, event_id.*? select /, '(…) select '));
}

describe('the statements that load files into ClickHouse', () => {
  it('list a file after its rows were stored and counted', () => {
    expect(load({ files: FILES.slice(1) })).toEqual([
      "alter table events_files drop partition '2026-11-15'",
      "alter table events_stored drop partition ('2026-11-15', 2)",
      expect.stringMatching(
        /^insert into events_stored \(…\) select toDate\('2026-11-15'\), 2, event_id, .* from file\('studio\/one\/events-2026-11-15-g2\.parquet'\)$/,
      ),
      "select throwIf(count() <> 5, 'not all events of 2026-11-15 were read') from events_stored where day = '2026-11-15' and generation = 2 format Null",
      `insert into events_files (day, generation, sha256, events) values ('2026-11-15', 2, '${SHA('b')}', 5)`,
    ]);
  });

  it('load nothing that is there', () => {
    const loaded = parseLoaded(
      `2026-11-14\t1\t${SHA('a')}\n2026-11-14\t1\t\n2026-11-15\t2\t${SHA('b')}\n2026-11-15\t2\t\n`,
    );
    expect(load({ loaded })).toEqual([]);
  });

  it('replace a former generation, and drop it once the new one is listed', () => {
    const loaded = parseLoaded(
      `2026-11-14\t1\t${SHA('a')}\n2026-11-14\t1\t\n2026-11-15\t1\t${SHA('c')}\n2026-11-15\t1\t\n`,
    );
    const statements = load({ loaded });
    expect(statements.at(-2)).toContain(`values ('2026-11-15', 2, '${SHA('b')}', 5)`);
    expect(statements.at(-1)).toBe("alter table events_stored drop partition ('2026-11-15', 1)");
    expect(statements).toHaveLength(5);
    expect(statements[0]).toBe("alter table events_stored drop partition ('2026-11-15', 2)");
  });

  it('load a file again that has another content: a database that was restored counts generations anew', () => {
    const loaded = parseLoaded(`2026-11-14\t1\t${SHA('a')}\n2026-11-15\t2\t${SHA('c')}\n`);
    const statements = load({ loaded });
    expect(statements).toHaveLength(5);
    expect(statements.slice(0, 2)).toEqual(HIDE_AND_DROP);
  });

  it('hide a day before its rows are dropped where nobody said what is listed', () => {
    expect(load({ loaded: [] }).slice(5, 7)).toEqual(HIDE_AND_DROP);
    const interrupted = parseLoaded(`2026-11-14\t1\t${SHA('a')}\n2026-11-15\t2\t\n`);
    expect(load({ loaded: interrupted }).slice(0, 2)).toEqual(HIDE_AND_DROP);
  });

  it('forget days that are gone, and what interrupted loads have left', () => {
    const loaded = parseLoaded(
      `2026-11-13\t4\t${SHA('d')}\n2026-11-13\t4\t\n2026-11-14\t1\t${SHA('a')}\n2026-11-14\t9\t\n2026-11-15\t2\t${SHA('b')}\n`,
    );
    expect(load({ loaded })).toEqual([
      "alter table events_files drop partition '2026-11-13'",
      "alter table events_stored drop partition ('2026-11-13', 4)",
      "alter table events_stored drop partition ('2026-11-14', 9)",
    ]);
  });

  it('are not made from lines of another form, or names that are none', () => {
    expect(() => load({ table: 'events; drop table x' })).toThrow('cannot be a part of a statement');
    expect(() => parseLoaded("2026-11-14\t1\t'; drop table x\n")).toThrow(
      'is not a day, a generation and a digest',
    );
  });
});
