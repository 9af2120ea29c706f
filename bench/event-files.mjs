// npm run bench -- event-files [--events 1000000] : what it costs to write a closed day of many events as a file for analysts. A closed day is filled
// with events of simulated players, compacted, and written by `savepoint event-files write`, twice. Then the sums over the file are compared with
// the roll-ups, and the roll-ups with the recount. Fails if they differ.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { compactEvents } from '../server/dist/operations/event-storage/compact-events.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { fillDay } from './event-files/fill-day.mjs';
import { runAndCleanUp, undoing } from './support/interrupt.mjs';
import { cpuMsOf, cpuSplitOf, rssMbOf } from './support/processes.mjs';
import { startService } from './support/service.mjs';

const run = promisify(execFile);
const SAVEPOINT = new URL('../server/bin/savepoint.mjs', import.meta.url).pathname;
const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } });
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const DAY_MS = 86_400_000;
const WATCH_MS = 50;
const day = new Date(Date.now() - 5 * DAY_MS).toISOString().slice(0, 10);

/** By the day for which an event counts, and by its type. */
const SUMS_OF_FILES = `
  select 'players' as name, counted_at::date::text as part, count(distinct player_key) as n from events group by all
  union all select 'events', counted_at::date::text, count(*) from events group by all
  union all select 'type', event_type, count(*) from events group by all`;
const SUMS_OF_ROLLUPS = `
  select 'players' as name, day::text as part, sum(active_players)::text as n from game_days where game_id = $1 group by 2 having sum(events) > 0
  union all select 'events', day::text, sum(events)::text from game_days where game_id = $1 group by 2 having sum(events) > 0
  union all select 'type', event_type, sum(events)::text from game_event_types where game_id = $1 group by 2`;
/** With its indexes. */
const DAY_SIZE = `select pg_total_relation_size(('event_blocks_' || to_char($1::date, 'YYYYMMDD'))::regclass)::float8 as bytes`;

await runAndCleanUp(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-bench-files-'));
  undoing(() => rm(folder, { recursive: true, force: true }));
  const service = await startService({ SAVEPOINT_WORKERS: '1', SAVEPOINT_TRAINING_DAYS: '0' });
  const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 3_600_000, onError: () => {} });
  const gameId = (await pool.query("select id from games where slug = 'demo-game'")).rows[0].id;
  console.log(`${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.version}`);

  const filling = performance.now();
  const players = await fillDay(pool, { gameId, day, target: Number(values.events) });
  await pool.query('vacuum (analyze)');
  const events = Number((await pool.query('select sum(event_count) as n from players')).rows[0].n);
  console.log(`${events} events of ${players} players stored in ${secondsSince(filling)} s`);

  await compactDay();
  // Once with keys that have to be made for the players, once with keys that are there.
  await report('first generation', await savepoint('event-files', 'write'));
  await pool.query(
    'insert into event_file_changes (day, game_id, changed_by, is_deletion) values ($1, $2, pg_current_xact_id(), false)',
    [day, gameId],
  );
  await report('second generation', await savepoint('event-files', 'write'));
  await savepoint('event-files', 'check');

  const { stdout, seconds } = await savepoint(
    'sql',
    ...GAME,
    '--format',
    'ndjson',
    '--rows',
    '100000',
    SUMS_OF_FILES,
  );
  console.log(`the sums over the file were asked in ${seconds.toFixed(1)} s, with the start of the command`);
  const ofFiles = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ name, part, n }) => `${name} ${part} ${n}`);
  const ofRollups = (await pool.query(SUMS_OF_ROLLUPS, [gameId])).rows.map(
    ({ name, part, n }) => `${name} ${part} ${n}`,
  );
  const agree = isDeepStrictEqual(ofFiles.sort(), ofRollups.sort());
  console.log(`${ofRollups.length} sums over the file ${agree ? 'are' : 'ARE NOT'} those of the roll-ups`);
  const recount = await savepoint('rollups', 'check', ...GAME);
  console.log(
    `the recount took ${recount.seconds.toFixed(0)} s: ${recount.stdout.trim().split('\n').at(-1)}`,
  );
  process.exitCode = agree ? 0 : 1;
  await pool.end();
  await service.stop();
  await service.remove();

  async function compactDay() {
    const { rows } = await pool.query(DAY_SIZE, [day]);
    const begun = performance.now();
    const postgresMs = cpuSplitOf(service.pid).postgresMs;
    let state;
    do ({ state } = await compactEvents(pool, { nowMs: Date.now(), rests: false }));
    while (state === 'waiting' || state === 'busy');
    const cpuS = (cpuSplitOf(service.pid).postgresMs - postgresMs) / 1_000;
    const after = await pool.query(DAY_SIZE, [day]);
    console.log(
      `compacted (${state}) in ${secondsSince(begun)} s with ${cpuS.toFixed(1)} s of CPU of PostgreSQL: ${perEvent(rows[0].bytes)} bytes an event before, ${perEvent(after.rows[0].bytes)} after`,
    );
  }

  /** The command as an operator runs it; with the CPU of it and of PostgreSQL, and the most memory that it had. */
  async function savepoint(...args) {
    const env = {
      ...process.env,
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_DATA_DIR: service.dataDir,
      SAVEPOINT_EVENT_FILES_DIR: folder,
    };
    const postgresMs = cpuSplitOf(service.pid).postgresMs;
    const begun = performance.now();
    const running = run(process.execPath, [SAVEPOINT, ...args], { env, maxBuffer: 1024 ** 3 });
    let rssMb = 0;
    let cpuMs = 0;
    const watch = setInterval(() => {
      rssMb = Math.max(rssMb, rssMbOf(running.child.pid));
      cpuMs = Math.max(cpuMs, cpuMsOf(running.child.pid));
    }, WATCH_MS);
    try {
      const { stdout } = await running;
      const seconds = (performance.now() - begun) / 1_000;
      return { stdout, seconds, cpuMs, rssMb, postgresMs: cpuSplitOf(service.pid).postgresMs - postgresMs };
    } finally {
      clearInterval(watch);
    }
  }

  async function report(what, { seconds, cpuMs, rssMb, postgresMs }) {
    const game = join(folder, 'demo-studio', 'demo-game');
    const { files } = JSON.parse(await readFile(join(game, 'manifest.json'), 'utf8'));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const written = files.reduce((sum, file) => sum + file.events, 0);
    console.log(
      `${what}: ${written} events in ${seconds.toFixed(1)} s (${(written / seconds).toFixed(0)}/s), ${micros(cpuMs)} µs of CPU an event in the writer and ${micros(postgresMs)} in PostgreSQL, at most ${rssMb.toFixed(0)} MB, ${(bytes / 1024 ** 2).toFixed(1)} MB (${perEvent(bytes)} bytes an event)`,
    );
  }

  function perEvent(bytes) {
    return (Number(bytes) / events).toFixed(0);
  }

  function micros(ms) {
    return ((ms * 1_000) / events).toFixed(0);
  }
});

function secondsSince(begun) {
  return ((performance.now() - begun) / 1_000).toFixed(0);
}
