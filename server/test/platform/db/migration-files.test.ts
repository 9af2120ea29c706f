import { describe, expect, it } from 'vitest';
import { indexChanges, isConcurrent, listMigrations } from '../../../src/platform/db/migration-files.js';

describe('the files of migrations', () => {
  it('make indexes of tables that are there already without blocking writers', async () => {
    const blocking = (await listMigrations())
      .filter((migration) => !isConcurrent(migration))
      .flatMap(({ name, sql }) => {
        const created = new Set([...sql.matchAll(/^create table (\w+)/gm)].map(([, table]) => table));
        const indexed = [...sql.matchAll(/^create (?:unique )?index \w+ on (\w+)/gm)].map(
          ([, table]) => table,
        );
        return indexed.filter((table) => !created.has(table)).map((table) => `${name}: ${table}`);
      });
    expect(blocking).toEqual([]);
  });

  it('that make them hold nothing else', async () => {
    const concurrent = (await listMigrations()).filter(isConcurrent);
    for (const migration of concurrent) expect(indexChanges(migration)).not.toEqual([]);
  });

  it('say of every table what one row is', async () => {
    const sql = (await listMigrations()).map((migration) => migration.sql).join('\n');
    const tables = [...sql.matchAll(/^create table (\w+) \(/gm)].map(([, table]) => table);
    const commented = new Set([...sql.matchAll(/^comment on table (\w+)/gm)].map(([, table]) => table));
    expect(tables.length).toBeGreaterThan(40);
    expect(tables.filter((table) => !commented.has(table))).toEqual([]);
  });

  it.each([
    ['create index concurrently a on t (b)', { action: 'create', index: 'a' }],
    ['create unique index concurrently a on t (b) where b is not null', { action: 'create', index: 'a' }],
    ['drop index concurrently if exists a', { action: 'drop', index: 'a' }],
  ])('can tell what is done by: %s', (sql, change) => {
    expect(indexChanges({ version: 1, name: '0001_a_concurrently.sql', sql: `-- why\n${sql};\n` })).toEqual([
      { ...change, sql },
    ]);
  });

  it.each([
    'create index a on t (b)',
    'create index concurrently on t (b)',
    'create index concurrently if not exists a on t (b)',
    'drop index concurrently a',
    'update t set b = 1',
  ])('are refused with: %s', (sql) => {
    expect(() => indexChanges({ version: 1, name: '0001_a_concurrently.sql', sql })).toThrow(
      '0001_a_concurrently.sql may hold nothing but',
    );
  });
});
