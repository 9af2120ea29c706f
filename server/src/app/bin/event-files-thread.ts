import { parentPort, workerData } from 'node:worker_threads';
import { openFileStore } from '../../insight/event-files/open-store.js';
import { writeEventFiles } from '../../insight/event-files/writing/write-files.js';
import { createPool } from '../../platform/db/pool.js';
import { clockFrom } from '../../platform/lib/clock.js';
import { stepBehindPlayers } from '../../platform/lib/thread-priority.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import { mapStackTraces } from '../../platform/telemetry/map-stack-traces.js';

/**
 * The thread that writes files, started by run-event-files-thread.ts: a row group takes a good part of a second in which a process
 * would serve nothing.
 */
export type EventFilesTask = Readonly<{ databaseUrl: string; settings: EventFilesSettings; nowMs: number }>;

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
