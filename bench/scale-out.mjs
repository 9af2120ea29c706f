// npm run bench -- scale-out [--seconds N] [--batch N] [--rounds N]
// What an event costs each part of an installation, as docs/scaling.md uses it to say how many of each are needed: the API
// processes, PostgreSQL, NATS and consumers, directly and over JetStream on one and on three servers. CPU time per event
// depends far less than a rate on other work of the machine. Loopback only; every run is bounded.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createBodyFiles } from './support/body-files.mjs';
import { findServer, startConsumer, startNats } from './support/nats.mjs';
import { commandOf, cpuMsOf, treeOf } from './support/processes.mjs';
import { loginMany, startService } from './support/service.mjs';
import { lua, runWrk } from './support/wrk.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    batch: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);
const batch = Number(values.batch);
const PLAYERS = 500;
const DRAIN_SECONDS = 120;

const folder = await mkdtemp(join(tmpdir(), 'savepoint-scale-'));
const modes = (await findServer()) === undefined ? [0] : [0, 1, 3];
const rows = [];
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const servers of modes) rows.push(...(await measure(servers)).map((row) => ({ round, ...row })));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(
  `\n${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.version}, batches of ${batch}; everything on the same cores\n`,
);
printMedians(rows);

async function measure(servers) {
  const nats = servers === 0 ? undefined : await startNats(servers, folder);
  const service = await startService({
    SAVEPOINT_WORKERS: '2',
    ...(nats === undefined
      ? {}
      : { NATS_URL: nats.urls, SAVEPOINT_NATS_REPLICAS: String(servers), SAVEPOINT_CONSUME: 'off' }),
  });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  try {
    const name = nats === undefined ? 'direct' : `${servers} × ${nats.description}`;
    const costs = () => ({
      api: cpuOfAll(service.pid, 'worker.js'),
      postgres: cpuOfAll(service.pid, 'postgres -D'),
      nats: nats?.pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0) ?? 0,
    });
    const intake = await measureIntake(service, costs);
    console.log(describe(`${name}: intake`, intake));
    const results = [{ what: `${name}: intake`, ...intake }];
    if (nats === undefined) return [...results, { what: 'direct: storage', ...(await storage(database)) }];
    const applied = await measureConsumer(service, nats, database, intake.events, costs);
    console.log(describe(`${name}: one consumer`, applied));
    return [...results, { what: `${name}: one consumer`, ...applied }];
  } finally {
    await database.end();
    await service.stop();
    await service.remove();
    await nats?.stop();
  }
}

async function measureIntake(service, costs) {
  const sessions = await loginMany(service.api, PLAYERS, 'known');
  const files = createBodyFiles({ folder, api: service.api, players: PLAYERS });
  const file = await files.sessions(sessions);
  const run = (duration) =>
    runWrk({
      url: `${service.api}/v1/events`,
      seconds: duration,
      script: lua('events'),
      env: { BENCH_SESSIONS: file, BENCH_BATCH: String(batch), BENCH_RUN: String(Date.now()) },
    });
  const warm = await run(2);
  const before = costs();
  const { requests, perSecond, p50Ms, p99Ms, failed } = await run(seconds);
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`);
  const perEvent = microsPerEvent(before, costs(), requests * batch);
  return {
    events: (warm.requests + requests) * batch,
    perSecond: perSecond * batch,
    p50Ms,
    p99Ms,
    ...perEvent,
  };
}

/** From the start of one consumer until all is applied. */
async function measureConsumer(service, nats, database, events, costs) {
  const before = costs();
  const consumer = await startConsumer(service.dataDir, nats.urls, nats.servers);
  const begun = performance.now();
  try {
    for (;;) {
      const { rows: counted } = await database.query('select sum(event_count)::int as n from players');
      const elapsed = (performance.now() - begun) / 1000;
      if (counted[0].n >= events) {
        const own = { consumer: (cpuMsOf(consumer.pid) * 1000) / events };
        return { events, perSecond: events / elapsed, ...microsPerEvent(before, costs(), events), ...own };
      }
      if (elapsed > DRAIN_SECONDS) throw new Error(`${counted[0].n} of ${events} events applied in time`);
      await sleep(100);
    }
  } finally {
    await consumer.stop();
  }
}

/** Blocks of events, and the identities of events without a number. */
async function storage(database) {
  const { rows: sizes } = await database.query(`
    select (select sum(event_count)::int from players) as events,
      (select sum(pg_total_relation_size(inhrelid)) from pg_inherits
       where inhparent in ('event_blocks'::regclass, 'event_identities'::regclass))::float8 as bytes`);
  return { events: sizes[0].events, bytes: sizes[0].bytes / sizes[0].events };
}

function cpuOfAll(root, commandPart) {
  const members = treeOf(root).filter((pid) => commandOf(pid).includes(commandPart));
  return members.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

function microsPerEvent(before, after, events) {
  return Object.fromEntries(
    Object.keys(before).map((role) => [role, ((after[role] - before[role]) * 1000) / events]),
  );
}

function describe(what, { perSecond, p99Ms, api, postgres, nats, consumer, bytes }) {
  const cell = (value, digits = 1) => (value === undefined ? '' : value.toFixed(digits));
  return `| ${[what, cell(perSecond, 0), cell(p99Ms, 0), cell(api), cell(postgres), cell(nats), cell(consumer), cell(bytes, 0)].join(' | ')} |`;
}

function printMedians(all) {
  console.log(
    '| what | events/s | p99 ms | API µs | PostgreSQL µs | NATS µs | consumer µs | bytes stored |\n|---|---|---|---|---|---|---|---|',
  );
  for (const what of new Set(all.map((row) => row.what))) {
    const own = all.filter((row) => row.what === what);
    const medians = Object.keys(own[0]).flatMap((key) => {
      const numbers = own.map((row) => row[key]).filter((value) => typeof value === 'number');
      return numbers.length === 0 ? [] : [[key, numbers.toSorted((a, b) => a - b)[numbers.length >> 1]]];
    });
    console.log(describe(what, Object.fromEntries(medians)));
  }
}
