// Floor: raw PostgreSQL through `pg`, on the very server that the service uses, in tables of its own.
// Prints one JSON line with the rows a second reached.
import cluster from 'node:cluster';
import pg from 'pg';
import { TABLES, WORK } from './postgres-work.mjs';

const {
  DATABASE_URL,
  FLOOR_WORK = 'commits',
  FLOOR_SECONDS = '3',
  FLOOR_CLIENTS = '64',
  FLOOR_WORKERS = '2',
} = process.env;

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
  const { run, rows } = WORK[FLOOR_WORK];
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
        await run(client);
        done += rows;
      }
    }),
  );
  const perSecond = done / ((performance.now() - begun) / 1000);
  await Promise.all(clients.map((client) => client.end()));
  process.send(perSecond, () => process.exit(0));
}
