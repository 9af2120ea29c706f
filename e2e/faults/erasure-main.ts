import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { attachToEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/attach.js';
import { tablesNaming } from '../../server/test/support/erasure-calls.js';
import { stablePort } from '../../server/test/support/stable-port.js';
import {
  cleanUp,
  get,
  launch,
  login,
  runSavepoint,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';
import { DEVICE, IDS, newSent, type Sent, sendBacklog, startLoad } from './erasure-load.js';
import { HELD_TABLES, holdErasures, holdStep } from './erasure-steps.js';
import { type NatsServers, startNatsServers } from './nats-servers.js';
import { childrenOf, isRunning, signal } from './processes.js';
import { besideFirst } from './second-node.js';

const HELP = `npm run faults -- erasure [options]

Erases a player on two nodes with JetStream while the player sends events and a backlog waits in the stream. In each step of the erasure the
processes that may run it are killed (-9), and a worker, a consumer or a whole node besides. Then it looks for the ids of the player.

  --rate N      events a second of the player (1000)
  --backlog N   messages that wait in the stream at the request (10000)
`;

const LONG_MS = 300_000;
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];

/** On a terminal. Resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rate: { type: 'string', default: '1000' },
      backlog: { type: 'string', default: '10000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const begun = performance.now();
  const say = (line: string) =>
    process.stdout.write(`[${((performance.now() - begun) / 1000).toFixed(1).padStart(6)}] ${line}\n`);
  const nats = await startNatsServers(1);
  try {
    const problems = await eraseUnderFire(nats, say, {
      rate: Number(values.rate),
      backlog: Number(values.backlog),
    });
    for (const problem of problems) say(`PROBLEM: ${problem}`);
    say(problems.length === 0 ? 'nothing of the player is left' : `${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    say(`the run failed: ${(error as Error).message}`);
    return 1;
  } finally {
    await cleanUp();
    await nats.dispose();
  }
}

type Say = (line: string) => void;
type Options = { rate: number; backlog: number };

async function eraseUnderFire(nats: NatsServers, say: Say, options: Options): Promise<string[]> {
  const dataDir = await temporaryFolder();
  const common = { NATS_URL: nats.urls, SAVEPOINT_RATE_LIMITS: 'off', SAVEPOINT_WORKERS: '1' };
  const first = await startService({
    ...common,
    SAVEPOINT_DATA_DIR: dataDir,
    SAVEPOINT_CONSUME: 'off',
    // The same after a worker was killed.
    SAVEPOINT_PORT: String(await stablePort()),
  });
  const url = (await attachToEmbeddedPostgres(dataDir)) ?? '';
  const beside = await besideFirst(dataDir, { ...common, DATABASE_URL: url });
  let second = await startService({ ...beside, SAVEPOINT_CONSUME: 'off' });
  const apis = () => [first.api, second.api];
  const outputs = [first.output, second.output];
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => {});

  const player = await login(first.api, DEVICE);
  const playerId = await addRows(pool, player.userId);
  const consumers = startConsumers(beside, outputs);
  const load = startLoad(apis, player, options.rate);
  await until(() => hasRowsOfEvents(pool, playerId), LONG_MS);
  await killAll(consumers.map(({ child }) => child.pid ?? 0));
  const backlog = await sendBacklog(apis(), player, options.backlog);
  say(`the player plays: ${told(load.sent)}; beside that ${told(backlog)}`);
  const letErase = await holdErasures(url);
  const response = await fetch(`${second.api}/v1/player`, { method: 'DELETE', headers: player.headers });
  if (response.status !== 202) throw new Error(`DELETE /v1/player: ${response.status}`);
  const { data } = (await response.json()) as { data: { erasureId: string } };
  say(`the player has asked for erasure; ${await lagOf(first)} messages wait in the stream`);
  consumers.splice(0, consumers.length, ...startConsumers(beside, outputs));
  let held = await holdStep(url, 'players', playerId);
  await letErase();
  for (const [index, table] of HELD_TABLES.entries()) {
    await held.blocked();
    for (const node of [first, second]) await killAll(await childrenOf(node.pid, 'operations.js'));
    const also = index % 3;
    if (also === 0) await killAll(await childrenOf(first.pid, 'worker.js'));
    if (also === 1) {
      consumers[0]?.child.kill('SIGKILL');
      consumers[0] = startConsumer(beside, outputs);
    }
    if (also === 2) {
      const children = await childrenOf(second.pid, 'server/dist/programs/');
      await second.kill();
      await until(() => !children.some(isRunning), LONG_MS);
      second = await startService({ ...beside, SAVEPOINT_CONSUME: 'off' });
      outputs.push(second.output);
    }
    const what = ['a worker', 'a consumer', 'a node'][also];
    say(`killed the erasure in ${table}, and ${what}`);
    const next = HELD_TABLES[index + 1];
    const before = held;
    // Before the release of this step: the erasure then comes as far as the next one, and no further.
    if (next !== undefined) held = await holdStep(url, next, playerId);
    await before.release();
  }
  await until(async () => (await erasureOf(pool, data.erasureId)).state === 'done', LONG_MS);
  await load.stop();
  await until(async () => (await lagOf(first)) === 0, LONG_MS);
  say(`erased; of the player in all: ${told(load.sent)}; the stream is empty`);
  const problems = await findTraces(pool, { dataDir, playerId, userId: player.userId }, outputs);
  problems.push(...(await checkReceipt(pool, first, data.erasureId)));
  const recount = await runSavepoint(['rollups', 'check', ...GAME], beside);
  say(`rollups check: ${recount.output.trim()}`);
  if (recount.code !== 0) problems.push('the recount differs');
  const again = await login(first.api, DEVICE);
  if (again.userId === player.userId) problems.push('the player is back');
  const late = await fetch(`${first.api}/v1/player/status`, { headers: player.headers });
  if (late.status !== 401) problems.push(`an old token gets ${late.status}`);
  await pool.end();
  return problems;
}

type Consumer = ReturnType<typeof launch>;
/** What every process has written, also those that were killed. */
type Outputs = (() => string)[];

function startConsumers(settings: Settings, outputs: Outputs): Consumer[] {
  return [startConsumer(settings, outputs), startConsumer(settings, outputs)];
}

function startConsumer(settings: Settings, outputs: Outputs): Consumer {
  const consumer = launch(settings, 'consume');
  outputs.push(consumer.output);
  return consumer;
}

/** Rows that no event makes. */
async function addRows(pool: pg.Pool, userId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from players where user_id = $1', [userId]);
  const id = rows[0]?.id ?? '';
  await pool.query(
    `insert into player_notes (player_id, text, author, created_at) values ($1, 'About ' || $2::text, 'Ana', now())`,
    [id, userId],
  );
  await pool.query(
    `insert into failed_events (game_id, player_id, fingerprint, code, message, raw, received_at)
     select game_id, id, gen_random_uuid(), 'event_invalid', '', user_id::text, now() from players where id = $1`,
    [id],
  );
  await pool.query(
    `insert into audit_log (game_id, at, actor, action, target)
     select game_id, now(), 'Ana', 'player.note', 'player ' || user_id from players where id = $1`,
    [id],
  );
  await pool.query(
    `insert into export_jobs (id, tenant_id, game_id, format, span_from, span_to, state, created_by, created_at, expected_events,
       finished_at, expires_at)
     select gen_random_uuid(), g.tenant_id, g.id, 'ndjson', now() - interval '1 day', now() + interval '1 day', 'done', 'Ana', now(),
       0, now(), now() + interval '1 day'
     from players p join games g on g.id = p.game_id where p.id = $1`,
    [id],
  );
  await pool.query(
    `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, heartbeat_at, finished_at, expires_at)
     select gen_random_uuid(), game_id, 'override_import', json_build_object('player', user_id), 'done', 'Ana', now(), now(), now(),
       now() + interval '1 day'
     from players where id = $1`,
    [id],
  );
  return id;
}

/** The tables that events of the player fill. */
const FILLED_BY_EVENTS = [
  'event_blocks',
  'event_identities',
  'transactions',
  'player_days',
  'event_installs',
];

async function hasRowsOfEvents(pool: pg.Pool, playerId: string): Promise<boolean> {
  for (const table of FILLED_BY_EVENTS) {
    const { rowCount } = await pool.query(`select from ${table} where player_id = $1 limit 1`, [playerId]);
    if (rowCount === 0) return false;
  }
  return true;
}

async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGKILL');
  await until(() => !pids.some(isRunning), LONG_MS);
}

async function lagOf({ ops }: Service): Promise<number> {
  const { body } = await get(`${ops}/metrics`).catch(() => ({ body: '' }));
  // Before the operations process is back there is no figure.
  const [, messages] = /^savepoint_queue_lag_messages(?:\{.*\})? (\d+)/m.exec(String(body)) ?? [];
  return messages === undefined ? Number.NaN : Number(messages);
}

type Erasure = { state: string; receipt: string | null };

async function erasureOf(pool: pg.Pool, erasureId: string): Promise<Erasure> {
  const { rows } = await pool.query<Erasure>('select state, receipt from erasures where id = $1', [
    erasureId,
  ]);
  return rows[0] ?? { state: 'missing', receipt: null };
}

async function findTraces(
  pool: pg.Pool,
  { dataDir, playerId, userId }: { dataDir: string; playerId: string; userId: string },
  outputs: Outputs,
): Promise<string[]> {
  const ids = [userId, ...IDS];
  const tables = await tablesNaming({ pool: pool as never }, ids, playerId);
  const files = (await readdir(dataDir, { withFileTypes: true })).filter((file) => file.isFile());
  const texts = await Promise.all(files.map(({ name }) => readFile(join(dataDir, name), 'utf8')));
  const found = files.filter((_, index) => ids.some((id) => texts[index]?.includes(id)));
  return [
    ...tables.map((table) => `an id of the player is in the table ${table}`),
    ...found.map(({ name }) => `an id of the player is in the file ${name}`),
    ...outputs.flatMap((output) => {
      const line = output()
        .split('\n')
        .find((text) => ids.some((id) => text.includes(id)));
      return line === undefined ? [] : [`an id of the player is in the output of a process: ${line}`];
    }),
  ];
}

async function checkReceipt(pool: pg.Pool, { api }: Service, erasureId: string): Promise<string[]> {
  const { receipt } = await erasureOf(pool, erasureId);
  const keys = createRemoteJWKSet(new URL(`${api}/.well-known/jwks.json`));
  const verified = await jwtVerify(receipt ?? '', keys, { typ: 'savepoint-erasure+jwt' }).catch(
    (error: Error) => error,
  );
  if (verified instanceof Error) return [`the receipt does not verify: ${verified.message}`];
  process.stdout.write(`         the receipt verifies: ${JSON.stringify(verified.payload.deleted)}\n`);
  return verified.payload.jti === erasureId ? [] : ['the receipt is of another request'];
}

function told(sent: Sent = newSent()): string {
  const statuses = Object.entries(sent.byStatus).map(([status, times]) => `${status} ${times}`);
  return `${sent.events} events in ${sent.messages} messages taken (${statuses.join(', ')})`;
}
