import { readFile } from 'node:fs/promises';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { NatsSettings } from '../../platform/settings/settings.js';

const TIMEOUT_MS = 5_000;
const RETRY_MS = 500;
/** A network that drops packets is noticed after two pings without a response. */
const PING_MS = 5_000;

export type QueueSession = Readonly<{ nc: NatsConnection; js: JetStreamClient; jsm: JetStreamManager }>;

/**
 * The process's connection to NATS. It is never given up:
 *
 *   connecting ──► set-up (the stream) ──► live ──lost──► broken: the client dials every server in turn
 *       ▲  │ refused: again shortly            ▲                      │
 *       └──┘                                   └── set-up again ◄─────┘
 */
export type QueueLink = {
  /** Undefined before the first connection and while it is broken. */
  live(): QueueSession | undefined;
  /** How long there has been no connection; 0 while there is one. */
  brokenForMs(): number;
  /** The session as soon as there is one, or undefined when the time is up. */
  waitUntilLive(timeoutMs: number): Promise<QueueSession | undefined>;
  close(): Promise<void>;
};

type LinkOptions = {
  nats: NatsSettings;
  /** Shown in the server's list of connections. */
  name: string;
  logger: Logger;
  /** Runs after every connect and reconnect, before anything is sent. A server may have come back without its stream. */
  setUp?: (session: QueueSession) => Promise<void>;
};

/** One attempt, with a sentence for the operator when it fails. `only`: this server, and not any of them. */
export async function connectToNats(nats: NatsSettings, name: string, only?: string): Promise<QueueSession> {
  const options = await connectionOptions(nats, name, only);
  let nc: NatsConnection;
  try {
    nc = await connect(options);
  } catch (error) {
    throw new StartupError(
      `Cannot connect to NATS at ${String(options.servers)} (${(error as Error).message}). Start it with JetStream on (nats-server -js), check NATS_URL, or leave NATS_URL out to apply events directly.`,
    );
  }
  return { nc, js: jetstream(nc), jsm: await jetstreamManager(nc, { checkAPI: false }) };
}

export function openLink({ nats, name, logger, setUp }: LinkOptions): QueueLink {
  let session: QueueSession | undefined;
  let isLive = false;
  let closed = false;
  let brokenSince = performance.now();
  let wakeUps: (() => void)[] = [];

  const becomeLive = (): void => {
    isLive = true;
    for (const wake of wakeUps) wake();
    wakeUps = [];
  };

  /** Retries until it works: a connection without its stream is of no use. */
  const prepare = async (to: QueueSession): Promise<void> => {
    let logged: string | undefined;
    while (!closed && !to.nc.isClosed()) {
      try {
        await setUp?.(to);
        return becomeLive();
      } catch (error) {
        const { message } = error as Error;
        // Logged once for each reason: a cluster without a place for the stream may lack it for hours.
        if (message !== logged)
          logger.error(
            { err: error },
            'the event stream could not be set up on NATS; trying again every second',
          );
        logged = message;
        await pause(RETRY_MS * 2);
      }
    }
  };

  const watch = async (to: QueueSession): Promise<void> => {
    for await (const status of to.nc.status()) {
      if (status.type === 'disconnect') {
        if (isLive) brokenSince = performance.now();
        isLive = false;
        if (!closed) logger.warn({ server: status.server }, 'the connection to NATS is lost; reconnecting');
      } else if (status.type === 'reconnect') {
        logger.info({ server: status.server }, 'connected to NATS again');
        void prepare(to);
      } else if (status.type === 'error') {
        logger.warn({ err: status.error }, 'NATS reports an error');
      }
    }
  };

  const dial = async (): Promise<void> => {
    for (let attempt = 0; !closed; attempt++) {
      try {
        session = await connectToNats(nats, name);
        void watch(session);
        await prepare(session);
        if (closed) await session.nc.close();
        return;
      } catch (error) {
        // The first failure is logged; the same failure every half second is not.
        if (attempt === 0)
          logger.error({ err: error }, 'cannot connect to NATS; trying again every half second');
        await pause(RETRY_MS);
      }
    }
  };
  const dialling = dial();

  return {
    live: () => (isLive ? session : undefined),
    brokenForMs: () => (isLive ? 0 : performance.now() - brokenSince),
    async waitUntilLive(timeoutMs) {
      if (!isLive && !closed) {
        await Promise.race([pause(timeoutMs), new Promise<void>((resolve) => wakeUps.push(resolve))]);
      }
      return isLive ? session : undefined;
    },
    async close() {
      closed = true;
      isLive = false;
      await session?.nc.close();
      await dialling;
    },
  };
}

async function connectionOptions(
  nats: NatsSettings,
  name: string,
  only: string | undefined,
): Promise<NodeConnectionOptions> {
  const urls = nats.servers.map(urlOf);
  const login = urls.find((url) => url.username !== '');
  return {
    servers: (only === undefined ? urls : [urlOf(only)]).map((url) => url.host),
    name,
    timeout: TIMEOUT_MS,
    maxReconnectAttempts: -1,
    // A password that is being rotated must not end a process that could connect a minute later.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RETRY_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    // A stack trace prepared for each message costs more than sending it.
    noAsyncTraces: true,
    ...(urls.some((url) => url.protocol === 'tls:') ? { tls: {} } : {}),
    ...(nats.credentialsFile === undefined
      ? loginOf(login)
      : { authenticator: credsAuthenticator(await readCredentials(nats.credentialsFile)) }),
  };
}

function urlOf(server: string): URL {
  return new URL(server.includes('://') ? server : `nats://${server}`);
}

/** `user:password@`, or a lone token. */
function loginOf(url: URL | undefined): NodeConnectionOptions {
  if (url === undefined) return {};
  const user = decodeURIComponent(url.username);
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) };
}

async function readCredentials(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new StartupError(
      `SAVEPOINT_NATS_CREDS names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
