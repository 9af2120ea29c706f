// npm run bench -- dry-run [--players 1000000] [--runs 2] [--sample 100000] : how long a dry run takes over
// all players of a game, PostgreSQL included: the default document against itself with 20 more segments and 20 offers, with
// windows and event counts.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { DEFAULT_DOCUMENT } from '../server/dist/decide/document/default-document.js';
import { dryRun } from '../server/dist/liveops/dry-runs/dry-run.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { cpuMsOf } from './support/processes.mjs';
import { startService } from './support/service.mjs';
import { insertPlayers, settleTables } from './support/stored-players.mjs';
import { triedDocument } from './support/tried-document.mjs';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '2' },
    sample: { type: 'string' },
  },
});

const service = await startService({ SAVEPOINT_WORKERS: '1' });
const database = new pg.Client({ connectionString: service.databaseUrl });
await database.connect();
const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 10_000, onError: () => {} });
try {
  await fill(Number(values.players));
  const after = triedDocument();
  for (let run = 0; run < Number(values.runs); run++) await measure(after);
} finally {
  await pool.end();
  await database.end();
  await service.stop();
  await service.remove();
}

async function fill(players) {
  await insertPlayers(database, players);
  await settleTables(database, ['players', 'player_days', 'player_promotions']);
  const { rows } = await database.query(
    "select count(*)::int as n, (count(*) filter (where day > now() - interval '28 days'))::int as recent from player_days",
  );
  console.log(`${players} players with ${rows[0].n} days, ${rows[0].recent} of them in the last 28`);
}

async function measure(after) {
  const { rows } = await database.query('select id from games limit 1');
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const own = process.cpuUsage();
  const serverBefore = cpuMsOf(service.pid);
  let rss = 0;
  const outcome = await dryRun(pool, {
    gameId: rows[0].id,
    before: DEFAULT_DOCUMENT,
    after,
    nowMs: Date.now(),
    sample: values.sample === undefined ? undefined : Number(values.sample),
    onProgress: ({ examined: done }) => {
      if (done % 50_000 === 0) rss = Math.max(rss, process.memoryUsage.rss());
    },
  });
  delay.disable();
  const cpu = process.cpuUsage(own);
  const { examined, seconds, segments } = outcome.result;
  console.log(
    `${examined} players in ${seconds.toFixed(1)} s: ${Math.round(examined / seconds)} players/s; CPU ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s here, ${((cpuMsOf(service.pid) - serverBefore) / 1000).toFixed(1)} s in the database; at most ${Math.round(rss / 2 ** 20)} MB and ${Math.round(delay.max / 1e6)} ms between turns (p99 ${Math.round(delay.percentile(99) / 1e6)} ms)`,
  );
  const engaged = segments.find(({ segmentId }) => segmentId === 'engaged');
  console.log(`  engaged: ${JSON.stringify(engaged.counts)}`);
}
