// npm run bench:erasures -- [--players 100000] [--before 30] [--during 90] : what it costs intake to erase many players from a file. A service
// takes batches of events at half of the rate that it can take, before `savepoint erase player --file` and while it runs.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { closedLoop } from './support/closed-loop.mjs';
import { eventsJson } from './support/event-bodies.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { openLoopEvents } from './support/open-loop.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';
import { insertPlayers, insertSessions, settleTables } from './support/stored-players.mjs';

const SAVEPOINT = fileURLToPath(new URL('../server/bin/savepoint.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '100000' },
    before: { type: 'string', default: '30' },
    during: { type: 'string', default: '90' },
  },
});
const PLAYERS = Number(values.players);
const BATCH = 20;
const SENDERS = 200;
const WARM_UP_SECONDS = 8;

await runAndCleanUp(async () => {
  const service = await startService({ SAVEPOINT_TRAINING_DAYS: '0' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  const file = await fill(service, database);
  const sessions = await loginMany(service.api, SENDERS, 'sender');
  const eventsPerSecond = Math.floor((await capacity(service, sessions)) / 2);
  const load = (seconds) =>
    openLoopEvents({ api: service.api, sessions, batch: BATCH, eventsPerSecond, seconds });

  const before = await load(Number(values.before));
  console.log(`before: ${latencies(before)} at ${eventsPerSecond} events/s`);
  const begun = performance.now();
  const command = eraseFrom(service, file);
  const during = await load(Number(values.during));
  const seconds = (performance.now() - begun) / 1000;
  const { rows } = await database.query(
    `select count(*)::int as requested, (count(*) filter (where state = 'done'))::int as erased from erasures`,
  );
  const [{ requested, erased }] = rows;
  console.log(`during: ${latencies(during)}; p99 × ${(during.p99Ms / before.p99Ms).toFixed(2)}`);
  console.log(
    `${requested} requested and ${erased} erased in ${seconds.toFixed(0)} s, ${Math.round(erased / seconds)} players/s`,
  );
  command.kill('SIGINT');
  await database.end();
  await service.stop();
});

/** Players with days, promotions, devices and sessions, and the file that names them. */
async function fill(service, database) {
  const range = await insertPlayers(database, PLAYERS);
  await insertSessions(database, range);
  await settleTables(database, ['players', 'player_days', 'player_promotions', 'devices', 'sessions']);
  const { rows } = await database.query('select user_id as id from players where id between $1 and $2', [
    range.first,
    range.last,
  ]);
  const file = join(service.dataDir, 'players.txt');
  await writeFile(file, rows.map(({ id }) => `${id}\n`).join(''));
  return file;
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
