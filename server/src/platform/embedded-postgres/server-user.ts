import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../lib/startup-error.js';
import { ifExists } from './errno.js';

/** The account PostgreSQL runs under when the service runs as root, which PostgreSQL refuses. */
export type ServerUser = { readonly name: string; readonly uid: number; readonly gid: number };

/**
 * PostgreSQL's programs see no variable of the service: PGPORT and its like would change the server, and the
 * service's secrets would be readable in another account's process. LC_ALL keeps messages in English, which
 * is how failures are told apart, and macOS single-threaded at start.
 */
const PROGRAM_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Spawn options for a program of PostgreSQL. Given a uid or gid, libuv calls setgroups(0) before it changes
 * them, so that none of root's supplementary groups is kept (see `Groups:` in /proc/<pid>/status). `cwd` is
 * one that every account may enter.
 */
export function runAs(user: ServerUser | undefined) {
  const base = { cwd: '/', env: PROGRAM_ENV };
  // spawn takes signed ids: nobody is -2 on macOS.
  return user === undefined ? base : { ...base, uid: user.uid | 0, gid: user.gid | 0 };
}

/** Undefined when the service is not root: then PostgreSQL runs as the service's own user. */
export async function chooseServerUser(clusterPath: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await listAccounts();
  const owner = await ifExists(stat(clusterPath));
  if (owner !== undefined && owner.uid !== 0) {
    const known = accounts.find((account) => account.uid === owner.uid);
    return ableToSwitch(known ?? { name: `#${owner.uid}`, uid: owner.uid, gid: owner.gid });
  }
  const above = await ifExists(stat(dirname(clusterPath)));
  const chosen = [
    // A new cluster in the data folder of another user is for the service of that user: `sudo savepoint restore` on a new machine. A user
    // without a name, as of a container's host, cannot make one.
    accounts.find((account) => account.uid === above?.uid),
    ...['postgres', 'nobody'].map((name) => accounts.find((account) => account.name === name)),
  ];
  const user = chosen.find((account) => account !== undefined && account.uid !== 0);
  if (user !== undefined) return ableToSwitch(user);
  throw new StartupError(
    'PostgreSQL refuses to run as root, and this system has neither a user "postgres" nor "nobody" to run it as. Start Savepoint as an ordinary user, or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

/** Tries it as that user instead of reading modes: ACLs, mounts and parents all count. */
export function canEnter(user: ServerUser, directory: string): boolean {
  return tryShell(user, 'cd -- "$1"', directory).status === 0;
}

/** Root in a container may lack the capability to change the user. */
function ableToSwitch(user: ServerUser): ServerUser {
  const { error } = tryShell(user, ':');
  if (error === undefined) return user;
  throw new StartupError(
    `Savepoint runs as root but may not start PostgreSQL as the user "${user.name}" (${error.message}). Start Savepoint as an ordinary user, or set DATABASE_URL to use a PostgreSQL of your own.`,
    { cause: error },
  );
}

function tryShell(user: ServerUser, script: string, ...args: string[]) {
  return spawnSync('/bin/sh', ['-c', script, 'sh', ...args], runAs(user));
}

async function listAccounts(): Promise<ServerUser[]> {
  const text = (await ifExists(readFile('/etc/passwd', 'utf8'))) ?? '';
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || !uid || !gid || line.startsWith('#')) return [];
    // fs takes unsigned ids.
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
  });
}
