// npm run bench:growth [-- --events 20000000] : does the cost of anything grow with what is stored? Measures events, reads
// and logins with few, 1 million and many stored events, each time in turn with a second service that stays empty, and the
// latency of events at half of their rate with an open loop.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { itemsNamed } from './items.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { measureItem } from './support/measure-item.mjs';
import { openLoopEvents } from './support/open-loop.mjs';
import { createPlaygrounds } from './support/playgrounds.mjs';
import { formatTables, summarise, summariseOpenLoops } from './support/report.mjs';

const BATCH = 50;
const TARGET = 0.9;
const GROWING = itemsNamed(
  'events, batch 50',
  'events, batch 1',
  'status',
  'store, 0 offers',
  'returning login',
  'first login',
);

export async function measureGrowth({ stored: largest, seconds, rounds, workers, quick }, playgrounds) {
  const items = quick ? GROWING.slice(0, 1) : GROWING;
  const levels = quick ? [largest] : [0, 1_000_000, largest].filter((stored) => stored <= largest);
  const samples = [];
  const openLoops = [];
  await playgrounds.with({ workers, isFresh: true }, (empty) =>
    playgrounds.with({ workers }, async (filled) => {
      for (const playground of [empty, filled]) {
        for (const item of items) await measureItem(playground, item, seconds);
      }
      for (const stored of new Set(levels)) {
        const label = `${stored >= 1e6 ? `${stored / 1e6} million` : stored} stored`;
        await fill(filled.databaseUrl, stored);
        for (let round = 1; round <= rounds; round++) {
          for (const item of items) {
            const sample = await compare({ empty, filled, item, seconds, label });
            samples.push({ round, ...sample });
            console.log(
              `round ${round}/${rounds}  ${sample.name.padEnd(40)} ${sample.work.perSecond.toFixed(0).padStart(7)} ${item.unit}/s  empty ${sample.floor.perSecond.toFixed(0).padStart(7)}/s  ratio ${sample.ratio.toFixed(2)}`,
            );
          }
        }
        openLoops.push(await measureLatency(filled, samples, seconds, label));
      }
    }),
  );
  return { samples, openLoops };
}

async function compare({ empty, filled, item, seconds, label }) {
  const floor = await measureItem(empty, item, seconds);
  const work = await measureItem(filled, item, seconds);
  return {
    name: `${item.name}, ${label}`,
    unit: item.unit,
    floorName: 'empty',
    target: TARGET,
    ratio: work.perSecond / floor.perSecond,
    floor,
    work,
  };
}

async function measureLatency({ service, sessions }, samples, seconds, label) {
  const name = `events, batch ${BATCH}, ${label}`;
  const row = summarise(samples.filter((sample) => sample.name === name))[0];
  const eventsPerSecond = row.perSecond / 2;
  const run = await openLoopEvents({
    api: service.api,
    sessions,
    batch: BATCH,
    eventsPerSecond,
    seconds: seconds * 2,
  });
  return { ...run, name, perSecond: eventsPerSecond };
}

/** Straight into the table, over a week of partitions: rows that intake has to live with, not part of the measurement. */
async function fill(databaseUrl, target) {
  const database = new pg.Client({ connectionString: databaseUrl });
  // An interrupted run stops PostgreSQL below it.
  database.on('error', () => {});
  await database.connect();
  const { rows } = await database.query('select count(*)::int as n from events');
  for (let stored = rows[0].n; stored < target; ) {
    const count = Math.min(500_000, target - stored);
    await database.query(
      `insert into events (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type, payload, metadata)
       select now() - (n % 604800) * interval '1 second', 1 + n % 500, now(), gen_random_uuid(), 1, false, 'Ad_Impression',
         jsonb_build_object('userId', 'user-1', 'sessionId', 'session-1', 'adId', 'ad-' || n, 'campaignId', 'campaign-1'),
         '{"deviceType":"phone","osName":"Android","osVersion":"16"}'
       from generate_series(1, $1::int) n`,
      [count],
    );
    stored += count;
    process.stderr.write(`\rfilled ${(stored / 1e6).toFixed(1)} million `);
  }
  process.stderr.write('\n');
  // As autovacuum would have left them, had they come in over days: else it starts with the measurement.
  await database.query('vacuum (analyze) events');
  await database.query('checkpoint').catch(() => {});
  await database.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '20000000' } } });
  const options = { stored: Number(values.events), seconds: 5, rounds: 3, workers: 2, quick: false };
  await runAndCleanUp(async () => {
    const { samples, openLoops } = await measureGrowth(options, createPlaygrounds(false));
    const report = { ratios: summarise(samples), openLoops: summariseOpenLoops(openLoops) };
    console.log(`\n${formatTables({ ...report, limits: [], floors: [] })}`);
  });
}
