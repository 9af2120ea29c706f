import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { StartupError } from '../lib/startup-error.js';
import type { NatsSettings, Settings } from '../settings/settings.js';
import type { Metrics } from '../telemetry/metrics.js';
import { connectToNats, openLink, type QueueLink, type QueueSession } from './connection.js';
import { createPublisher, type Publisher } from './publisher.js';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.js';
import { requireSafeServers } from './server-version.js';
import { ensureStream, type Lag, readLag } from './stream.js';

/** How long a process waits for NATS at its start. After that it serves everything but events, and goes on trying. */
const FIRST_CONNECTION_MS = 5_000;
const ELECTION_MS = 20_000;
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

/** Before the first process relies on it: NATS responds, loses nothing, JetStream is on, and the stream is there. */
export async function prepareQueue(
  nats: NatsSettings,
  environment: Settings['environment'],
  say: (line: string) => void,
): Promise<void> {
  const session = await connectToNats(nats, 'savepoint set-up');
  try {
    await requireSafeServers(nats, environment, say);
    await requireJetStream(session);
    await ensureStreamInTime(session, nats);
  } finally {
    await session.nc.close();
  }
}

async function ensureStreamInTime({ jsm }: QueueSession, nats: NatsSettings): Promise<void> {
  const isHopeless = (error: unknown): boolean => error instanceof StartupError;
  await untilElected(() => ensureStream(jsm, nats), isHopeless).catch((error: unknown) => {
    if (isHopeless(error)) throw error;
    throw new StartupError(
      `NATS cannot set up the stream ${nats.stream} (${(error as Error).message}). Check that a majority of its servers is running.`,
    );
  });
}

async function requireJetStream({ nc, jsm }: QueueSession): Promise<void> {
  const allowed = nc.info?.max_payload ?? MIN_PAYLOAD_BYTES;
  if (allowed < MIN_PAYLOAD_BYTES) {
    throw new StartupError(
      `NATS takes messages of ${allowed} bytes at most, and the largest event needs ${MIN_PAYLOAD_BYTES}. Raise max_payload in the configuration of NATS.`,
    );
  }
  // A server without JetStream says so at once.
  const isHopeless = (error: unknown): boolean => !isTimeout(error);
  await untilElected(() => jsm.getAccountInfo(), isHopeless).catch((error: unknown) => {
    const remedy = isTimeout(error)
      ? 'Check that a majority of its servers is running.'
      : 'Start it with -js, or put a jetstream block into its configuration.';
    throw new StartupError(`NATS responds, but JetStream does not (${(error as Error).message}). ${remedy}`);
  });
}

const isTimeout = (error: unknown): boolean => error instanceof Error && /timeout/i.test(error.message);

/** Tries again for a while: the servers of a cluster that has just been started, or has just lost one, first have to elect a leader. */
async function untilElected<T>(work: () => Promise<T>, isHopeless: (error: unknown) => boolean): Promise<T> {
  const deadline = performance.now() + ELECTION_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isHopeless(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
