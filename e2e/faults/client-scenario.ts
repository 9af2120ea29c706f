import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Settings } from '../support/service.js';
import { type Crowd, startCrowd } from './client-crowd.js';
import { seededRandom } from './random.js';
import { type Stack, startStack } from './stack.js';
import { startUnreliableProxy } from './unreliable-proxy.js';
import { withDatabase } from './verify.js';

export type ClientScenario = {
  seed: number;
  clients: number;
  /** Each client tracks this many events, with a pause of at most this long in between. */
  eventsEach: number;
  pauseMs: number;
  batchSeconds: number;
  /** How often the whole service is killed meanwhile. */
  kills: number;
  /** Settings of the service: short lives of access tokens, so that sessions are refreshed meanwhile. */
  settings: Settings;
  say: (line: string) => void;
  /** Called after the check, while everything is still running. */
  inspect?: (stack: Stack, checkAgain: () => Promise<ClientVerification>) => Promise<void>;
};

export type ClientVerification = {
  stored: number;
  lost: number;
  doubled: number;
  outOfOrder: number;
  missingNumbers: number;
};

export type ClientReport = ClientVerification & {
  tracked: number;
  loggedOut: string[];
  kills: number;
  faults: Record<string, number>;
  seconds: number;
};

/** When nothing arrives for this long, nothing more will. */
const HANG_MS = 300_000;
const DATABASE_TIMEOUT_MS = 5_000;
const WATCH_MS = 2_000;

/**
 *   start the service and a bad network ─► clients log in, track ─► kills, evenly among the events ─► a calm network ─► check the database
 */
export async function runClientScenario(scenario: ClientScenario): Promise<ClientReport> {
  const begun = performance.now();
  const { seed, clients, eventsEach, kills, say } = scenario;
  const stack = await startStack({
    mode: 'direct',
    databaseTimeoutMs: DATABASE_TIMEOUT_MS,
    settings: scenario.settings,
  });
  const proxy = await startUnreliableProxy(stack.api, seededRandom(seed));
  const crowd = startCrowd({ ...scenario, url: proxy.url, random: seededRandom(seed + 1) });
  try {
    let killed = 0;
    for (; killed < kills; killed++) {
      await reach(crowd, ((killed + 1) * clients * eventsEach) / (kills + 1));
      say(`${sum(crowd.tracked())} events tracked: kill -9 of the service`);
      await stack.killService();
    }
    await crowd.finished;
    proxy.calm();
    const check = () => withDatabase(stack, (client) => compare(client, crowd.tracked()));
    await deliver(crowd, check, say);
    const verification = await check();
    await scenario.inspect?.(stack, check);
    return {
      ...verification,
      tracked: sum(crowd.tracked()),
      loggedOut: crowd.loggedOut(),
      kills: killed,
      faults: proxy.happened(),
      seconds: (performance.now() - begun) / 1000,
    };
  } catch (error) {
    throw new Error(`clients, seed ${seed}: ${(error as Error).message}\n${stack.logs()}`, { cause: error });
  } finally {
    crowd.stop();
    await proxy.close();
    await crowd.close();
    await stack.stop();
  }
}

/** Waits until this many events are tracked. */
async function reach(crowd: Crowd, events: number): Promise<void> {
  while (sum(crowd.tracked()) < events) await sleep(20);
}

/** Waits until everything is stored, or no further event arrives. */
async function deliver(
  crowd: Crowd,
  check: () => Promise<ClientVerification>,
  say: (line: string) => void,
): Promise<void> {
  const tracked = sum(crowd.tracked());
  let stored = -1;
  for (let since = performance.now(); performance.now() - since < HANG_MS; await sleep(WATCH_MS)) {
    await crowd.flush();
    // PostgreSQL may be recovering from a kill.
    const now = await check().catch(() => undefined);
    if (now === undefined) continue;
    if (now.lost === 0) return;
    if (now.stored !== stored) since = performance.now();
    stored = now.stored;
    say(`${stored} of ${tracked} events stored`);
  }
}

/** Compares the events in PostgreSQL with what the client of each device has tracked. */
async function compare(client: pg.Client, tracked: ReadonlyMap<string, number>): Promise<ClientVerification> {
  const { rows } = await client.query<{ deviceId: string; install: string; n: number }>(
    `select d.device_id as "deviceId", e.install_id as install, (e.payload ->> 'n')::int as n
     from events e join devices d on d.player_id = e.player_id
     where e.event_type = 'Step'
     order by d.device_id, e.install_id, e.seq`,
  );
  const gaps = await client.query<{ n: number }>(
    `select coalesce(sum(last_seq - first_seq + 1), 0)::int as n from event_gaps`,
  );
  const verification = {
    stored: rows.length,
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    missingNumbers: gaps.rows[0]?.n ?? 0,
  };
  const seen = new Map<string, Set<number>>();
  const last = new Map<string, number>();
  for (const { deviceId, install, n } of rows) {
    const numbers = seen.get(deviceId) ?? new Set();
    seen.set(deviceId, numbers);
    if (numbers.has(n)) verification.doubled++;
    else if (n < (last.get(install) ?? -1)) verification.outOfOrder++;
    numbers.add(n);
    last.set(install, n);
  }
  for (const [deviceId, count] of tracked) verification.lost += count - (seen.get(deviceId)?.size ?? 0);
  return verification;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
