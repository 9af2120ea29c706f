import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { openLink } from '../../src/queue/connection.js';
import { prepareQueue } from '../../src/queue/queue.js';
import { ensureStream, findStream } from '../../src/queue/stream.js';
import { clusterPorts, isComplete } from '../support/nats-cluster.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../support/nats-server.js';
import { withSession } from '../support/queue-harness.js';

const logger = pino({ level: 'silent' });
const WAIT_MS = 120_000;
/** NATS takes ten seconds on a quiet machine. */
const COMPLETE_MS = 40_000;
const ATTEMPTS = 4;

type Cluster = { first: NatsServer; startOthers(): Promise<void>; dispose(): Promise<void> };

/**
 * Three servers that know of each other, of which one is started. `startOthers` rejects when they do not become a cluster: on a busy
 * machine new servers sometimes leave one of them out, for good.
 */
async function startFirstOfThree(): Promise<Cluster> {
  const ports = await clusterPorts(3);
  const servers: NatsServer[] = [];
  const start = async (index: number): Promise<NatsServer> => {
    const route = (of: number): string => `nats://127.0.0.1:${ports[of]?.route}`;
    const server = await startNatsServer(
      [
        ...['--server_name', `server-${index}`, '-m', String(ports[index]?.health)],
        ...['--cluster_name', 'wait', '--cluster', route(index)],
        ...[
          '--routes',
          [0, 1, 2]
            .filter((other) => other !== index)
            .map(route)
            .join(','),
        ],
      ],
      ports[index]?.client,
    );
    servers.push(server);
    return server;
  };
  return {
    first: await start(0),
    async startOthers() {
      await start(1);
      await start(2);
      await vi.waitUntil(() => isComplete(ports), { timeout: COMPLETE_MS, interval: 200 });
    },
    async dispose() {
      for (const server of servers) await server.dispose();
    },
  };
}

describe.skipIf(NATS_SERVER === undefined)(
  `a cluster that begins with one server of three${NEEDS_NATS}`,
  () => {
    it('does not end the start: the service waits for the stream, says so, and has it once the servers are there', async () => {
      for (let attempt = 1; !(await waitsForTheStream(attempt === ATTEMPTS)); attempt++);
    }, 900_000);
  },
);

/** False if the servers did not become a cluster, so that there was nothing to see; the last attempt fails in place of that. */
async function waitsForTheStream(isLastAttempt: boolean): Promise<boolean> {
  const cluster = await startFirstOfThree();
  const nats = cluster.first.config('WAITED_FOR', { replicas: 3 });
  // A process that was started without the stream.
  const link = openLink({ nats, name: 'test', logger, setUp: ({ jsm }) => ensureStream(jsm, nats) });
  const said: string[] = [];
  let waiting: Promise<void> | undefined;
  try {
    const withoutIt: string[] = [];
    await prepareQueue(nats, 'production', (line) => withoutIt.push(line), 0);
    expect(withoutIt).toEqual([
      expect.stringMatching(/^NATS has no place for the stream WAITED_FOR with 3 /),
    ]);
    expect(withoutIt[0]).toContain('Starting without it: events are refused with 503 until it is there.');

    waiting = prepareQueue(nats, 'production', (line) => said.push(line), WAIT_MS);
    await vi.waitUntil(() => said.length > 0, { timeout: WAIT_MS });
    expect(said).toEqual([expect.stringContaining('Waiting up to 120 seconds for it.')]);
    expect(link.live()).toBeUndefined();

    try {
      await cluster.startOthers();
    } catch (error) {
      if (isLastAttempt) throw error;
      return false;
    }
    await waiting;
    expect(said).toEqual([expect.stringContaining('Waiting up to 120 seconds for it.')]);
    const stream = await withSession(nats, ({ jsm }) => findStream(jsm, nats.stream));
    expect(stream?.config.num_replicas).toBe(3);
    expect(await link.waitUntilLive(WAIT_MS)).toBeDefined();
    return true;
  } finally {
    await waiting?.catch(() => {});
    await link.close();
    await cluster.dispose();
  }
}
