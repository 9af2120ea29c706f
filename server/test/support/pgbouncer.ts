import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
/** A real PgBouncer, where there is one. Tests that need it are skipped, and said to be, where there is not. */
const PGBOUNCER = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find(existsSync);
export const HAS_PGBOUNCER = PGBOUNCER !== undefined;
export const NEEDS_PGBOUNCER = HAS_PGBOUNCER ? '' : ' (skipped: pgbouncer is not installed)';

export type PgBouncer = { url: string; stop(): Promise<void> };

/** In front of one database, with no more settings than an operator has to write. */
export async function startPgBouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-pgbouncer-'));
  const server = new URL(databaseUrl);
  const database = server.pathname.slice(1);
  const socketDir = server.searchParams.get('host') ?? '';
  const place = `host=${socketDir} port=${server.searchParams.get('port') ?? server.port}`;
  const login = `user=${server.username} password=${decodeURIComponent(server.password)}`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n${database} = ${place} dbname=${database} ${login}\n` +
      `[pgbouncer]\nunix_socket_dir = ${folder}\nlisten_port = 6432\nauth_type = any\npool_mode = ${poolMode}\n`,
  );
  // As the user that PostgreSQL runs as: only that one may enter the folder of its socket.
  const { uid, gid } = await stat(socketDir);
  await chown(folder, uid, gid);
  const child = spawn(PGBOUNCER ?? 'pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
  let output = '';
  child.stderr?.on('data', (text) => {
    output += text;
  });
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer has ended: ${output}`);
      if (!existsSync(join(folder, '.s.PGSQL.6432'))) throw new Error('pgbouncer does not listen yet');
    },
    { timeout: 60_000 },
  );
  return {
    url: `postgres://player@/${database}?host=${encodeURIComponent(folder)}&port=6432`,
    async stop() {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
