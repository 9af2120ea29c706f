import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { NatsSettings, Settings } from '../../platform/settings/settings.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { connectToNats, openLink, type QueueLink, type QueueSession } from './connection.js';
import { createPublisher, type Publisher } from './publisher.js';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.js';
import { requireSafeServers } from './server-version.js';
import { ensureStream, isPassing, type Lag, readLag } from './stream.js';

/** How long a process waits for NATS at its start. After that it serves everything but events, and goes on trying. */
const FIRST_CONNECTION_MS = 5_000;
/** The servers of a cluster that has just been started, or has just lost one, first have to elect a leader. */
const STREAM_WAIT_MS = 20_000;
const RETRY_MS = 500;
/** A batch is split, an event is not: the largest, 64 KiB of a bad one, can double by being quoted once more. */
const MIN_PAYLOAD_BYTES = 262_144;

/** The event stream, as one process sees it. */
export type Queue = {
  link: QueueLink;
  publisher: Publisher;
  metrics: QueueMetrics;
  /** Rejects while NATS cannot be reached. */
  lag(): Promise<Lag>;
  close(): Promise<void>;
};

export async function openQueue(nats: NatsSettings, metrics: Metrics, logger: Logger): Promise<Queue> {
  const link = openLink({
    nats,
    name: `savepoint ${hostname()} ${process.pid}`,
    logger,
    setUp: ({ jsm }) => ensureStream(jsm, nats),
  });
  const queueMetrics = createQueueMetrics(metrics.registry);
  const lag = (): Promise<Lag> => lagBehind(link, nats);
  queueMetrics.watchLag(lag);
  await link.waitUntilLive(FIRST_CONNECTION_MS);
  return {
    link,
    publisher: createPublisher({ link, nats, metrics: queueMetrics }),
    metrics: queueMetrics,
    lag,
    close: link.close,
  };
}

/** Rejects while NATS cannot be reached. */
export async function lagBehind(link: QueueLink, nats: NatsSettings): Promise<Lag> {
  const session = link.live();
  if (session === undefined) throw new Error('there is no connection to NATS');
  return readLag(session.jsm, nats.stream, Date.now());
}

/**
 * Before the first process relies on it: NATS responds, loses nothing, JetStream is on, and the stream is there. If NATS has no
 * place for the stream yet, the start waits for a while. After that the service starts without the stream and goes on trying, as
 * it does when NATS goes away later: players get everything, and events wait in their clients.
 */
export async function prepareQueue(
  nats: NatsSettings,
  environment: Settings['environment'],
  say: (line: string) => void,
  waitMs = STREAM_WAIT_MS,
): Promise<void> {
  const session = await connectToNats(nats, 'savepoint set-up');
  try {
    requireLargeMessages(session);
    await requireSafeServers(nats, environment, say);
    await waitForStream(session, nats, say, waitMs);
  } finally {
    await session.nc.close();
  }
}

function requireLargeMessages({ nc }: QueueSession): void {
  const allowed = nc.info?.max_payload ?? MIN_PAYLOAD_BYTES;
  if (allowed >= MIN_PAYLOAD_BYTES) return;
  throw new StartupError(
    `NATS takes messages of ${allowed} bytes at most, and the largest event needs ${MIN_PAYLOAD_BYTES}. Raise max_payload in the configuration of NATS.`,
  );
}

async function waitForStream(
  session: QueueSession,
  nats: NatsSettings,
  say: (line: string) => void,
  waitMs: number,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      await requireJetStream(session);
      return await ensureStream(session.jsm, nats);
    } catch (error) {
      if (!isPassing(error)) throw error;
      const problem = `NATS has no place for the stream ${nats.stream} with ${nats.replicas} replicas yet (${(error as Error).message})`;
      const advice = `Check that at least ${nats.replicas} of its servers are running with JetStream, and that they have room.`;
      if (performance.now() >= deadline) {
        say(`${problem}. Starting without it: events are refused with 503 until it is there. ${advice}`);
        return;
      }
      if (attempt === 0) say(`${problem}. Waiting up to ${waitMs / 1000} seconds for it. ${advice}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** A server without JetStream says so at once. */
async function requireJetStream({ jsm }: QueueSession): Promise<void> {
  try {
    await jsm.getAccountInfo();
  } catch (error) {
    if (isPassing(error)) throw error;
    throw new StartupError(
      `NATS responds, but JetStream does not (${(error as Error).message}). Start it with -js, or put a jetstream block into its configuration.`,
    );
  }
}
