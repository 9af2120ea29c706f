import type pg from 'pg';
import { migrate } from '../../platform/db/migrate.js';
import { listMigrations } from '../../platform/db/migration-files.js';
import {
  compareMigrations,
  listApplied,
  refuseForeignSchema,
  refuseLateMigrations,
  refuseNewerSchema,
} from '../../platform/db/schema-state.js';
import {
  connectionUrl,
  ensureDatabase,
  type Login,
  SERVICE,
  withSuperuser,
} from '../../platform/embedded-postgres/login.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { copyRows, digestRows, type RowDigest } from './copy-rows.js';
import { listObjects } from './objects.js';
import {
  beginLocked,
  listOldTables,
  listPartitionTriggers,
  listSequenceValues,
  type OldTable,
} from './old-tables.js';
import { differenceOfRights, listRights, listRoles } from './rights.js';

export type CopyProgress = Readonly<{
  step: 'copying' | 'checking';
  table: string;
  /** An estimate. */
  doneBytes: number;
  totalBytes: number;
}>;

export type CopiedTable = OldTable & RowDigest;

type Options = Readonly<{ signal: AbortSignal; onProgress: (progress: CopyProgress) => void }>;
/** `stopOld` stops the old server while the locks on its tables are held: nothing is changed after it was copied. */
type CopyOptions = Options & Readonly<{ stopOld: () => Promise<void> }>;

/**
 * Makes the same database in a new, empty cluster: the schema by the migrations that the old one has had, then what the running service and
 * operators have added, then all rows in one transaction. PostgreSQL writes no log for tables that are made or emptied in the
 * transaction that fills them.
 *
 * @returns what was read from each table, to be compared with what the new server has
 */
export async function copyDatabase(
  oldLogin: Login,
  newLogin: Login,
  options: CopyOptions,
): Promise<CopiedTable[]> {
  await ensureDatabase(oldLogin);
  await ensureDatabase(newLogin);
  return withSuperuser(
    oldLogin,
    async (old) => {
      await withSuperuser(oldLogin, (watcher) => beginLocked(old, watcher), SERVICE);
      await applySameMigrations(old, newLogin, options.signal);
      const copied = await withSuperuser(newLogin, (newer) => copyAll(old, newer, options), SERVICE);
      await old.query('checkpoint');
      await options.stopOld();
      return copied;
    },
    SERVICE,
  );
}

/** No more than the old one has had: the next start applies the rest, as it always does. */
async function applySameMigrations(old: pg.Client, newLogin: Login, signal: AbortSignal): Promise<void> {
  const applied = await listApplied(old);
  const known = await listMigrations();
  const state = compareMigrations(applied, known);
  refuseForeignSchema(state);
  refuseNewerSchema(state);
  refuseLateMigrations(state);
  const migrations = known.filter(({ version }) => version <= (state.applied ?? 0));
  if (migrations.length > 0) await migrate(connectionUrl(newLogin), () => {}, { migrations, signal });
}

async function copyAll(old: pg.Client, newer: pg.Client, options: Options): Promise<CopiedTable[]> {
  refuseOtherObjects(await listObjects(old), await listObjects(newer));
  for (const sql of await listRoles(old)) await newer.query(sql);
  // No trigger and no foreign key looks at rows that have passed them before.
  await newer.query('set session_replication_role = replica');
  // Whoever makes a table owns it.
  await newer.query(`set role ${newer.escapeIdentifier(SERVICE)}`);
  await newer.query('begin');
  const copied = await copyTables(old, newer, options);
  for (const { name, value, isCalled } of await listSequenceValues(old))
    await newer.query('select setval($1::regclass, $2::bigint, $3)', [name, value, isCalled]);
  for (const sql of await listPartitionTriggers(old)) await newer.query(sql);
  await newer.query('commit');
  await newer.query('reset role');
  const rights = await listRights(old);
  for (const sql of differenceOfRights(rights, await listRights(newer))) await newer.query(sql);
  if (differenceOfRights(rights, await listRights(newer)).length > 0)
    throw new Error('the rights of the new database are not those of the old one');
  await newer.query('analyze');
  return copied;
}

function refuseOtherObjects(had: readonly string[], has: readonly string[]): void {
  const [before, after] = [new Set(had), new Set(has)];
  const added = had.filter((name) => !after.has(name));
  const missing = has.filter((name) => !before.has(name));
  if (added.length + missing.length === 0) return;
  const listed = [...added.map((name) => `  it has ${name}`), ...missing.map((name) => `  it lacks ${name}`)];
  throw new StartupError(
    `The database differs from what the migrations of Savepoint make, and the difference would be lost:\n${listed.join('\n')}\nUndo it with the Savepoint that made the database (psql), or move the database with pg_dump: docs/production.md.`,
  );
}

async function copyTables(old: pg.Client, newer: pg.Client, options: Options): Promise<CopiedTable[]> {
  const tables = await listOldTables(old);
  const made = await emptyTables(newer);
  const indexes = await dropIndexes(newer);
  const progress = startProgress('copying', tables, options);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const { name, createSql, attachSql } = table;
    const isNew = !made.has(name);
    if (isNew && createSql !== null) await newer.query(createSql);
    const digest = await copyRows(old, newer, table, progress.onBytes);
    // Of all rows at once: a partition gets its indexes when it is attached.
    if (isNew && attachSql !== null) await newer.query(attachSql);
    for (const sql of indexes.get(name) ?? []) await newer.query(sql);
    copied.push({ ...table, ...digest });
    progress.next();
  }
  return copied;
}

/** Empties the tables that migrations have made, and returns their names. */
async function emptyTables(newer: pg.Client): Promise<Set<string>> {
  const { rows } = await newer.query<{ names: string[]; sql: string }>(
    `select array_agg(relname::text) as names, format('truncate %s', string_agg(format('%I', relname), ', ')) as sql
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') having count(*) > 0`,
  );
  const [found] = rows;
  if (found !== undefined) await newer.query(found.sql);
  return new Set(found?.names);
}

/** Those that no constraint needs. Returns how they are made again, by their tables. */
async function dropIndexes(newer: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await newer.query<{ table: string; dropSql: string; createSqls: string[] }>(
    `select t.relname as table, format('drop index %s', string_agg(format('%I', x.relname), ', ')) as "dropSql",
       array_agg(pg_get_indexdef(x.oid)) as "createSqls"
     from pg_index i join pg_class t on t.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
     where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and not t.relispartition
       and not exists (select from pg_constraint c where c.conindid = x.oid)
     group by t.relname`,
  );
  for (const { dropSql } of rows) await newer.query(dropSql);
  return new Map(rows.map(({ table, createSqls }) => [table, createSqls]));
}

/** Reads all rows of the new database again. @throws if they are not those that were read from the old one */
export async function checkCopy(
  newLogin: Login,
  tables: readonly CopiedTable[],
  options: Options,
): Promise<void> {
  const progress = startProgress('checking', tables, options);
  await withSuperuser(
    newLogin,
    async (newer) => {
      for (const { name, checkSql, rows, digest } of tables) {
        const found = await digestRows(newer, checkSql, progress.onBytes);
        if (found.rows !== rows || found.digest !== digest) {
          throw new Error(
            `the copy of table ${name} is not the same: ${rows} rows with the digest ${digest} were read, and ${found.rows} with ${found.digest} are there`,
          );
        }
        progress.next();
      }
    },
    SERVICE,
  );
}

/** Rows take more room on the wire than in the table, so a table counts as its size at most. */
function startProgress(
  step: CopyProgress['step'],
  tables: readonly OldTable[],
  { signal, onProgress }: Options,
): { onBytes: (bytes: number) => void; next: () => void } {
  const totalBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  let index = 0;
  let before = 0;
  let ofTable = 0;
  signal.throwIfAborted();
  return {
    onBytes(bytes) {
      const table = tables[index];
      if (table === undefined) return;
      ofTable += bytes;
      onProgress({
        step,
        table: table.name,
        doneBytes: before + Math.min(ofTable, table.bytes),
        totalBytes,
      });
    },
    next() {
      signal.throwIfAborted();
      before += tables[index]?.bytes ?? 0;
      ofTable = 0;
      index++;
    },
  };
}
