import { createHmac } from 'node:crypto';
import { memoryStorage, Savepoint, type SavepointError, type SignedLogin } from '@savepoint/client';
import type { Life, Session } from '../model/life.js';
import { eventsOf, type SimulatedEvent } from '../model/session-events.js';
import { createLifeTally, type Tally } from '../model/tally.js';
import { type Clock, systemClock } from './clock.js';
import { createPlayerNetwork, type ResponseCounts } from './network.js';
import type { ToldArm } from './reacting-players.js';
import { sleep } from './sleep.js';

export type Service = { url: string; apiKey: string; apiSecret: string; send: typeof fetch };

export type PlayOptions = {
  service: Service;
  /** Names the players of this run on the service. */
  run: string;
  responseCounts: ResponseCounts;
  /** Tells installations of this process apart from others, where the clients of a player do not share a storage. */
  installSuffix?: string;
  signal: AbortSignal;
  /** Default: the one of this machine. */
  clock?: Clock;
  /** Called with the number of events that have arrived since the last call. */
  onEvents(count: number): void;
  /** Called when the service does not respond; the request is sent again. */
  onTrouble(error: SavepointError): void;
};

/** The simulation cannot go on, and no second try would help. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

/** As many events as the client puts into a request. */
const BATCH = 50;
/** The client sends full batches without being told to. The player waits while this many events are on their way. */
const MAX_WAITING = 4 * BATCH;
const MAX_RETRY_MS = 5_000;

export function deviceIdOf(run: string, index: number): string {
  return `${run}-${index}`;
}

/** What the service told the client: acknowledged events, and refused events by their code. */
export type Played = { acknowledged: number; refused: Record<string, number> };

/** The outcome of a whole life, and what the service must have of it. */
export type PlayedLife = Played & { tally: Tally };

/**
 * Plays a life through the API, with the client that games use.
 *
 * The device is switched on now, and its events happened in the past: only `track` is called with the clock of the life. The clock is wrong
 * by what the session says all the time.
 */
export async function playLife(life: Life, options: PlayOptions): Promise<PlayedLife> {
  const player = createPlayer(life, options);
  const tally = createLifeTally(life);
  for (const session of life.sessions) {
    const events = eventsOf(life, session);
    tally.add(session, events);
    await player.begin(session);
    await player.track(session, events);
  }
  await player.end();
  return { ...player.played(), tally: tally.end() };
}

/** A player with a device. `begin` starts a session, `end` delivers what is left and puts the device away. */
export function createPlayer(life: Life, options: PlayOptions) {
  const {
    service,
    run,
    responseCounts,
    signal,
    onEvents,
    onTrouble,
    installSuffix,
    clock = systemClock,
  } = options;
  const { traits, index } = life;
  const deviceId = deviceIdOf(run, index);
  const installPrefix = installSuffix === undefined ? deviceId : `${deviceId}-${installSuffix}`;
  const network = createPlayerNetwork({ installPrefix, responseCounts, send: service.send });
  const refused: Record<string, number> = {};
  let refusals = 0;
  let tracked = 0;
  let reported = 0;
  /** How far the clock of the device is ahead. */
  let errorMs = 0;
  /** When the event happens that is being tracked. */
  let eventMs: number | undefined;
  let storage = memoryStorage();
  let client: Savepoint | undefined;
  let current: Session | undefined;
  let trouble: SavepointError | undefined;

  /** Events that need not be sent again. */
  const settledNow = () => network.delivered + network.swallowed + refusals;
  const now = () => (eventMs ?? clock.now()) + errorMs;

  const start = (build: string) =>
    new Savepoint({
      baseUrl: service.url,
      deviceId,
      storage,
      build,
      now,
      fetch: network.fetch,
      batch: { events: BATCH },
      metadata: {
        osName: traits.osName,
        osVersion: traits.osVersion,
        deviceType: traits.deviceType,
        country: traits.country,
        currency: traits.currency,
        locale: traits.locale,
        ...(traits.source !== undefined && { source: traits.source }),
      },
      // A game that signs by the clock of the device. It is corrected by the response.
      sign: async (id, timestamp = `${new Date(now()).toISOString().slice(0, 19)}Z`) =>
        signLogin(service, id, timestamp),
      onRejected: ({ code }) => {
        refused[code] = (refused[code] ?? 0) + 1;
        refusals++;
      },
      onError: (error) => {
        trouble = error;
      },
    });

  const track = ({ atMs, eventType, payload, metadata }: SimulatedEvent) => {
    eventMs = atMs;
    client?.track(eventType, payload, metadata);
    eventMs = undefined;
    tracked++;
  };

  /** Sends all that waits, in as many tries as that takes. */
  const deliver = async (stop = signal) => {
    for (let tries = 0; ; tries++) {
      trouble = undefined;
      await client?.flush();
      // The client calls its callbacks a moment later.
      if (settledNow() < tracked) await new Promise(setImmediate);
      const settled = settledNow();
      onEvents(settled - reported);
      reported = settled;
      if (settled >= tracked) return;
      stop.throwIfAborted();
      await waitForNext(tries, trouble, onTrouble, stop);
    }
  };

  return {
    played: (): Played => ({ acknowledged: network.delivered, refused }),
    /** Events that the network acknowledged and did not deliver. */
    swallowed: () => network.swallowed,
    async begin(session: Session) {
      const isUpdated = current?.build !== session.build;
      const isNewInstall = current !== undefined && current.install !== session.install;
      const isSwallowing = (current?.network === 'swallowed') !== (session.network === 'swallowed');
      if (current !== undefined && (isUpdated || isNewInstall || isSwallowing)) {
        // Events that wait from an offline session are not delivered by the network of the next session.
        if (current.network === 'offline') network.set('online');
        await deliver();
      }
      if (isNewInstall) storage = memoryStorage();
      if (isUpdated || isNewInstall) {
        await client?.close();
        client = start(session.build);
      }
      network.set(session.network);
      errorMs = session.clockErrorMs;
      current = session;
    },
    /** The arms that the service tells the player, as a game reads them when it loads; undefined if it cannot be reached. */
    async experiments(): Promise<readonly ToldArm[] | undefined> {
      if (current?.network === 'offline') return undefined;
      return client?.player.experiments().catch(() => undefined);
    },
    async track(session: Session, events: readonly SimulatedEvent[]) {
      for (const event of events) track(event);
      const waiting = tracked - settledNow();
      // A flaky session delivers at once: it has a response to lose.
      const isDue = waiting >= MAX_WAITING || session.network === 'flaky';
      if (session.network !== 'offline' && isDue) await deliver();
    },
    /** The same at the pace of the clock. `stop` ends it early. The client decides when to send. */
    async trackLive(events: readonly SimulatedEvent[], stop: AbortSignal, onTracked: () => void) {
      for (const event of events) {
        await clock.sleepUntil(event.atMs, stop);
        if (stop.aborted) return;
        track(event);
        onTracked();
      }
    },
    async end(stop = signal) {
      if (current?.network === 'offline') network.set('online');
      // Where the service cannot be reached and the caller does not wait for it, the rest is lost.
      await deliver(stop).catch((error: unknown) => {
        if (stop === signal || !stop.aborted) throw error;
      });
      await client?.close();
    },
  };
}

/** As `signLogin` of the client does it with Web Crypto, whose threads take twenty times the CPU for so short a text. */
function signLogin({ apiKey, apiSecret }: Service, deviceId: string, timestamp: string): SignedLogin {
  const hmac = createHmac('sha256', apiSecret).update(`${apiKey}|${deviceId}|${timestamp}`);
  return { apiKey, deviceId, timestamp, signature: hmac.digest('base64') };
}

/** After a lost response the request is sent again at once; while the service is down or busy, after a while. */
async function waitForNext(
  tries: number,
  trouble: SavepointError | undefined,
  onTrouble: (error: SavepointError) => void,
  signal: AbortSignal,
): Promise<void> {
  if (trouble === undefined) return;
  const { code, status, retryAfterSeconds } = trouble;
  if (status !== undefined && status >= 400 && status < 500 && ![401, 408, 429].includes(status)) {
    throw new SimulationError(`The service refuses requests: ${trouble.message} (${code})`);
  }
  if (code === 'credentials_invalid') {
    throw new SimulationError(
      'The service refuses the API key. Check the key, its secret and its environment.',
    );
  }
  if (tries === 0 && retryAfterSeconds === undefined) return;
  onTrouble(trouble);
  const askedMs = (retryAfterSeconds ?? 0) * 1_000;
  await sleep(Math.max(askedMs, Math.min(MAX_RETRY_MS, 100 * 2 ** tries)), signal);
  signal.throwIfAborted();
}
