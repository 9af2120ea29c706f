// npm run bench -- erasures [--players 2000] [--seconds 12] [--rounds 5] : what it costs intake to erase many players from a file. A service
// takes batches of events at half of the rate that it can take. In each round this is measured without erasures and then, at once, again
// and again while `savepoint erase player --file` erases that many players. The start of the command itself is not measured. All of 100,000
// in one go: --players 100000 --rounds 1 --seconds 30.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { closedLoop } from './support/closed-loop.mjs';
import { eventsJson } from './support/event-bodies.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { openLoopEvents } from './support/open-loop.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';
import { insertPlayers, insertSessions, settleTables } from './support/stored-players.mjs';

const SAVEPOINT = fileURLToPath(new URL('../server/bin/savepoint.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '5' },
  },
});
const PLAYERS = Number(values.players);
const SECONDS = Number(values.seconds);
const ROUNDS = Number(values.rounds);
const BATCH = 20;
const SENDERS = 200;
const WARM_UP_SECONDS = 8;

await runAndCleanUp(async () => {
  const service = await startService({ SAVEPOINT_TRAINING_DAYS: '0', SAVEPOINT_ACCESS_TTL_SECONDS: '86400' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  const userIds = await fill(database);
  const sessions = await loginMany(service.api, SENDERS, 'sender');
  const eventsPerSecond = Math.floor((await capacity(service, sessions)) / 2);
  const load = () =>
    openLoopEvents({ api: service.api, sessions, batch: BATCH, eventsPerSecond, seconds: SECONDS });
  await load();

  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const file = join(service.dataDir, `players-${round}.txt`);
    await writeFile(file, userIds.slice(round * PLAYERS, (round + 1) * PLAYERS).join('\n'));
    const before = await load();
    const command = eraseFrom(service, file);
    const ended = once(command, 'exit');
    await firstRequest(database, round * PLAYERS, command);
    const begun = performance.now();
    const during = await loadsUntilExit(load, command);
    const [code] = await ended;
    if (code !== 0) throw new Error(`the erasure of round ${round} ended with ${code}`);
    const perSecond = (PLAYERS * 1000) / (performance.now() - begun);
    const [p50, p99] = [middleOf(during, 'p50Ms') / before.p50Ms, middleOf(during, 'p99Ms') / before.p99Ms];
    rounds.push({ p50, p99, perSecond });
    console.log(
      `before ${latencies(before)}; after ${latencies(await load())}; ${during.length} times during, medians: p50 × ${p50.toFixed(2)}, p99 × ${p99.toFixed(2)}; ${Math.round(perSecond)} players/s`,
    );
  }
  const median = (member) => middleOf(rounds, member);
  console.log(
    `at ${eventsPerSecond} events/s: p50 × ${median('p50').toFixed(2)}, p99 × ${median('p99').toFixed(2)}, ${Math.round(median('perSecond'))} players/s (medians)`,
  );
  await database.end();
  await service.stop();
});

/** Players with days, promotions, devices and sessions. Returns their user ids. */
async function fill(database) {
  const range = await insertPlayers(database, PLAYERS * ROUNDS);
  await insertSessions(database, range);
  await settleTables(database, ['players', 'player_days', 'player_promotions', 'devices', 'sessions']);
  const { rows } = await database.query('select user_id as id from players where id between $1 and $2', [
    range.first,
    range.last,
  ]);
  return rows.map(({ id }) => id);
}

/** Measures for as long as the command runs. A measurement that outlasts it does not count. */
async function loadsUntilExit(load, command) {
  const loads = [];
  for (;;) {
    const measured = await load();
    if (command.exitCode !== null) break;
    loads.push(measured);
    console.log(`  ${latencies(measured)}`);
  }
  if (loads.length === 0) throw new Error('all were erased within one measurement: give more --players');
  return loads;
}

function middleOf(list, member) {
  return middle(list.map((element) => element[member]));
}

/** Waits until the command has requested an erasure. */
async function firstRequest(database, requestedBefore, command) {
  for (;;) {
    if (command.exitCode !== null) throw new Error('the command ended without a request');
    const { rows } = await database.query('select count(*)::int as n from erasures');
    if (rows[0].n > requestedBefore) return;
    await sleep(50);
  }
}

/** Events a second that the service takes from clients that send as fast as they can. */
async function capacity({ api }, sessions) {
  const requestOf = (number) =>
    rawRequest(
      'POST',
      '/v1/events',
      { ...playerHeaders(sessions[number % SENDERS]), 'content-type': 'application/json' },
      eventsJson('capacity', number, BATCH),
    );
  const { requests } = await closedLoop({ url: api, requestOf, connections: 32, seconds: WARM_UP_SECONDS });
  return (requests * BATCH) / WARM_UP_SECONDS;
}

function eraseFrom({ dataDir }, file) {
  const args = ['erase', 'player', '--tenant', 'demo-studio', '--game', 'demo-game', '--file', file];
  const env = { ...process.env, SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir };
  return spawn(process.execPath, [SAVEPOINT, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function latencies({ p50Ms, p99Ms }) {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}
