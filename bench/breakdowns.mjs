// npm run bench -- breakdowns [--players 1000000] : how long maintenance takes to sum weekly and monthly players and breakdowns over all
// players of a game, PostgreSQL included. First all days, 31 per run; then the present day, as every few minutes.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { sumBreakdowns } from '../server/dist/insight/analytics/breakdowns/sum-breakdowns.js';
import { walkByIndex } from '../server/dist/platform/db/dedicated-connection.js';
import { cpuMsOf } from './support/processes.mjs';
import { startService } from './support/service.mjs';
import { insertPlayers, settleTables } from './support/stored-players.mjs';

const HOUR_MS = 3_600_000;
const { values } = parseArgs({ options: { players: { type: 'string', default: '1000000' } } });

const service = await startService({ SAVEPOINT_WORKERS: '1' });
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();
try {
  await fill(Number(values.players));
  await walkByIndex(database);
  // Each run is an hour later, so that the pause after a run is over, also that of the service.
  let nowMs = Date.now() + HOUR_MS;
  while (await sum(nowMs)) nowMs += HOUR_MS;
  const present = [new Date(nowMs).toISOString().slice(0, 10)];
  await database.query('update game_days set active_players = active_players + 1 where day = $1', present);
  await sum(nowMs + HOUR_MS);
} finally {
  await database.end();
  await service.stop();
  await service.remove();
}

async function fill(players) {
  await insertPlayers(database, players);
  await database.query(
    `update players p set active_days = d.days, purchase_days = coalesce(d.bought, '{}')
     from (
       select player_id, range_agg(daterange(day, day + 1)) as days,
         range_agg(daterange(day, day + 1)) filter (where purchases > 0) as bought
       from player_days group by player_id
     ) d
     where d.player_id = p.id`,
  );
  await database.query(
    `insert into transactions (game_id, transaction_id, player_id, purchased_at, identity, price, currency, sku_id)
     select p.game_id, 'stored-' || d.day, p.id, d.day::timestamp at time zone 'UTC', gen_random_uuid(), 4.99, 'USD', 'sku-' || p.id % 9
     from player_days d join players p on p.id = d.player_id where d.purchases > 0`,
  );
  await database.query(
    `insert into game_days (game_id, day, shard, active_players, purchases)
     select p.game_id, d.day, 100, count(*), sum(d.purchases) from player_days d join players p on p.id = d.player_id group by 1, 2`,
  );
  await settleTables(database, ['players', 'player_days', 'transactions', 'game_days']);
  const { rows } = await database.query('select count(*)::int as n from player_days');
  console.log(`${players} players with ${rows[0].n} days`);
}

async function sum(nowMs) {
  const started = performance.now();
  const before = cpuMsOf(service.pid);
  const { daysSummed } = await sumBreakdowns(database, { nowMs });
  const seconds = (performance.now() - started) / 1000;
  const cpu = (cpuMsOf(service.pid) - before) / 1000;
  console.log(
    `${daysSummed} days in ${seconds.toFixed(1)} s, CPU of the database and the service ${cpu.toFixed(1)} s`,
  );
  return daysSummed > 0;
}
