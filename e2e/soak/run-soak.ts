import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createPool, type Pool } from '../../server/src/platform/db/pool.js';
import { startEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/embedded-postgres.js';
import { type Sent, startTraffic } from '../operations/event-traffic.js';
import { runSavepoint, type Settings, temporaryFolder } from '../support/service.js';
import { startBalancer } from './balancer.js';
import type { Mark } from './drawing.js';
import { fillCaches } from './fill-caches.js';
import { type SoakNode, startNode } from './nodes.js';
import { KEPT_DAYS, openPastDays, type PastDays } from './past-days.js';
import {
  measureTables,
  memoryKeptByNode,
  memoryOfNode,
  memoryOfPostgres,
  p99Of,
  type Sample,
} from './samples.js';
import { type Finding, judge } from './verdict.js';

export type SoakOptions = Readonly<{
  minutes: number;
  /** Simulated players who play at a time. */
  clients: number;
  say: (line: string) => void;
}>;

export type SoakReport = Readonly<{
  samples: readonly Sample[];
  marks: readonly Mark[];
  findings: readonly Finding[];
}>;

/** A node restarts in each; at least a minute, so that maintenance has begun before the next. */
const ROUNDS = 10;
const SHORTEST_ROUND_MS = 60_000;
const SAMPLES = 240;
const SHORTEST_SAMPLE_MS = 5_000;
/** They send a few events at a time, and their response times are measured. */
const MEASURED_PLAYERS = 8;
const SIMULATION = { players: 200, days: 30 };
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
/** Its memory is judged: the second node is restarted. */
const STEADY = 'node one';
/** When they collect, as shares of the time; the first third is not judged. */
const COLLECTED_AT = [1 / 3, 1 / 2, 2 / 3, 5 / 6, 1];

/**
 *   PostgreSQL ◄─ node one, which stays, and node two, which is restarted or killed each round ◄─ balancer ◄─ simulated players
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, say } = options;
  const dataDir = await temporaryFolder();
  const server = await startEmbeddedPostgres({ dataDir, say });
  const pool = createPool({ url: server.url, size: 4, timeoutMs: 60_000, onError: () => {} });
  const settings: Settings = {
    DATABASE_URL: server.url,
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_MASTER_KEY: randomBytes(32).toString('base64'),
    SAVEPOINT_WORKERS: '1',
    SAVEPOINT_LOG_LEVEL: 'warn',
    SAVEPOINT_MAX_WAIT_MS: '500',
    SAVEPOINT_DB_TIMEOUT_MS: '5000',
  };
  const collected = await temporaryFolder();
  const collector = new URL('collect-on-signal.mjs', import.meta.url).href;
  const steady = { ...settings, NODE_OPTIONS: `--import ${collector}`, SOAK_COLLECTED: collected };
  const nodes = [await startNode(steady), await startNode(settings)] as const;
  const balancer = await startBalancer(nodes);
  try {
    const rounds = Math.max(1, Math.min(ROUNDS, Math.floor((minutes * 60_000) / SHORTEST_ROUND_MS)));
    const past = await openPastDays(pool, balancer.url, rounds);
    await fillCaches(nodes[0].url, say);
    const times: number[] = [];
    const sent = new Map<string, Sent>();
    const traffic = await startTraffic(balancer.url, sent, {
      players: MEASURED_PLAYERS,
      sendsAgain: true,
      onResponse: (ms) => times.push(ms),
    });
    const begun = performance.now();
    const ends = begun + minutes * 60_000;
    const isOver = () => performance.now() >= ends;
    const simulations = playSimulations(balancer.url, settings, options, isOver);
    const sampling = takeSamples({ begun, ends, nodes, dataDir, collected, url: server.url, times });
    const marks = await runRounds({ begun, ends, rounds, settings, node: nodes[1], past, say });
    const samples = await sampling;
    const played = await simulations;
    await traffic.stop();
    return {
      samples,
      marks,
      findings: [
        ...judge(samples),
        ...played,
        await judgeStored(pool, sent),
        await judgePastDays(past),
        await judgeRecount(settings),
      ],
    };
  } finally {
    await balancer.close();
    for (const node of nodes) await node.stop();
    await pool.end();
    await server.stop();
  }
}

/** One simulation after the other, each with players of its own. Each compares at its end what it sent with what is stored. */
async function playSimulations(
  url: string,
  settings: Settings,
  { clients, say }: SoakOptions,
  isOver: () => boolean,
): Promise<readonly Finding[]> {
  const { players, days } = SIMULATION;
  const folder = await temporaryFolder();
  const problems: Finding[] = [];
  let simulations = 0;
  let events = 0;
  for (let seed = 1; !isOver(); seed++) {
    const state = join(folder, `simulation-${seed}`);
    const size = { players, days, seed, clients };
    const args = Object.entries({ ...size, url, state }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    const { code, output } = await runSavepoint(['simulate', ...args], settings);
    simulations++;
    events += Number(/^Sent ([\d,]+) events/m.exec(output)?.[1]?.replaceAll(',', '') ?? 0);
    if (code === 0) continue;
    say(output);
    problems.push({ isGood: false, sentence: `The simulation with seed ${seed} does not agree.` });
  }
  if (problems.length > 0) return problems;
  const sentence = `${simulations} simulations of ${players} players sent ${events.toLocaleString('en-US')} events, and the service has what each sent.`;
  return [{ isGood: simulations > 0, sentence }];
}

type Rounds = Readonly<{
  begun: number;
  ends: number;
  rounds: number;
  settings: Settings;
  node: SoakNode;
  past: PastDays;
  say: (line: string) => void;
}>;

/** Each fills a past day, shortens the retention, and restarts the node, whose maintenance then compacts and deletes. */
async function runRounds({ begun, ends, rounds, settings, node, past, say }: Rounds): Promise<Mark[]> {
  const marks: Mark[] = [];
  for (let round = 0; round < rounds; round++) {
    const days = await past.fill(round);
    await runSavepoint(
      ['game', 'set', 'demo-game', '--tenant', 'demo-studio', '--retention-days', String(days)],
      settings,
    );
    const isKill = round % 2 === 1;
    const seconds = (performance.now() - begun) / 1_000;
    marks.push({ seconds, name: isKill ? 'kill -9' : 'restart' });
    await (isKill ? node.kill() : node.restart());
    const { present, compacted } = await past.count();
    say(
      `${seconds.toFixed(0)} s: ${isKill ? 'killed and started' : 'restarted'} node two; ${present} past days, ${compacted} of them compacted`,
    );
    const next = begun + ((round + 1) * (ends - begun)) / rounds;
    await sleep(Math.max(0, next - performance.now()));
  }
  return marks;
}

type Sampling = Readonly<{
  begun: number;
  ends: number;
  nodes: readonly [SoakNode, SoakNode];
  dataDir: string;
  /** Where processes say that they have collected. */
  collected: string;
  url: string;
  /** Emptied with each sample. */
  times: number[];
}>;

async function takeSamples(sampling: Sampling): Promise<Sample[]> {
  const { begun, ends, nodes, dataDir, collected, url, times } = sampling;
  const everyMs = Math.max(SHORTEST_SAMPLE_MS, (ends - begun) / SAMPLES);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const samples: Sample[] = [];
  const collections = [...COLLECTED_AT];
  while (performance.now() < ends) {
    await sleep(everyMs);
    const postgres = { PostgreSQL: await memoryOfPostgres(dataDir) };
    const [one, two] = [nodes[0].pid(), nodes[1].pid()];
    const memory = {
      ...postgres,
      ...(await memoryOfNode(STEADY, one)),
      ...(await memoryOfNode('node two', two)),
    };
    const now = performance.now();
    const isCollected = (now - begun) / (ends - begun) >= (collections[0] ?? Number.POSITIVE_INFINITY);
    if (isCollected) collections.shift();
    const kept = isCollected
      ? { ...postgres, ...(await memoryKeptByNode(STEADY, one, collected)) }
      : undefined;
    const seconds = (now - begun) / 1_000;
    samples.push({ seconds, memory, kept, ...(await measureTables(client)), p99: p99Of(times.splice(0)) });
  }
  await client.end();
  return samples;
}

/** The measured players send each batch until it is acknowledged, so all of it is there, once. */
async function judgeStored(pool: Pool, sent: ReadonlyMap<string, Sent>): Promise<Finding> {
  const { rows } = await pool.query<{ stored: number; different: number }>(
    `select count(*)::int as stored, count(distinct event_id)::int as different
     from events where event_id ~ '^p\\d+-b\\d+-n\\d+$'`,
  );
  const { stored = 0, different = 0 } = rows[0] ?? {};
  const [lost, doubled] = [sent.size - different, stored - different];
  return {
    isGood: sent.size > 0 && lost === 0 && doubled === 0,
    sentence: `Of ${sent.size.toLocaleString('en-US')} acknowledged events of the measured players ${lost} are lost and ${doubled} doubled.`,
  };
}

async function judgePastDays(past: PastDays): Promise<Finding> {
  const { filled, present, compacted } = await past.count();
  // The last two may still wait for the maintenance that follows the next restart.
  const isGood = present <= KEPT_DAYS + 1 && compacted >= Math.min(KEPT_DAYS, filled) - 2;
  return {
    isGood,
    sentence: `Of ${filled} past days ${filled - present} were dropped by retention and ${compacted} of the others are compacted.`,
  };
}

async function judgeRecount(settings: Settings): Promise<Finding> {
  const { code, output } = await runSavepoint(['rollups', 'check', ...GAME], settings);
  return {
    isGood: code === 0,
    sentence: `The recount ${code === 0 ? 'agrees' : 'does not agree'}: ${output.trim().split('\n').at(-1)}`,
  };
}
