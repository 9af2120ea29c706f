// npm run bench:growth [-- --events 20000000] : does the cost of an event grow with what is stored? Measures batches of 50 with
// few, 1 million and many stored events, in one run, and the latency at half of that rate with an open loop.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openLoop } from './support/open-loop.mjs';
import { cpuMsOf } from './support/processes.mjs';
import { loginMany, startService } from './support/service.mjs';
import { runWrk } from './support/wrk.mjs';

const BATCH = 50;
const SECONDS = 5;
const { values } = parseArgs({ options: { events: { type: 'string', default: '20000000' } } });

const folder = await mkdtemp(join(tmpdir(), 'savepoint-growth-'));
const service = await startService({ SAVEPOINT_WORKERS: '2' });
const sessions = await loginMany(service.api, 500, 'known');
const sessionsFile = join(folder, 'sessions.txt');
await writeFile(
  sessionsFile,
  sessions.map(({ accessToken, tenantId }) => `${accessToken} ${tenantId}\n`).join(''),
);
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();

async function measure() {
  const cpuBefore = cpuMsOf(service.pid);
  const run = await runWrk({
    url: `${service.api}/v1/events`,
    seconds: SECONDS,
    script: fileURLToPath(new URL('./lua/events.lua', import.meta.url)),
    env: { BENCH_SESSIONS: sessionsFile, BENCH_BATCH: String(BATCH), BENCH_RUN: String(Date.now()) },
  });
  if (run.failed > 0) throw new Error(`${run.failed} of ${run.requests} requests failed`);
  const cpuMicros = ((cpuMsOf(service.pid) - cpuBefore) * 1000) / (run.requests * BATCH);
  return { perSecond: run.perSecond * BATCH, cpuMicros };
}

/** Straight into the table, over a week of partitions: rows that intake has to live with, not part of the measurement. */
async function fill(target) {
  const { rows } = await database.query('select count(*)::int as n from events');
  for (let stored = rows[0].n; stored < target; ) {
    const count = Math.min(500_000, target - stored);
    await database.query(
      `insert into events (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type, payload, metadata)
       select now() - (n % 604800) * interval '1 second', 1 + n % 500, now(), gen_random_uuid(), 1, false, 'Ad_Impression',
         jsonb_build_object('userId', 'user-1', 'sessionId', 'session-1', 'adId', 'ad-' || n, 'campaignId', 'campaign-1'),
         '{"deviceType":"phone","osName":"Android","osVersion":"16"}'
       from generate_series(1, $1::int) n`,
      [count],
    );
    stored += count;
    process.stderr.write(`\rfilled ${(stored / 1e6).toFixed(1)} million `);
  }
  process.stderr.write('\n');
  // As autovacuum would have left them, had they come in over days: else it starts with the measurement.
  await database.query('vacuum (analyze) events');
  await database.query('checkpoint').catch(() => {});
}

try {
  await measure();
  for (const stored of [0, 1_000_000, Number(values.events)]) {
    await fill(stored);
    const runs = [await measure(), await measure(), await measure()].sort(
      (a, b) => a.perSecond - b.perSecond,
    );
    const { perSecond, cpuMicros } = runs[1];
    console.log(
      `${String(stored).padStart(9)} stored: ${perSecond.toFixed(0)} events/s, ${cpuMicros.toFixed(1)} µs of CPU an event`,
    );
    const latency = await openLoop({
      api: service.api,
      sessions,
      batch: BATCH,
      eventsPerSecond: perSecond / 2,
      seconds: 10,
    });
    console.log(
      `           at half of that (${latency.eventsPerSecond.toFixed(0)}/s, open loop): p50 ${latency.p50Ms.toFixed(0)} ms, p99 ${latency.p99Ms.toFixed(0)} ms`,
    );
  }
} finally {
  await database.end();
  await service.stop();
  await service.remove();
  await rm(folder, { recursive: true, force: true });
}
