import type pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { listMigrations, type Migration } from './migration-files.js';
import type { Pool } from './pool.js';

type AppliedMigration = Readonly<{ version: number; name: string }>;

/** How the schema of a database compares with this build's. */
export type SchemaState = Readonly<{
  /** The version of the database; undefined for an empty one. */
  applied: number | undefined;
  /** The newest version that this build knows. */
  known: number;
  /** An applied migration that this build has another one, or none, in the place of. */
  foreign: string | undefined;
  /** A migration of this build that was not applied, though a later one was. */
  late: string | undefined;
}>;

export async function findSchemaState(pool: Pool): Promise<SchemaState> {
  return compareMigrations(await listApplied(pool), await listMigrations());
}

/** Whether this build can run on the database as it is. */
export async function isMigrated(pool: Pool): Promise<boolean> {
  const { applied = 0, known, foreign, late } = await findSchemaState(pool);
  return foreign === undefined && late === undefined && applied >= known;
}

/** None for a database without the table. */
export async function listApplied(db: Pool | pg.Client): Promise<AppliedMigration[]> {
  const found = await db.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  );
  if (found.rows[0]?.isThere !== true) return [];
  const { rows } = await db.query<AppliedMigration>(
    'select version, name from schema_migrations order by version',
  );
  return rows;
}

export function compareMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaState {
  const known = migrations.at(-1)?.version ?? 0;
  const names = new Map(migrations.map(({ version, name }) => [version, name]));
  const foreign = applied.find(({ version, name }) => version <= known && names.get(version) !== name);
  const newest = applied.at(-1)?.version;
  const there = new Set(applied.map(({ version }) => version));
  const late = migrations.find(({ version }) => version < (newest ?? 0) && !there.has(version));
  return { applied: newest, known, foreign: foreign?.name, late: late?.name };
}

/** A database that was made by other migrations than this build's cannot be brought to its schema. */
export function refuseForeignSchema({ foreign }: SchemaState): void {
  if (foreign === undefined) return;
  throw new StartupError(
    `The database has migration ${foreign}, which this build does not have: it was made by a build before 1.0, or by another program, and cannot be upgraded. Use an empty database (DATABASE_URL) or an empty folder (SAVEPOINT_DATA_DIR).`,
  );
}

/** A migration may count on those before it only, so one that comes late cannot simply be applied after them. */
export function refuseLateMigrations({ late, applied }: SchemaState): void {
  if (late === undefined) return;
  throw new StartupError(
    `Migration ${late} of this build was not applied, but the database is already at version ${applied}: the migration was added late under a lower number. Give it a number above ${applied}, or start the build that migrated the database.`,
  );
}

export function refuseNewerSchema({ applied = 0, known }: SchemaState): void {
  if (applied <= known) return;
  throw new StartupError(
    `The database is at schema version ${applied}, but this build knows only up to ${known}. Start a newer build; schemas never go back.`,
  );
}
