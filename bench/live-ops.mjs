// npm run bench -- live-ops [--pairs 16] [--seconds 1] [--only store] : what live operations cost reads and logins. One service has the same game with
// several documents. Two of them get the same work in turns of a second, and neighbouring turns are compared, as in `bench -- compare`.
// Then: what the first exposure of a player costs, beside what the first stay in a segment costs.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { publishConfig } from '../server/dist/liveops/configs/publish.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { loginRequest, refreshRequest, refreshTokenIn } from './support/auth-requests.mjs';
import { createGame } from './support/command.mjs';
import { historyJson } from './support/event-bodies.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { DOCUMENTS, withExperiments, withSegment } from './support/live-ops-documents.mjs';
import { putModelInForce } from './support/prediction-model.mjs';
import { cpuSplitOf } from './support/processes.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, postEvents, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';
import { measureTurn, ratioCells } from './support/turns.mjs';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [''] },
    'first-players': { type: 'string', default: '2000' },
    'first-rounds': { type: 'string', default: '5' },
  },
});
const PLAYERS = 200;
const seconds = Number(values.seconds);

const read = (path) => ({
  requestOf: ({ sessions }, n) => rawRequest('GET', path, playerHeaders(sessions[n % PLAYERS])),
});
const WORK = {
  status: read('/v1/player/status'),
  segments: read('/v1/player/segments'),
  store: read('/v1/player/store_configs'),
  values: read('/v1/player/values'),
  'returning login': { requestOf: ({ key }, n) => loginRequest(`ops-${n % PLAYERS}`, key) },
  refresh: {
    requestOf: ({ sessions }, n) => refreshRequest(sessions[n % PLAYERS].refreshToken),
    onResponse({ sessions }, n, response) {
      sessions[n % PLAYERS].refreshToken = refreshTokenIn(response);
    },
  },
};
const wanted = Object.entries(WORK).filter(([name]) => values.only.some((part) => name.includes(part)));
/** What is compared, and the least ratio of the rates. */
const COMPARISONS = [
  ['50 values and 50 scheduled offers / none', 'plain', 'liveOps', 0.85],
  ['ten running experiments / none', 'tenValues', 'tenExperiments', 0.9],
];

/** `both`: what a read costs. The rest is maintenance, of the service and of PostgreSQL, which runs by its own clock. */
const PARTS = ['workers', 'connections', 'both', 'rest'];

await runAndCleanUp(async () => {
  const service = await startService({ SAVEPOINT_TRAINING_DAYS: '0' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  // An interrupted run stops PostgreSQL below it.
  database.on('error', () => {});
  await database.connect();
  const pool = createPool({ url: service.databaseUrl, size: 1, timeoutMs: 60_000, onError: () => {} });
  if (Number(values.pairs) > 0) await compareReads();
  if (Number(values['first-rounds']) > 0) await compareFirsts();
  await pool.end();
  await database.end();
  await service.stop();

  async function compareReads() {
    const games = {};
    for (const [name, document] of Object.entries(DOCUMENTS)) {
      const slug = `game-${name.toLowerCase()}`;
      const key = await createGame(service, slug);
      await publish(slug, document);
      const sessions = await loginMany(service.api, PLAYERS, 'ops', key);
      await postEvents(service.api, sessions, historyJson);
      games[name] = { ...service, key, sessions };
    }
    for (const game of Object.values(games)) {
      for (const [, work] of wanted) await measureTurn(game, work, seconds);
    }
    console.log(
      '| compared | work | without, per second | with | with / without | 95 % | CPU for each request, without / with | 95 % | target |\n|---|---|---|---|---|---|---|---|---|',
    );
    for (const [what, without, added, target] of COMPARISONS) {
      for (const [name, work] of wanted) {
        const pairs = [];
        for (let pair = 0; pair < Number(values.pairs); pair++) {
          const turns = {};
          for (const game of pair % 2 === 0 ? [without, added] : [added, without]) {
            turns[game] = await measureTurn(games[game], work, seconds);
          }
          pairs.push({ before: turns[without], after: turns[added] });
        }
        const cells = [
          what,
          name,
          middle(pairs.map(({ before }) => before.rate)).toFixed(0),
          middle(pairs.map(({ after }) => after.rate)).toFixed(0),
          ...ratioCells(pairs.map(({ before, after }) => after.rate / before.rate)),
          ...ratioCells(pairs.map(({ before, after }) => before.cpuMs / after.cpuMs)),
          target,
        ];
        console.log(`| ${cells.join(' | ')} |`);
      }
    }
  }

  /** Every player of the demo game reads once. A new seed and a new segment make each round the first one. */
  async function compareFirsts() {
    await putModelInForce(service.databaseUrl);
    const players = Number(values['first-players']);
    const sessions = await loginMany(service.api, players, 'first');
    await postEvents(service.api, sessions, historyJson);
    const cases = {
      'a value': { document: () => DOCUMENTS.tenValues, path: 'values', rows: null },
      'a first exposure': {
        document: (round) => withExperiments(1, `round-${round}`),
        path: 'values',
        rows: "select count(*)::int as n from experiment_exposures where seed = 'round-' || $1::text",
      },
      'a segment by a prediction': {
        document: (round) => withSegment(`plain_${round}`, false),
        path: 'segments',
        rows: null,
      },
      'a first stay': {
        document: (round) => withSegment(`stay_${round}`, true),
        path: 'segments',
        rows: "select count(*)::int as n from segment_stays where segment_id = 'stay_' || $1::text",
      },
    };
    const costs = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round <= Number(values['first-rounds']); round++) {
      for (const [name, { document, path, rows }] of Object.entries(cases)) {
        await publish('demo-game', document(round));
        // The first read of the document compiles it.
        await readOnce(sessions.slice(0, 1), path);
        const before = cpuSplitOf(service.pid);
        await readOnce(sessions, path);
        while (rows !== null && (await rowsOf(rows, round)) < players) await sleep(20);
        // The first round warms up.
        if (round > 0) costs[name].push(costOf(before, cpuSplitOf(service.pid), players));
      }
    }
    const middles = Object.fromEntries(
      Object.entries(costs).map(([name, list]) => [
        name,
        Object.fromEntries(PARTS.map((part) => [part, middle(list.map((cost) => cost[part]))])),
      ]),
    );
    console.log(
      `\n| first read of a player, CPU in µs | ${PARTS.join(' | ')} |\n|---|${PARTS.map(() => '---|').join('')}`,
    );
    for (const [name, cost] of Object.entries(middles))
      console.log(`| ${name} | ${PARTS.map((part) => cost[part].toFixed(0)).join(' | ')} |`);
    const exposure = middles['a first exposure'].both - middles['a value'].both;
    const stay = middles['a first stay'].both - middles['a segment by a prediction'].both;
    console.log(
      `A first exposure costs ${exposure.toFixed(0)} µs, a first stay ${stay.toFixed(0)} µs: ${(exposure / stay).toFixed(2)} of it.`,
    );
  }

  async function readOnce(sessions, path) {
    let next = 0;
    const one = async () => {
      while (next < sessions.length) {
        const headers = playerHeaders(sessions[next++]);
        const response = await fetch(`${service.api}/v1/player/${path}`, { headers });
        if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 32 }, one));
  }

  async function rowsOf(text, round) {
    const { rows } = await database.query(text, [round]);
    return rows[0].n;
  }

  async function publish(slug, document) {
    const { rows } = await database.query('select id from games where slug = $1', [slug]);
    const publication = {
      gameId: rows[0].id,
      document,
      note: '',
      confirmPriceRaises: true,
      confirmLostValues: true,
    };
    const outcome = await publishConfig(pool, publication, { name: 'bench', nowMs: Date.now() });
    if (outcome.outcome !== 'published' && outcome.outcome !== 'unchanged') {
      throw new Error(`not published: ${JSON.stringify(outcome)}`);
    }
  }
});

function costOf(before, after, players) {
  const spent = (part) => (1000 * (after[part] - before[part])) / players;
  const workers = spent('workersMs');
  const connections = spent('postgresMs') - spent('upkeepMs');
  const both = workers + connections;
  return { workers, connections, both, rest: spent('serviceMs') + spent('postgresMs') - both };
}
