// npm run bench -- back-fill [--events 5000000] [--players 20000] : own attributes that are defined after millions of events, with events arriving
// meanwhile, two workers, and a kill -9 of all processes in the middle of the back-fill. Then every player is compared with SQL over the view
// `events`. Fails if there is a difference.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import pg from 'pg';
import { findFacts } from '../server/dist/core/players/facts-queries.js';
import { DEFAULT_DOCUMENT } from '../server/dist/decide/document/default-document.js';
import { publishConfig } from '../server/dist/liveops/configs/publish.js';
import { toOwnJson } from '../server/dist/liveops/own-attributes/own-json.js';
import { insertPlayers } from '../server/dist/operations/imports/import-queries.js';
import { createPool, transaction } from '../server/dist/platform/db/pool.js';
import { ATTRIBUTES, NOTHING, ORACLE } from './back-fill/attributes.mjs';
import { sizesOf } from './back-fill/events.mjs';
import { writeHistory } from './back-fill/history.mjs';
import { startTraffic } from './back-fill/traffic.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { commandOf, rssMbOf, treeOf } from './support/processes.mjs';
import { loginMany, startService } from './support/service.mjs';
import { settleTables } from './support/stored-players.mjs';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '5000000' }, players: { type: 'string', default: '20000' } },
});
const LIVE_PLAYERS = 300;
const PLAYERS_PER_CHUNK = 500;
const SETTINGS = {
  SAVEPOINT_WORKERS: '2',
  SAVEPOINT_TRAINING_DAYS: '0',
  SAVEPOINT_ACCESS_TTL_SECONDS: '86400',
};

await runAndCleanUp(async () => {
  const place = await startService(SETTINGS);
  const openPool = () =>
    createPool({ url: place.databaseUrl, size: 4, timeoutMs: 600_000, onError: () => {} });
  let pool = openPool();
  const { rows } = await pool.query("select id from games where slug = 'demo-game'");
  const gameId = rows[0].id;
  const sessions = await loginMany(place.api, LIVE_PLAYERS, 'live');
  await fill();

  const traffic = startTraffic(place, sessions);
  const begun = performance.now();
  await publish();
  console.log('published');
  const memory = { before: operationsRssMb(), most: 0 };
  await workedOut(0.3);
  const beforeKill = traffic.state.events;
  await killAndRestart();
  const { done } = await progress();
  console.log(
    `killed after ${((performance.now() - begun) / 1000).toFixed(0)} s; it goes on at ${done} players`,
  );
  await workedOut(1);
  const seconds = (performance.now() - begun) / 1000;
  // Sent after the last player was reached, too.
  await sleep(5_000);
  await traffic.stop();
  const { events, repeated, failures } = traffic.state;
  console.log(
    `worked out in ${seconds.toFixed(0)} s with the restart; the operations process took ${memory.before} MB before and ${memory.most} MB at most; meanwhile ${events} events (${events - beforeKill} of them since the kill), ${repeated} of them twice, ${failures} requests that failed and were repeated`,
  );
  process.exitCode = (await compare()) === 0 ? 0 : 1;
  await pool.end();
  await place.stop();

  /** The players who go on playing are among those with a history. */
  async function fill() {
    const started = performance.now();
    const known = await pool.query(
      `select id as "playerId", game_id as "gameId", user_id as "userId" from players order by id`,
    );
    const unknown = Array.from({ length: Number(values.players) - known.rows.length }, () => ({
      userId: randomUUID(),
      createdAtMs: Date.now() - 60 * 86_400_000,
      ageGroup: null,
      ageGroupAtMs: null,
    }));
    const inserted = await transaction(pool, (client) => insertPlayers(client, gameId, unknown));
    const players = [...known.rows, ...inserted];
    const first = sessions[0].userId;
    // The player with the most events also sends the most.
    players.sort((one, other) => Number(other.userId === first) - Number(one.userId === first));
    const written = await writeHistory(
      pool,
      players,
      sizesOf(players.length, Number(values.events)),
      Date.now(),
    );
    const database = new pg.Client({ connectionString: place.databaseUrl });
    await database.connect();
    await settleTables(database, ['players', 'event_blocks']);
    await database.end();
    console.log(
      `${written} events of ${players.length} players written in ${((performance.now() - started) / 1000).toFixed(0)} s`,
    );
  }

  async function publish() {
    const publication = { gameId, document: { ...DEFAULT_DOCUMENT, attributes: ATTRIBUTES }, note: '' };
    const { outcome } = await publishConfig(pool, publication, { name: 'bench', nowMs: Date.now() });
    if (outcome !== 'published') throw new Error(outcome);
  }

  async function progress() {
    const { rows: sets } = await pool.query(
      'select players::int, players_done::int as done, finished_at from own_attribute_sets where game_id = $1',
      [gameId],
    );
    return sets[0];
  }

  async function workedOut(share) {
    for (;;) {
      memory.most = Math.max(memory.most, operationsRssMb());
      const { players, done, finished_at: finishedAt } = await progress();
      if (finishedAt !== null) return;
      if (share < 1 && players !== null && done >= share * players) return;
      await sleep(100);
    }
  }

  /** All processes but PostgreSQL, which the next start takes over. */
  async function killAndRestart() {
    const tree = treeOf(place.pid);
    for (const pid of tree) if (!commandOf(pid).includes('postgres')) process.kill(pid, 'SIGKILL');
    const next = await startService({ ...SETTINGS, SAVEPOINT_DATA_DIR: place.dataDir });
    await pool.end();
    Object.assign(place, next);
    pool = openPool();
  }

  function operationsRssMb() {
    const pids = treeOf(place.pid).filter((pid) => commandOf(pid).includes('operations'));
    return Math.round(Math.max(0, ...pids.map(rssMbOf)));
  }

  async function compare() {
    const started = performance.now();
    const nowMs = Date.now();
    const { rows: players } = await pool.query('select id from players where game_id = $1 order by id', [
      gameId,
    ]);
    const ids = players.map(({ id }) => id);
    let differences = 0;
    for (let from = 0; from < ids.length; from += PLAYERS_PER_CHUNK) {
      const chunk = ids.slice(from, from + PLAYERS_PER_CHUNK);
      const counted = await pool.query(ORACLE, [chunk, new Date(nowMs)]);
      const byId = new Map(counted.rows.map(({ playerId, ...own }) => [playerId, own]));
      for (const { playerId, facts } of await findFacts(pool, chunk, nowMs)) {
        const known = Object.entries(byId.get(playerId) ?? {}).filter(([, each]) => each !== null);
        const expected = { ...NOTHING, ...Object.fromEntries(known) };
        const found = { ...toOwnJson(facts.own, ATTRIBUTES, nowMs) };
        if (isDeepStrictEqual(found, expected)) continue;
        if (++differences <= 3) console.log(`player ${playerId}:`, found, 'by SQL:', expected);
      }
    }
    const total = await pool.query(
      'select sum(event_count)::float8 as n, max(event_count)::float8 as most from players',
    );
    const [{ n, most }] = total.rows;
    console.log(
      `${ids.length} players with ${n} events, the largest with ${most}, × ${ATTRIBUTES.length} attributes compared with SQL in ${((performance.now() - started) / 1000).toFixed(0)} s: ${differences} differences`,
    );
    return differences;
  }
});
