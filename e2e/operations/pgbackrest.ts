import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import {
  freePort,
  get,
  type Login,
  login,
  post,
  runSavepoint,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';
import { runPostgres, startDebianPostgres } from './debian-postgres.js';
import { compareWithMoment, countAcknowledged, type Sent, startTraffic } from './event-traffic.js';
import { createRepository } from './pgbackrest-repository.js';

const PLAYERS = 20;
/** Between the steps of the trial. */
const EVENTS_PER_STRETCH = 3_000;
const TIMEOUT_MS = 180_000;
const ACCESS = 'local all all trust\nhost all all 127.0.0.1/32 trust\n';
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const EVENTS = ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'];

/**
 * An external PostgreSQL that pgBackRest backs up and whose log it archives. Players send; a full backup is made meanwhile; one player is erased,
 * then the moment comes, then another player is erased; then the cluster is killed and deleted, and restored to the moment. Each event that was
 * acknowledged before the moment is there once, and none of later. Tokens work, the recount agrees, and both players are gone.
 */
export async function tryPgBackRest(): Promise<readonly string[]> {
  const problems: string[] = [];
  const repository = await createRepository();
  const { port, release } = await freePort();
  await release();
  let archive: readonly string[] = [];
  let server = await startDebianPostgres(port, ACCESS, async (cluster) => {
    archive = await repository.configure(cluster, port);
    return archive;
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = {
    DATABASE_URL: url,
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_MASTER_KEY: randomBytes(32).toString('base64'),
    SAVEPOINT_ERASED_LIST: join(await temporaryFolder(), 'erased-players'),
    SAVEPOINT_ENV: 'development',
  };
  try {
    await repository.pgBackRest('stanza-create');
    const service = await startService(settings);
    const sent = new Map<string, Sent>();
    const traffic = await startTraffic(service.api, sent, { players: PLAYERS });
    const [early, late] = [await newPlayer(service.api, 'early'), await newPlayer(service.api, 'late')];
    await more(sent);
    const begun = { at: performance.now(), acknowledged: countAcknowledged(sent) };
    await repository.pgBackRest('backup', '--type=full');
    tell(
      `a full backup took ${secondsSince(begun.at)} s, while ${countAcknowledged(sent) - begun.acknowledged} events were acknowledged`,
    );
    await more(sent);
    await erase(service.api, early);
    await until(async () => (await countErased(url)) === 1, TIMEOUT_MS);
    await more(sent);
    const moment = new Date();
    await more(sent);
    await erase(service.api, late);
    await until(async () => (await countErased(url)) === 2, TIMEOUT_MS);
    await archived(url);
    await server.kill();
    await traffic.stop();
    await service.interrupt();

    const restoring = performance.now();
    await repository.restore(server.folder, moment);
    const restored = secondsSince(restoring);
    server = await runPostgres(port, server.folder, archive);
    tell(`the restore took ${restored} s, and PostgreSQL took writes after ${secondsSince(restoring)} s`);

    const again = await startService(settings);
    if (!again.output().includes('The database held 1 players who had been erased'))
      problems.push(`the list of erased players was not applied at the start: ${again.output()}`);
    for (const { headers } of [early, late]) {
      const { status } = await get(`${again.api}/v1/player/status`, headers);
      if (status !== 401)
        problems.push(`a token of an erased player gets ${status} when the service is ready`);
    }
    await until(async () => (await countErased(url)) === 2, TIMEOUT_MS);
    const { output: exported } = await runSavepoint(EVENTS, settings);
    problems.push(...compareWithMoment(exported, sent, moment));
    if (/"eventId":"(early|late)-/.test(exported)) problems.push('events of erased players are there');
    for (const { headers } of traffic.players) {
      const { status } = await get(`${again.api}/v1/player/status`, headers);
      if (status !== 200) problems.push(`a token from before the restore gets ${status}`);
    }
    const recount = await runSavepoint(['rollups', 'check', ...GAME], settings);
    tell(recount.output.trim().split('\n').at(-1) ?? '');
    if (recount.code !== 0) problems.push(`the recount does not agree: ${recount.output}`);
    await again.interrupt();
    return problems;
  } finally {
    await server.kill();
  }

  async function newPlayer(api: string, name: string): Promise<Login> {
    const player = await login(api, name);
    const events = Array.from({ length: 5 }, (_, n) => ({
      eventId: `${name}-${n}`,
      eventType: 'Level_Complete',
      timestamp: new Date().toISOString(),
      payload: { level: n },
    }));
    const { status } = await post(`${api}/v1/events`, player.headers, events);
    if (status !== 202) problems.push(`the events of the player ${name} got ${status}`);
    return player;
  }
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const secondsSince = (begun: number): string => ((performance.now() - begun) / 1_000).toFixed(1);

/** Lets the players send for a while. */
async function more(sent: ReadonlyMap<string, Sent>): Promise<void> {
  const enough = countAcknowledged(sent) + EVENTS_PER_STRETCH;
  await until(() => countAcknowledged(sent) >= enough, TIMEOUT_MS);
}

async function erase(api: string, { headers }: Login): Promise<void> {
  const { status } = await fetch(`${api}/v1/player`, { method: 'DELETE', headers });
  if (status !== 202) throw new Error(`an erasure gets ${status}`);
}

async function countErased(url: string): Promise<number> {
  const [row] = await query<{ n: number }>(
    url,
    `select count(*)::int as n from erasures where state = 'done'`,
  );
  return row?.n ?? 0;
}

/** Until everything that was committed so far is in the archive. */
async function archived(url: string): Promise<void> {
  const [now] = await query<{ segment: string }>(
    url,
    'select pg_walfile_name(pg_current_wal_flush_lsn()) as segment',
  );
  await until(async () => {
    const [row] = await query<{ last: string }>(
      url,
      'select last_archived_wal as last from pg_stat_archiver',
    );
    return (row?.last ?? '') >= (now?.segment ?? '');
  }, TIMEOUT_MS);
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
