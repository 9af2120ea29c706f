import { parentPort, workerData } from 'node:worker_threads';
import { openFileStore } from '../../insight/event-files/open-store.js';
import type { EventFilesTask } from '../../insight/event-files/run-event-files-thread.js';
import { writeEventFiles } from '../../insight/event-files/writing/write-files.js';
import { createPool } from '../../platform/db/pool.js';
import { clockFrom } from '../../platform/lib/clock.js';
import { stepBehindPlayers } from '../../platform/lib/thread-priority.js';
import { mapStackTraces } from '../../platform/telemetry/map-stack-traces.js';

/** The thread that writes files, started by run-event-files-thread.ts. */

const CONNECTIONS = 1;
/** Only look-ups of keys go through the pool. */
const TIMEOUT_MS = 30_000;

mapStackTraces();
stepBehindPlayers();
const { databaseUrl: url, settings, nowMs } = workerData as EventFilesTask;
const pool = createPool({ url, size: CONNECTIONS, timeoutMs: TIMEOUT_MS, onError: () => {} });
try {
  const store = openFileStore(settings, clockFrom(nowMs).now);
  parentPort?.postMessage(await writeEventFiles({ pool, store, nowMs }));
} finally {
  await pool.end();
}
