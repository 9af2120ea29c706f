import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cpuMsOf, workerRssMb } from './processes.mjs';
import { loginBody, loginMany, startFloor, startService } from './service.mjs';
import { runWrk } from './wrk.mjs';

const PLAYERS = 500;

/** The service with players in it, the floors beside it, and a way to measure both. */
export async function createPlayground({ workers, folder }) {
  const service = await startService({ SAVEPOINT_WORKERS: String(workers) });
  const sessions = await loginMany(service.api, PLAYERS, 'known');
  const first = sessions[0];
  const headers = {
    authorization: `Bearer ${first.accessToken}`,
    'x-tenant-id': first.tenantId,
    'x-game-id': first.gameId,
    'x-player-id': first.userId,
  };
  // The floors answer the very bytes that the service does.
  const bodies = {};
  for (const path of ['/v1/player/status', '/v1/player/store_configs', '/v1/player/segments']) {
    bodies[path] = await (await fetch(service.api + path, { headers })).text();
  }
  bodies['/auth/login'] = JSON.stringify(first);
  const floor = await startFloor('http.mjs', {
    FLOOR_WORKERS: String(workers),
    FLOOR_BODIES: JSON.stringify(bodies),
  });
  const sessionsFile = join(folder, 'sessions.txt');
  await writeFile(
    sessionsFile,
    sessions
      .map(({ accessToken, tenantId, gameId, userId }) => `${accessToken} ${tenantId} ${gameId} ${userId}\n`)
      .join(''),
  );
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  let files = 0;

  return {
    service,
    floor,
    workers,
    sessionsFile,
    databaseUrl: service.databaseUrl,

    /** Signed logins: of the known players again and again, or of devices nobody has seen. */
    async writeLogins(kind, count) {
      const file = join(folder, `logins-${files++}.txt`);
      const prefix = kind === 'known' ? 'known' : `new-${Date.now()}`;
      const device = (n) => (kind === 'known' ? `${prefix}-${n % PLAYERS}` : `${prefix}-${n}`);
      await writeFile(file, Array.from({ length: count }, (_, n) => `${loginBody(device(n))}\n`).join(''));
      return file;
    },

    /** Refresh tokens that nobody has used. */
    async writeRefreshes(count) {
      const file = join(folder, `refreshes-${files++}.txt`);
      const fresh = await loginMany(service.api, count, 'known');
      await writeFile(
        file,
        fresh.map(({ refreshToken }) => `${JSON.stringify({ refreshToken })}\n`).join(''),
      );
      return file;
    },

    /** A wrk run against the service, with what it cost the service and its database. */
    async measure(path, options) {
      const cpuBefore = cpuMsOf(service.pid);
      const walBefore = await walPosition(database);
      const run = await runWrk({ url: service.api + path, ...options });
      const wal = (await walPosition(database)) - walBefore;
      if (run.failed > 0) throw new Error(`${path}: ${run.failed} of ${run.requests} requests failed`);
      return {
        ...run,
        cpuMicros: ((cpuMsOf(service.pid) - cpuBefore) * 1000) / run.requests,
        walBytes: wal / run.requests,
        workerRssMb: workerRssMb(service.pid),
      };
    },

    async close() {
      await database.end();
      await floor.stop();
      await service.stop();
      await service.remove();
    },
  };
}

async function walPosition(database) {
  const { rows } = await database.query("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as at");
  return rows[0].at;
}
