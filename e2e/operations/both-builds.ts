import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/embedded-postgres.js';
import { planEvents } from '../faults/numbered-events.js';
import { seededRandom } from '../faults/random.js';
import { startTraffic } from '../faults/traffic.js';
import { checkStored, countCopies } from '../faults/verify.js';
import {
  get,
  login,
  post,
  runSavepoint,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';

const FIXTURE = new URL('../../server/test/fixtures/database-1.0.sql', import.meta.url);
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const EVENTS = 60_000;
const PLAYERS = 100;
const CONNECTIONS = 16;
/** Of all events: the older build alone, then both, then the newer alone. */
const NEWER_FROM = 0.2;
const OLDER_UNTIL = 0.8;
const STEP_TIMEOUT_MS = 600_000;

/** What scripts/make-fixture.mjs says about the database of 1.0. */
type Facts = { masterKey: string; userId: string; deviceId: string; sent: unknown[] };

/**
 * An upgrade while players play: an older build serves the database of 1.0, this build migrates it meanwhile, both serve, and the older one is
 * stopped. What was acknowledged is stored once, tokens of one build work with the other, and the recount agrees.
 */
export async function tryBothBuilds(args: readonly string[]): Promise<readonly string[]> {
  const { values } = parseArgs({ args: [...args], options: { before: { type: 'string' } } });
  const program = join(resolve(values.before ?? ''), 'server/bin/savepoint.mjs');
  if (values.before === undefined || !existsSync(program))
    return ['Name a checkout of an older commit that was built: --before FOLDER'];

  const server = await startEmbeddedPostgres({ dataDir: await temporaryFolder(), say: () => {} });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    const facts = await loadFixture(client);
    const settings = async (): Promise<Settings> => ({
      DATABASE_URL: server.url,
      SAVEPOINT_DATA_DIR: await temporaryFolder(),
      SAVEPOINT_MASTER_KEY: facts.masterKey,
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_WORKERS: '1',
    });
    const ofOlder = await settings();
    const older = await startService(ofOlder, program);
    const problems = await upgrade(client, { older, ofOlder, ofNewer: await settings(), program, facts });
    return problems;
  } finally {
    await client.end();
    await server.stop();
  }
}

async function loadFixture(client: pg.Client): Promise<Facts> {
  const sql = await readFile(FIXTURE, 'utf8');
  await client.query(sql);
  return JSON.parse(sql.slice(2, sql.indexOf('\n'))) as Facts;
}

type Upgrade = Readonly<{
  older: Service;
  ofOlder: Settings;
  ofNewer: Settings;
  program: string;
  facts: Facts;
}>;

async function upgrade(
  client: pg.Client,
  { older, ofOlder, ofNewer, program, facts }: Upgrade,
): Promise<string[]> {
  const problems: string[] = [];
  const plan = planEvents({ seed: 1, events: EVENTS, players: PLAYERS, startedAtMs: Date.now() });
  const players = [];
  for (let n = 0; n < PLAYERS; n++) players.push(await login(older.api, `device-${n}`));
  let serving: readonly Service[] = [older];
  let turn = 0;
  const traffic = startTraffic({
    plan,
    headers: players.map(({ headers }) => headers),
    url: () => `${serving[turn++ % serving.length]?.api}/v1/events`,
    countsDuplicates: true,
    connections: CONNECTIONS,
    cutShare: 0.02,
    maxAcknowledged: () => Number.POSITIVE_INFINITY,
    random: seededRandom(2),
  });
  const reached = (share: number) =>
    until(() => traffic.acknowledgedEvents() >= share * EVENTS, STEP_TIMEOUT_MS);

  await reached(NEWER_FROM);
  const migrations = await countMigrations(client);
  const newer = await startService(ofNewer);
  serving = [older, newer];
  const applied = (await countMigrations(client)) - migrations;
  process.stdout.write(
    `the newer build has applied ${applied} migrations while the older one served; both serve from ${traffic.acknowledgedEvents()} events on\n`,
  );
  if (applied === 0) problems.push('the older build has the same schema: nothing was tried');
  problems.push(...(await crossOver(older, newer, facts)));
  await reached(OLDER_UNTIL);
  serving = [newer];
  process.stdout.write(`the older build ends at ${traffic.acknowledgedEvents()} events\n`);
  await older.interrupt();
  await traffic.finished;

  const stored = checkStored({ plan, ...traffic }, await countCopies(client, plan.events));
  problems.push(...stored.problems, ...traffic.statistics().complaints);
  process.stdout.write(
    `${traffic.acknowledgedEvents()} acknowledged events, lost ${stored.lost}, doubled ${stored.doubled}; repeated: ${JSON.stringify(traffic.statistics().repeated)}\n`,
  );
  const recount = await runSavepoint(['rollups', 'check', ...GAME], ofNewer);
  process.stdout.write(`${recount.output.trim().split('\n').at(-1)}\n`);
  if (recount.code !== 0) problems.push(`the recount does not agree: ${recount.output}`);
  const again = await runSavepoint(['start'], ofOlder, program);
  process.stdout.write(`the older build, started again: ${again.output.trim().split('\n').at(-1)}\n`);
  if (again.code === 0) problems.push('the older build starts on the newer schema');
  await newer.interrupt();
  return problems;
}

async function countMigrations(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from schema_migrations');
  return rows[0]?.n ?? 0;
}

/** A player of 1.0 and a new one, each with sessions of both builds. */
async function crossOver(older: Service, newer: Service, facts: Facts): Promise<string[]> {
  const problems: string[] = [];
  const expectStatus = (what: string, status: number, expected: number) => {
    if (status !== expected) problems.push(`${what}: ${status} instead of ${expected}`);
  };
  for (const [from, to, names] of [
    [older, newer, 'from the older to the newer build'],
    [newer, older, 'from the newer to the older build'],
  ] as const) {
    for (const deviceId of [facts.deviceId, `crossing-${names}`]) {
      const session = await login(from.api, deviceId);
      for (const path of ['/v1/player/status', '/v1/player/store_configs']) {
        const { status } = await get(`${to.api}${path}`, session.headers);
        expectStatus(`${path} ${names}`, status, 200);
      }
      const refreshed = await post(`${to.api}/auth/refresh`, {}, { refreshToken: session.refreshToken });
      expectStatus(`a refresh ${names}`, refreshed.status, 200);
      if (deviceId !== facts.deviceId) continue;
      if (session.userId !== facts.userId) problems.push(`${names}: the player of 1.0 is another one`);
      const { body } = await post(`${to.api}/v1/events`, session.headers, facts.sent);
      const { accepted, duplicates } = (body as { data: { accepted: number; duplicates: number } }).data;
      if (accepted !== 0 || duplicates !== facts.sent.length)
        problems.push(`${names}: events of 1.0 were stored again: ${JSON.stringify(body)}`);
    }
  }
  return problems;
}
