// npm run bench -- experiment-sums [--players 1000000] [--traffic | --reads 500] [--times 1] : how long maintenance takes to sum and report ten running experiments
// of a game, the largest with all of its players and each with a forecast of the models, and to grade the game by hidden A/A experiments. --reads: players read meanwhile, so many times
// a second; --traffic: half as often as the service could serve, whatever the machine. --times: the experiments are summed so often, since a machine may be slow for minutes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { DEFAULT_DOCUMENT } from '../server/dist/decide/document/default-document.js';
import { gradeExperiments } from '../server/dist/experiments/grading/grade-experiments.js';
import { sumExperiments } from '../server/dist/experiments/sum-experiments.js';
import { tryAdvisoryLock, walkByIndex } from '../server/dist/platform/db/dedicated-connection.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { runAndCleanUp } from './support/interrupt.mjs';
import { cpuMsOf, stolenMs } from './support/processes.mjs';
import { loginMany, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';
import { insertPlayers, settleTables } from './support/stored-players.mjs';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '1000000' },
    traffic: { type: 'boolean', default: false },
    reads: { type: 'string' },
    times: { type: 'string', default: '1' },
  },
});
/** What part of the players is in each of the ten: 4.2 million exposures of a million players. */
const SHARES = [1, 1, 0.5, 0.5, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1];
const METRICS = {
  primary: { kind: 'share', of: 'converted' },
  secondary: [
    { kind: 'sum', sum: { of: 'revenue', currency: 'USD' } },
    { kind: 'share', of: 'retained', day: 7 },
    { kind: 'sum', sum: { of: 'minutes' } },
  ],
  guardrails: [{ metric: { kind: 'share', of: 'retained', day: 1 }, worse: 'lower', marginPercent: 5 }],
};

await runAndCleanUp(async () => {
  const service = await startService({ SAVEPOINT_WORKERS: '1', SAVEPOINT_TRAINING_DAYS: '0' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  const pool = createPool({ url: service.databaseUrl, size: 2, timeoutMs: 60_000, onError: () => {} });
  await database.connect();
  for (const step of ['experiments', 'experiment_grades']) await lockStep(step);
  const hasTraffic = values.traffic || values.reads !== undefined;
  const sessions = hasTraffic ? await loginMany(service.api, 200, 'busy') : [];
  await fill(Number(values.players));
  await walkByIndex(database);
  const traffic = hasTraffic ? await startReading(service.api, sessions) : undefined;
  for (let time = 0; time < Number(values.times); time++) {
    // As if somebody had asked for each report once more.
    await database.query('update experiment_runs set requested_at = now()');
    await measure('ten experiments', () => sumExperiments(database, { pool, nowMs: Date.now() }));
  }
  await measure('hidden A/A experiments', () => gradeExperiments(database, { nowMs: Date.now() }));
  await measure('both again, with nothing to do', async () => ({
    ...(await sumExperiments(database, { pool, nowMs: Date.now() })),
    ...(await gradeExperiments(database, { nowMs: Date.now() })),
  }));
  traffic?.stop();
  await pool.end();
  await database.end();
  await service.stop();

  /** Else the service would run the step, too. */
  async function lockStep(step) {
    while (!(await tryAdvisoryLock(database, 'savepoint maintenance', step))) await sleep(500);
  }

  async function fill(players) {
    await insertPlayers(database, players);
    await database.query(
      `update players p set active_days = d.days, purchase_days = coalesce(d.bought, '{}'), first_day = p.created_at::date
       from (
         select player_id, range_agg(daterange(day, day + 1)) as days,
           range_agg(daterange(day, day + 1)) filter (where purchases > 0) as bought
         from player_days group by player_id
       ) d
       where d.player_id = p.id`,
    );
    const experiments = SHARES.map((_, n) => experiment(`test_${n}`));
    const document = JSON.stringify({ ...DEFAULT_DOCUMENT, experiments });
    const running = JSON.stringify(experiments.map(({ experimentId, seed }) => [experimentId, seed, null]));
    await database.query(
      `update config_versions set document = $1, published_at = now() - interval '30 days'
       where (game_id, version) = (select id, published_version from games where slug = 'demo-game')`,
      [document],
    );
    await database.query(`update games set running_experiments = $1 where slug = 'demo-game'`, [running]);
    for (const [n, share] of SHARES.entries()) {
      await database.query(
        `insert into experiment_exposures (game_id, player_id, experiment_id, seed, variant_id, exposed_at, forecast)
         select game_id, id, $1, '1', case when hashint8(id + $3) % 2 = 0 then 'a' else 'b' end,
           now() - interval '29 days' + random() * interval '28 days', array[random(), random(), random() * 10]::real[]
         from players
         where game_id = (select id from games where slug = 'demo-game') and hashint8(id + 100 + $3) % 1000 < 1000 * (2 * $2::float8 - 1)`,
        [`test_${n}`, share, n],
      );
    }
    await settleTables(database, ['players', 'player_days', 'experiment_exposures']);
    const { rows } = await database.query(
      `select (select count(*) from player_days)::int as days, (select count(*) from experiment_exposures)::int as exposures`,
    );
    console.log(`${players} players with ${rows[0].days} days and ${rows[0].exposures} exposures`);
  }

  async function measure(name, work) {
    const started = performance.now();
    const [own, theirs, stolen] = [process.cpuUsage(), cpuMsOf(service.pid), stolenMs()];
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const result = await work();
    delays.disable();
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(own);
    const cpu = (used.user + used.system) / 1e6;
    const taken = `the host took ${((stolenMs() - stolen) / 1000).toFixed(1)} s`;
    // What else this process has to do waits as long.
    const waits = `other work waited ${(delays.percentile(99) / 1e6).toFixed(0)} ms (p99), ${(delays.max / 1e6).toFixed(0)} ms at most`;
    const p99s = traffic?.takeP99s() ?? [];
    const reads = p99s.length === 0 ? '' : `; p99 of reads ${middle(p99s).toFixed(0)} ms`;
    console.log(
      `${name}: ${seconds.toFixed(1)} s; CPU of the step ${cpu.toFixed(1)} s, of database and service ${((cpuMsOf(service.pid) - theirs) / 1000).toFixed(1)} s; ${taken}; ${waits}; ${Math.round(process.memoryUsage.rss() / 1e6)} MB${reads}; ${JSON.stringify(result)}`,
    );
  }
});

function experiment(experimentId) {
  return {
    ...{ experimentId, name: experimentId, hypothesis: '', when: null, coveragePercent: 100, seed: '1' },
    variants: ['a', 'b'].map((variantId) => ({ variantId, name: variantId, weight: 1 })),
    metrics: METRICS,
    ...{ plan: null, state: 'running' },
  };
}

/** Returns when the pace is known and the first reads at it are over. */
async function startReading(url, sessions) {
  const clients = fork(new URL('experiment-sums/reading-clients.mjs', import.meta.url));
  clients.send({ url, sessions, ...(values.reads === undefined ? {} : { perSecond: Number(values.reads) }) });
  const [{ perSecond }] = await once(clients, 'message');
  const [{ p99Ms }] = await once(clients, 'message');
  console.log(`${perSecond} reads a second, p99 ${p99Ms.toFixed(0)} ms before`);
  let p99s = [];
  clients.on('message', (told) => p99s.push(told.p99Ms));
  return {
    /** Those since they were taken last. */
    takeP99s() {
      const taken = p99s;
      p99s = [];
      return taken;
    },
    stop: () => clients.disconnect(),
  };
}
