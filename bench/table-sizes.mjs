// npm run bench -- table-sizes [--players N] [--days N]
// What simulated players take on the disk, table by table, for each player, each day on which a player played and each event: the
// figures of docs/scaling.md. Indexes are included; tables are vacuumed first, so that what is dead does not count.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { savepoint } from './support/command.mjs';
import { startService } from './support/service.mjs';

const { values } = parseArgs({
  options: { players: { type: 'string', default: '3000' }, days: { type: 'string', default: '60' } },
});
/** By what the rows of a table grow; all others are small. */
const GROWS_BY = { players: 'player', devices: 'player', sessions: 'player', player_days: 'day' };

const service = await startService();
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();
try {
  await savepoint(
    service,
    ...['simulate', '--url', service.api, '--players', values.players, '--days', values.days],
  );
  await database.query('vacuum analyze');
  const counts = await countAll();
  console.log(
    `${counts.player} players, ${counts.day} days on which one played, ${counts.event} events (${(counts.event / counts.day).toFixed(1)} a day)\n`,
  );
  console.log('| table | MB | rows | bytes for each |\n|---|---|---|---|');
  for (const { name, bytes, rows } of await listTables()) {
    const by = GROWS_BY[name] ?? 'event';
    console.log(
      `| ${name} | ${(bytes / 1024 ** 2).toFixed(1)} | ${rows} | ${(bytes / counts[by]).toFixed(0)} a ${by} |`,
    );
  }
} finally {
  await database.end();
  await service.stop();
  await service.remove();
}

async function countAll() {
  const { rows } = await database.query(
    `select (select count(*)::int from players) as player, (select count(*)::int from player_days) as day,
       (select sum(event_count)::int from players) as event`,
  );
  return rows[0];
}

/** Those of more than a hundred rows, the largest first; the partitions of a table are one. */
async function listTables() {
  const { rows } = await database.query(
    `select regexp_replace(relname, '_\\d{8}$', '') as name, sum(pg_total_relation_size(c.oid))::float8 as bytes,
       sum(greatest(reltuples, 0))::int as rows
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and nspname = 'public'
     group by 1 having sum(reltuples) > 100
     order by 2 desc`,
  );
  return rows;
}
