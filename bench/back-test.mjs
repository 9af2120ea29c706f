// npm run bench:back-test -- [--players 5000] [--days 28] [--rests] : how long a back-test takes, PostgreSQL included: the default document against
// itself with 20 more segments and 20 offers. Four in ten players were here in the last 28 days, with 20 to 50 events on each of their days.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createPool } from '../server/dist/db/pool.js';
import { backTest } from '../server/dist/features/back-tests/back-test.js';
import { createRebuildPool } from '../server/dist/features/explanations/rebuild-connections.js';
import { cpuMsOf } from './support/processes.mjs';
import { startService } from './support/service.mjs';
import { insertPlayers, settleTables } from './support/stored-players.mjs';
import { triedDocument } from './support/tried-document.mjs';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '5000' },
    days: { type: 'string', default: '28' },
    rests: { type: 'boolean', default: false },
  },
});

const service = await startService({ SAVEPOINT_WORKERS: '1' });
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();
const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 10_000, onError: () => {} });
const rebuilds = createRebuildPool(service.databaseUrl);
try {
  await fill(Number(values.players));
  await measure();
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
