// Floor: raw PostgreSQL through `pg`, on the very server that the service uses, in tables of its own.
// Prints one JSON line with the rate reached.
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const {
  DATABASE_URL,
  FLOOR_WORK = 'commits',
  FLOOR_SECONDS = '3',
  FLOOR_CLIENTS = '64',
  FLOOR_WORKERS = '2',
} = process.env;

/** The same columns and the same unique index as `events`, without partitions, deduplication by content or fold. */
const TABLES = `
  create table if not exists bench_rows (id uuid primary key, body text not null);
  create table if not exists bench_events (
    occurred_at timestamptz not null, player_id bigint not null, received_at timestamptz not null, identity uuid not null,
    game_id integer not null, clock_suspect boolean not null, event_type text not null, payload jsonb not null,
    metadata jsonb not null, primary key (occurred_at, player_id, identity)
  );
  truncate bench_rows, bench_events`;

const INSERT_EVENTS = `insert into bench_events
  select o, p, r, i, g, c, t, d, m from json_to_recordset($1::json)
  as e(p bigint, g integer, i uuid, t text, o timestamptz, r timestamptz, c boolean, d jsonb, m jsonb)`;

function events(count) {
  const now = new Date().toISOString();
  const player = Math.floor(Math.random() * 1e6);
  return JSON.stringify(
    Array.from({ length: count }, (_, n) => ({
      p: player,
      g: 1,
      i: randomUUID(),
      t: 'Ad_Impression',
      o: now,
      r: now,
      c: false,
      d: { adId: `ad-${n}`, campaignId: 'campaign-1', sessionId: 'session-1', userId: 'user-1' },
      m: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
    })),
  );
}

const WORK = {
  commits: (client) =>
    client.query({
      name: 'one',
      text: 'insert into bench_rows values ($1, $2)',
      values: [randomUUID(), 'x'.repeat(120)],
    }),
  events50: (client) => client.query({ name: 'fifty', text: INSERT_EVENTS, values: [events(50)] }),
};

if (cluster.isPrimary) {
  const setUp = new pg.Client({ connectionString: DATABASE_URL });
  await setUp.connect();
  await setUp.query(TABLES);
  let perSecond = 0;
  const workers = Array.from({ length: Number(FLOOR_WORKERS) }, () => cluster.fork());
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve) => {
          worker.on('message', (rate) => {
            perSecond += rate;
          });
          worker.on('exit', resolve);
        }),
    ),
  );
  await setUp.query('truncate bench_rows, bench_events');
  await setUp.end();
  process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
} else {
  const clients = await Promise.all(
    Array.from({ length: Number(FLOOR_CLIENTS) / Number(FLOOR_WORKERS) }, async () => {
      const client = new pg.Client({ connectionString: DATABASE_URL });
      await client.connect();
      return client;
    }),
  );
  const seconds = Number(FLOOR_SECONDS);
  const begun = performance.now();
  let done = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - begun < seconds * 1000) {
        await WORK[FLOOR_WORK](client);
        done++;
      }
      await client.end();
    }),
  );
  process.send(done / ((performance.now() - begun) / 1000), () => process.exit(0));
}
