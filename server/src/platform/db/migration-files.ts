import { readdir, readFile } from 'node:fs/promises';
import { inPackage } from '../package-files.js';

const MIGRATIONS = inPackage('migrations/');
const CONCURRENT = /_concurrently\.sql$/;

/** A file of server/migrations. */
export type Migration = Readonly<{ version: number; name: string; sql: string }>;

/** In the order of their versions. */
export async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file,
      sql: await readFile(new URL(file, MIGRATIONS), 'utf8'),
    })),
  );
}

/** A statement that makes or drops an index while others write to the table. */
export type IndexChange = Readonly<{ action: 'create' | 'drop'; index: string; sql: string }>;

/** Whether a migration makes indexes without blocking writers, for which PostgreSQL allows no transaction around them. */
export function isConcurrent({ name }: Migration): boolean {
  return CONCURRENT.test(name);
}

const INDEX_CHANGE =
  /^(?:(create)(?: unique)? index concurrently ([a-z0-9_]+)\s+on\s|(drop) index concurrently if exists ([a-z0-9_]+)$)/;

/** The statements of a concurrent migration. They can be told apart and done again one by one, so nothing else may be in it. */
export function indexChanges({ name, sql }: Migration): IndexChange[] {
  const statements = sql
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return statements.map((statement) => {
    const [, create, created, , dropped] = INDEX_CHANGE.exec(statement) ?? [];
    const index = created ?? dropped;
    if (index === undefined) {
      throw new Error(
        `${name} may hold nothing but "create [unique] index concurrently <name> on …" and "drop index concurrently if exists <name>", not: ${statement}`,
      );
    }
    return { action: create === undefined ? 'drop' : 'create', index, sql: statement };
  });
}
