import { setTimeout as sleep } from 'node:timers/promises';
import {
  get,
  type Login,
  login,
  post,
  runSavepoint,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';
import { type Sent, startTraffic } from './event-traffic.js';
import { checkTraffic, longestGap } from './failover.js';
import { type PatroniCluster, startPatroniCluster } from './patroni-cluster.js';

const PLAYERS = 10;
const TIMEOUT_MS = 180_000;
const PAUSE_MS = 20;
/** Served by the replica before a standby is struck, and after. */
const READS = 50;
const DEMO = { tenant: 'demo-studio', game: 'demo-game' };

type Reads = {
  count: number;
  /** Of them: what the response lacked although it was acknowledged before the read began. */
  old: number;
  failed: string[];
  longestMs: number;
};

/**
 * Players send, and an editor reads the timeline of a player over and over, from one standby of three nodes, behind HAProxy. Each timeline has
 * the event that was acknowledged just before. The standby that serves is killed again and again, and comes back: no read fails, and none is old.
 */
export async function tryReplica([count = '3']: readonly string[]): Promise<readonly string[]> {
  const times = Number(count);
  const cluster = await startPatroniCluster(3);
  const settings = {
    DATABASE_URL: cluster.url,
    DATABASE_REPLICA_URL: cluster.replicaUrl,
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_ENV: 'development',
  };
  try {
    const service = await startService(settings);
    const sent = new Map<string, Sent>();
    const traffic = await startTraffic(service.api, sent, { players: PLAYERS, sendsAgain: true });
    const made = await runSavepoint(['admin-token', 'create', '--role', 'viewer'], settings);
    const token = /Admin token\s+(\S+)/.exec(made.output)?.[1] ?? '';
    const reader = startReader(service, await login(service.api, 'reader'), token);
    for (let strike = 1; strike <= times; strike++) {
      await servesMore(service);
      const before = { ...(await readsOf(service)), at: Date.now() };
      const killed = await cluster.strikeStandby('SIGKILL');
      const other = await takenOver(cluster, killed);
      await servesMore(service);
      await cluster.recover(killed);
      await servesMore(service);
      const { replica, primary } = await readsOf(service);
      process.stdout.write(
        `kill ${strike}, of ${killed}; ${other} took over: ${replica - before.replica} reads from the replica and ${primary - before.primary} from the primary meanwhile, at most ${(longestGap(sent, before.at) / 1_000).toFixed(1)} s without an acknowledgement of events\n`,
      );
    }
    const { count: reads, old, failed, longestMs } = await reader.stop();
    await traffic.stop();
    const { replica, primary } = await readsOf(service);
    process.stdout.write(
      `${reads} timelines: ${replica} read from the replica, ${primary} from the primary, ${failed.length} failed, ${old} old, the slowest took ${(longestMs / 1_000).toFixed(1)} s\n`,
    );
    const problems = await checkTraffic(sent, times, settings);
    await service.interrupt();
    return [
      ...problems,
      ...failed.slice(0, 3).map((why) => `a read failed: ${why}`),
      ...(old > 0 ? [`${old} timelines lacked an event that was acknowledged before`] : []),
    ];
  } finally {
    await cluster.stop();
  }
}

function startReader(service: Service, player: Login, token: string): { stop(): Promise<Reads> } {
  const reads: Reads = { count: 0, old: 0, failed: [], longestMs: 0 };
  const timeline = `${service.ops}/admin/v1/games/${DEMO.game}/players/${player.userId}/timeline?limit=20`;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': DEMO.tenant };
  let isStopped = false;
  const reading = (async () => {
    for (let n = 0; !isStopped; n++) {
      const event = {
        eventId: `read-${n}`,
        eventType: 'Level_Complete',
        timestamp: new Date().toISOString(),
        payload: { level: n },
      };
      const sent = await post(`${service.api}/v1/events`, player.headers, [event]).catch(() => undefined);
      const begun = performance.now();
      const { status, body } = await get(timeline, headers).catch((error: unknown) => ({
        status: 0,
        body: String(error),
      }));
      reads.longestMs = Math.max(reads.longestMs, performance.now() - begun);
      reads.count++;
      const text = JSON.stringify(body);
      if (status !== 200) reads.failed.push(`${status} ${text}`);
      else if (sent?.status === 202 && !text.includes(`"read-${n}"`)) reads.old++;
      await sleep(PAUSE_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await reading;
      return reads;
    },
  };
}

/** Until the address leads to another standby. */
async function takenOver(cluster: PatroniCluster, killed: string): Promise<string> {
  let found: string | undefined;
  await until(async () => {
    found = await cluster.findStandby();
    return found !== undefined && found !== killed;
  }, TIMEOUT_MS);
  return found ?? '';
}

/** Until the replica has served some more reads. */
async function servesMore(service: Service): Promise<void> {
  const { replica: before } = await readsOf(service);
  await until(async () => (await readsOf(service)).replica >= before + READS, TIMEOUT_MS);
}

async function readsOf({ ops }: Service): Promise<{ replica: number; primary: number }> {
  const { body } = await get(`${ops}/metrics`);
  const value = (server: string) =>
    Number(
      new RegExp(`^savepoint_replica_reads_total\\{server="${server}"\\} (\\d+)`, 'm').exec(
        String(body),
      )?.[1] ?? 0,
    );
  return { replica: value('replica'), primary: value('primary') };
}
