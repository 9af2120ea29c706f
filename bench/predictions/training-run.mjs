import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownCpuMs } from '../support/processes.mjs';

const SCRIPT = fileURLToPath(new URL('train-once.mjs', import.meta.url));
const SAMPLE_MS = 100;
/** The limit of the service's own thread. */
const MEMORY_MB = 1_024;

/** Trains a game in a process of its own. `isWhole` reads all players and lifts the limit on memory. */
export async function runTraining({ databaseUrl, database, gameId, nowMs, players, isWhole }) {
  const task = { databaseUrl, gameId, nowMs, ...(isWhole ? { maxPlayers: players } : {}) };
  const backend = watchBackend(database);
  const limit = isWhole ? [] : [`--max-old-space-size=${MEMORY_MB}`];
  try {
    const trained = JSON.parse(await run([...limit, SCRIPT, JSON.stringify(task)]));
    if (trained.outcome !== 'trained') throw new Error(`the training was ${trained.outcome}`);
    return { ...trained, backend: await backend.stop() };
  } finally {
    await backend.stop();
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr || error.message));
    });
  });
}

/**
 * What the backend of a training takes: CPU, and memory of its own (without the shared buffers). Each training has a new backend, so
 * those that are gone count as well.
 */
export function watchBackend(database) {
  const cpuMsByPid = new Map();
  let peakMb = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const { rows } = await database.query(FIND_BACKENDS);
      for (const { pid } of rows) {
        cpuMsByPid.set(pid, Math.max(cpuMsByPid.get(pid) ?? 0, ownCpuMs(pid)));
        peakMb = Math.max(peakMb, anonymousMbOf(pid));
      }
      await sleep(SAMPLE_MS);
    }
  })();
  const cpuMs = () => [...cpuMsByPid.values()].reduce((sum, ms) => sum + ms, 0);
  return {
    cpuMs,
    async stop() {
      isStopped = true;
      await watching;
      return { cpuSeconds: cpuMs() / 1000, peakMb };
    },
  };
}

/** A training holds this lock until its connection ends. */
const FIND_BACKENDS = `select pid from pg_locks
  where locktype = 'advisory' and granted and classid = (hashtext('savepoint training')::bigint & 4294967295)::oid`;

function anonymousMbOf(pid) {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // the process ended meanwhile
  }
}
