// npm run bench -- back-test [--players 5000] [--days 28] [--rests] [--traffic] : how long a back-test takes, PostgreSQL included: the default document
// against itself with 20 more segments and 20 offers. Four in ten players were here in the last 28 days, with 20 to 50 events on each of their days.
// --traffic runs it as a job of the service, beside reads and events, and compares their latencies with those before and after. For 100,000
// players who were here: --players 250000.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { backTest } from '../server/dist/liveops/back-tests/back-test.js';
import { createRebuildPool } from '../server/dist/liveops/explanations/rebuild-connections.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { createAdmin } from './support/command.mjs';
import { openLoop, openLoopEvents, readRequests } from './support/open-loop.mjs';
import { commandOf, cpuMsOf, rssMbOf, treeOf } from './support/processes.mjs';
import { loginMany, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';
import { insertPlayers, settleTables } from './support/stored-players.mjs';
import { triedDocument } from './support/tried-document.mjs';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '5000' },
    days: { type: 'string', default: '28' },
    rests: { type: 'boolean', default: false },
    traffic: { type: 'boolean', default: false },
    'reads-per-second': { type: 'string', default: '200' },
    'events-per-second': { type: 'string', default: '1000' },
  },
});

const service = await startService({ SAVEPOINT_WORKERS: '1' });
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();
const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 10_000, onError: () => {} });
const rebuilds = createRebuildPool(service.databaseUrl);
try {
  await fill(Number(values.players));
  await (values.traffic ? measureBesideTraffic() : measure());
} finally {
  await rebuilds.end();
  await pool.end();
  await database.end();
  await service.stop();
  await service.remove();
}

/** The events of each day are one block, as compaction leaves them. */
async function fill(players) {
  await insertPlayers(database, players);
  const { rows } = await database.query(
    `select attach_partition('event_blocks', 'event_blocks_' || to_char(day, 'YYYYMMDD'), 'received_at',
       to_char(day, 'YYYY-MM-DD"T00:00:00Z"'), to_char(day + 1, 'YYYY-MM-DD"T00:00:00Z"'))
     from (select distinct day from player_days) d`,
  );
  const stored = await database.query(
    `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
     select d.player_id, d.at, p.game_id, d.events, d.at, d.at,
       (select jsonb_agg(jsonb_build_array((array['Level_Start', 'Level_Complete', 'Ad_Impression', 'Session_Start'])[1 + n % 4],
          to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), jsonb_build_object('level', n, 'session', n % 3),
          jsonb_build_object('country', 'US', 'osName', 'iOS')))
        from generate_series(1, d.events) n)
     from (select *, (day + interval '11 hours') at time zone 'UTC' as at from player_days) d
     join players p on p.id = d.player_id`,
  );
  await settleTables(database, ['players', 'player_days', 'event_blocks']);
  console.log(`${players} players, ${rows.length} days, ${stored.rowCount} blocks`);
}

async function measure() {
  const { rows } = await database.query('select id from games limit 1');
  const own = process.cpuUsage();
  const serverBefore = cpuMsOf(service.pid);
  let rss = 0;
  const { result } = await backTest(pool, rebuilds, {
    gameId: rows[0].id,
    after: triedDocument(),
    nowMs: Date.now(),
    days: Number(values.days),
    sample: 100_000,
    rests: values.rests,
    onProgress() {
      rss = Math.max(rss, process.memoryUsage.rss());
    },
  });
  const cpu = process.cpuUsage(own);
  const { examined, playerDays, seconds } = result;
  console.log(
    `${examined} players × ${values.days} days, on ${playerDays} of which they were here, in ${seconds.toFixed(1)} s: ${Math.round(examined / seconds)} players/s; CPU ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s here, ${((cpuMsOf(service.pid) - serverBefore) / 1000).toFixed(1)} s in the database; at most ${Math.round(rss / 2 ** 20)} MB`,
  );
}

async function measureBesideTraffic() {
  const sessions = await loginMany(service.api, 200, 'beside');
  const admin = await createAdmin(service);
  const latencies = { without: [], with: [] };
  const observe = async (which) => latencies[which].push(await traffic(sessions, 10));
  await traffic(sessions, 3);
  for (let n = 0; n < 3; n++) await observe('without');
  const game = '/admin/v1/games/demo-game';
  const body = { document: triedDocument(), days: Number(values.days), sample: 100_000 };
  const started = await admin(`${game}/back-test?background=true`, body);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  const memory = { before: operationsRssMb(), most: 0 };
  let job = started.body.data;
  let isWatched = true;
  const watching = (async () => {
    while (isWatched) {
      memory.most = Math.max(memory.most, operationsRssMb());
      await sleep(200);
    }
  })();
  for (; job.state === 'running'; { data: job } = (await admin(`${game}/jobs/${job.jobId}`)).body) {
    await observe('with');
  }
  isWatched = false;
  await watching;
  if (job.state !== 'done') throw new Error(JSON.stringify(job));
  for (let n = 0; n < 3; n++) await observe('without');
  const { examined, playerDays, seconds } = job.result;
  console.log(
    `${examined} players × ${values.days} days, on ${playerDays} of which they were here, in ${seconds.toFixed(0)} s: ${Math.round(examined / seconds)} players/s; the operations process took ${memory.before} MB before and ${memory.most} MB at most`,
  );
  for (const kind of ['reads', 'events']) {
    const of = (which) => middle(latencies[which].map((each) => each[kind].p99Ms));
    const [before, during] = [of('without'), of('with')];
    console.log(
      `p99 of ${kind}: ${before.toFixed(1)} ms without, ${during.toFixed(1)} ms beside it; ratio ${(during / before).toFixed(2)}`,
    );
  }
}

async function traffic(sessions, seconds) {
  const [reads, events] = await Promise.all([
    openLoop({
      url: service.api,
      requests: readRequests('/v1/player/store_configs', sessions),
      perSecond: Number(values['reads-per-second']),
      seconds,
    }),
    openLoopEvents({
      api: service.api,
      sessions,
      batch: 20,
      eventsPerSecond: Number(values['events-per-second']),
      seconds,
    }),
  ]);
  return { reads, events };
}

function operationsRssMb() {
  const pids = treeOf(service.pid).filter((pid) => commandOf(pid).includes('operations'));
  return Math.round(Math.max(0, ...pids.map(rssMbOf)));
}
