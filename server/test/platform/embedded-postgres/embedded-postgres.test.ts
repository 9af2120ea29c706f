/** @module-tag full */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { isAlive, isPostmasterOf } from '../../../src/platform/embedded-postgres/process-info.js';
import { StartupError } from '../../../src/platform/lib/startup-error.js';
import {
  children,
  clearAway,
  eventually,
  folders,
  kill,
  leftovers,
  makeFolder,
  makePreparedFolder,
  newPostmaster,
  postmasterPid,
  query,
  readPidFile,
  spawnChild,
  start,
  startChild,
} from '../../support/postgres-folders.js';

const isRoot = process.getuid?.() === 0;

/** On a busy machine a start may take so long that it says what it waits for. */
const withoutWaiting = (said: readonly string[]) =>
  said.filter((line) => !line.startsWith('Waiting for PostgreSQL '));

afterEach(clearAway);

/** A data folder whose service was killed during initdb. */
async function killedInInitdb(): Promise<string> {
  for (;;) {
    const dataDir = await makeFolder();
    const child = spawnChild(dataDir);
    const isOver = () => existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
    let isCaught = false;
    while (!isCaught && !isOver()) {
      await sleep(5);
      isCaught = (await leftovers(dataDir)).length > 0;
    }
    await kill(child);
    // On a busy machine initdb may be over before this process looks again.
    if (isCaught) return dataDir;
  }
}

describe('start and stop', () => {
  test('the first start makes the database, a second one finds its data', async () => {
    const dataDir = await makeFolder();
    const said: string[] = [];
    const first = await start(dataDir, said);
    expect(withoutWaiting(said)).toEqual([
      `Preparing PostgreSQL 18 in ${dataDir}/postgres (first start only)…`,
    ]);
    expect(first.adopted).toBe(false);
    const [row] = await query(
      first.url,
      `select current_database() as database, rolsuper as "isSuperuser", current_setting('listen_addresses') as tcp,
              current_setting('timezone') as timezone, current_setting('synchronous_commit') as commit
         from pg_roles where rolname = current_user`,
    );
    expect(row).toEqual({
      database: 'savepoint',
      isSuperuser: false,
      tcp: '',
      timezone: 'UTC',
      commit: 'on',
    });
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
    expect(await leftovers(dataDir)).toEqual([]);
    await query(first.url, `create table kept as select 'still here' as text`);
    const pid = await postmasterPid(dataDir);
    await first.stop();
    expect(isAlive(pid)).toBe(false);

    said.length = 0;
    const second = await start(dataDir, said);
    expect(await query(second.url, 'select text from kept')).toEqual([{ text: 'still here' }]);
    expect(withoutWaiting(said)).toEqual([]);
    expect(second.url).toBe(first.url);
  });

  test('stop may be called again, and frees the folder', async () => {
    const dataDir = await makePreparedFolder();
    const server = await start(dataDir);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(existsSync(join(dataDir, 'savepoint.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('a long path with a comma, quotes and blanks moves the socket to the temporary directory', async () => {
    const dataDir = join(await makeFolder(), `studio's "data", ${'x'.repeat(80)}`);
    const server = await start(dataDir);
    expect(new URL(server.url).searchParams.get('host')).toContain(join(tmpdir(), 'savepoint-'));
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await rm(new URL(server.url).searchParams.get('host') ?? '', { recursive: true });
  });
});

describe('after a kill', () => {
  test('a server whose service was killed is adopted, watched and stopped', async () => {
    const dataDir = await makePreparedFolder();
    const service = await startChild(dataDir);
    await query(service.url, 'create table kept as select 1 as n');
    await kill(service.child);
    const pid = await postmasterPid(dataDir);

    const said: string[] = [];
    const server = await start(dataDir, said);
    expect(server.adopted).toBe(true);
    expect(withoutWaiting(said)).toEqual([
      `Took over PostgreSQL (pid ${pid}), which an earlier Savepoint left running.`,
    ]);
    expect(await postmasterPid(dataDir)).toBe(pid);
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 1 }]);

    process.kill(pid, 'SIGKILL');
    const restarted = await newPostmaster(dataDir, pid);
    expect(await eventually(() => query(server.url, 'select n from kept'))).toEqual([{ n: 1 }]);
    await server.stop();
    expect(isAlive(restarted)).toBe(false);
  });

  test('an adopted server is stopped by stop', async () => {
    const dataDir = await makePreparedFolder();
    await kill((await startChild(dataDir)).child);
    const pid = await postmasterPid(dataDir);
    await (await start(dataDir)).stop();
    expect(isAlive(pid)).toBe(false);
  });

  test('service and server both killed: the next start recovers', async () => {
    const dataDir = await makePreparedFolder();
    const service = await startChild(dataDir);
    await query(service.url, 'create table kept as select 1 as n');
    await kill(service.child);
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    const server = await start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  test('a server that shuts down is waited for', async () => {
    const dataDir = await makePreparedFolder();
    const service = await startChild(dataDir);
    await kill(service.child);
    const pid = await postmasterPid(dataDir);
    const client = new pg.Client({ connectionString: service.url });
    await client.connect();
    process.kill(pid, 'SIGTERM'); // a smart shutdown waits for this client
    await eventually(async () => expect(await readPidFile(dataDir)).toContain('stopping'));
    const starting = start(dataDir);
    await sleep(300);
    await client.end();
    expect((await starting).adopted).toBe(false);
    expect(await postmasterPid(dataDir)).not.toBe(pid);
  });

  test.each(['dead', 'another program'])(
    'a stale postmaster.pid does not matter (its pid: %s)',
    async (kind) => {
      const dataDir = await makePreparedFolder();
      const first = await start(dataDir);
      const socketLock = join(dataDir, 'postgres-run', '.s.PGSQL.5432.lock');
      const before = { pid: await readPidFile(dataDir), socket: await readFile(socketLock, 'utf8') };
      await first.stop();
      const { uid, gid } = await stat(join(dataDir, 'postgres'));
      // PostgreSQL by itself starts beside another user's process, so the other program is of the same user.
      const other = spawn('sleep', ['60'], { uid, gid });
      children.push(other);
      await once(other, 'spawn');
      if (kind === 'dead') await kill(other);
      const asOther = (text: string) => text.replace(/^\d+/, String(other.pid));
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), asOther(before.pid));
      await writeFile(socketLock, asOther(before.socket));

      const server = await start(dataDir);
      expect(server.adopted).toBe(false);
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  test('what a killed first start left behind is cleared away', async () => {
    const dataDir = await makeFolder();
    await mkdir(join(dataDir, 'postgres.init-0badcafe', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'postgres.init-0badcafe', 'PG_VERSION'), '18\n');
    await writeFile(join(dataDir, 'savepoint.lock'), '');
    await writeFile(join(dataDir, 'postgres-password.new'), 'half');
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await leftovers(dataDir)).toEqual([]);
  });

  test('a service killed during initdb leaves nothing that hinders the next', async () => {
    const server = await start(await killedInInitdb());
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('one service for each data folder', () => {
  test('of two started at once, one is refused', async () => {
    const dataDir = await makeFolder();
    const results = await Promise.allSettled([start(dataDir), start(dataDir)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refusal = results.find((result) => result.status === 'rejected')?.reason;
    expect(refusal).toBeInstanceOf(StartupError);
    expect(refusal.message).toContain(
      `Another Savepoint is already running on this data folder (pid ${process.pid})`,
    );
  });

  test('the server of a running service is not adopted', async () => {
    const dataDir = await makePreparedFolder();
    const service = await startChild(dataDir);
    await expect(start(dataDir)).rejects.toThrow(
      `(pid ${service.child.pid}). Stop it, or set SAVEPOINT_DATA_DIR`,
    );
    expect(await query(service.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a lock whose pid now belongs to another process does not block', async () => {
    const dataDir = await makePreparedFolder();
    await writeFile(
      join(dataDir, 'savepoint.lock'),
      JSON.stringify({ pid: process.pid, started: 'long ago' }),
    );
    await (await start(dataDir)).stop();
  });
});

describe('the supervisor', () => {
  test('starts a killed server again, under the same URL', async () => {
    const dataDir = await makePreparedFolder();
    const said: string[] = [];
    const server = await start(dataDir, said);
    await query(server.url, 'create table kept as select 1 as n');
    for (let round = 0; round < 2; round += 1) {
      const pid = await postmasterPid(dataDir);
      process.kill(pid, 'SIGKILL');
      const next = await newPostmaster(dataDir, pid);
      expect(await eventually(() => query(server.url, 'select n from kept'))).toEqual([{ n: 1 }]);
      expect(said).toContain(`PostgreSQL (pid ${pid}) ended unexpectedly; starting it again.`);
      await eventually(async () => expect(said).toContain(`PostgreSQL is running again (pid ${next}).`));
    }
  });

  test('waits for children of the killed server that are still at work', async () => {
    const dataDir = await makePreparedFolder();
    const server = await start(dataDir);
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = rows[0]?.pid ?? 0;
    // Stopped, it keeps the memory for as long as the test wants, as a long statement does.
    process.kill(backend, 'SIGSTOP');
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    const log = () => readFile(join(dataDir, 'postgres.log'), 'utf8');
    await eventually(async () => expect(await log()).toContain('pre-existing shared memory block'));
    process.kill(backend, 'SIGCONT');
    await newPostmaster(dataDir, pid);
    expect(await eventually(() => query(server.url, 'select 1 as one'))).toEqual([{ one: 1 }]);
    await client.end().catch(() => {});
  });

  test('stop wins over a restart, at whatever moment', async () => {
    const dataDir = await makePreparedFolder();
    for (const delayMs of [0, 20, 60, 120]) {
      const server = await start(dataDir);
      process.kill(await postmasterPid(dataDir), 'SIGKILL');
      await sleep(delayMs);
      await server.stop();
      await sleep(300);
      const pid = await postmasterPid(dataDir).catch(() => 0);
      expect(isPostmasterOf(pid, join(dataDir, 'postgres'))).toBe(false);
    }
  });
});

describe('refusals, each with a sentence', () => {
  test.each(['a file', '/proc'])('a data folder that cannot be made (below %s)', async (kind) => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'file'), '');
    const dataDir = kind === '/proc' ? '/proc/savepoint' : join(folder, 'file', 'data');
    await expect(start(dataDir)).rejects.toThrow(
      /^Savepoint cannot write to its data folder .* SAVEPOINT_DATA_DIR/,
    );
  });

  test('a data folder that may not be written, unless by root, who may write everywhere', async () => {
    const dataDir = await makeFolder();
    await chmod(dataDir, 0o555);
    if (isRoot) await (await start(dataDir)).stop();
    else await expect(start(dataDir)).rejects.toThrow(/permission denied.*SAVEPOINT_DATA_DIR/);
    await chmod(dataDir, 0o755);
  });

  test('something that is no database in its place, which is left alone', async () => {
    const dataDir = await makeFolder();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'mine');
    await expect(start(dataDir)).rejects.toThrow('is not a PostgreSQL database');
    expect(await readFile(join(dataDir, 'postgres', 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('a database of another version, a lost password, a wrong one, a broken one', async () => {
    const dataDir = await makePreparedFolder();
    await (await start(dataDir)).stop();
    const cluster = join(dataDir, 'postgres');
    const refusalWhen = async (path: string, content: string | undefined) => {
      const original = await readFile(path);
      if (content === undefined) await rm(path);
      else await writeFile(path, content);
      const refusal = await start(dataDir).catch((error: unknown) => error);
      await writeFile(path, original, { mode: 0o600 });
      expect(refusal).toBeInstanceOf(StartupError);
      return (refusal as StartupError).message;
    };
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const older = await refusalWhen(join(cluster, 'PG_VERSION'), '15\n');
    expect(older).toContain('made by PostgreSQL 15');
    expect(older).toContain(
      `npm install --prefix postgres-15 ${name}@15.… (for …, see \`npm view ${name} versions\`: take the last 15)\n  savepoint upgrade --from-binaries postgres-15`,
    );
    expect(await refusalWhen(join(cluster, 'PG_VERSION'), '99\n')).toContain('Start the newer Savepoint');
    expect(await refusalWhen(join(dataDir, 'postgres-password'), undefined)).toContain('is missing');
    expect(await refusalWhen(join(dataDir, 'postgres-password'), 'wrong')).toContain('refuses the password');
    const broken = await refusalWhen(join(cluster, 'postgresql.conf'), 'nonsense = here\n');
    expect(broken).toContain('PostgreSQL ended while starting');
    expect(broken).toContain('unrecognized configuration parameter "nonsense"');
    expect(broken).toContain(join(dataDir, 'postgres.log'));
    await (await start(dataDir)).stop();
  });
});

describe('as root', () => {
  test.skipIf(!isRoot)(
    'a folder closed to PostgreSQL’s user: the database lives elsewhere, behind a link',
    async () => {
      const closed = await makeFolder();
      await chmod(closed, 0o700);
      const dataDir = join(closed, 'data');
      folders.push(dataDir);
      const said: string[] = [];
      const first = await start(dataDir, said);
      const home = await realpath(join(dataDir, 'postgres'));
      expect(home).toMatch(/^\/var\/lib\/savepoint\/clusters\/[0-9a-f]{16}$/);
      expect(said.join('\n')).toContain(`The database lives in ${home}`);
      expect((await stat(home)).uid).not.toBe(0);
      expect((await stat(join(dataDir, 'postgres-password'))).uid).toBe(0);
      await query(first.url, 'create table kept as select 1 as n');
      await first.stop();
      const second = await start(dataDir);
      expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
      await second.stop();

      await rm(dataDir, { recursive: true });
      const afresh = await start(dataDir, said);
      expect(said.join('\n')).toContain(`was moved to ${home}.abandoned-`);
      await expect(query(afresh.url, 'select n from kept')).rejects.toThrow('does not exist');
      await afresh.stop();

      await rm(home, { recursive: true });
      await expect(start(dataDir)).rejects.toThrow('is gone');
      for (const name of await readdir(dirname(home))) {
        if (name.startsWith(basename(home))) await rm(join(dirname(home), name), { recursive: true });
      }
    },
  );

  test.skipIf(!isRoot)('PostgreSQL runs as another user and keeps none of root’s groups', async () => {
    const dataDir = await makePreparedFolder();
    await start(dataDir);
    const status = await readFile(`/proc/${await postmasterPid(dataDir)}/status`, 'utf8');
    expect(status).not.toMatch(/^Uid:.*\b0\b/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });
});
