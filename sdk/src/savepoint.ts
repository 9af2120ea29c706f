import { SavepointError } from './errors.js';
import { type Batch, eventBytes } from './event-batch.js';
import { createEventQueue, type EventQueue } from './event-queue.js';
import { createEventSender, type EventSender } from './event-sender.js';
import { createExchange, fetchText, postJson, type Reply } from './http.js';
import type { SavepointOptions, Sign } from './options.js';
import { onPageChanges } from './page-changes.js';
import { createPlayer, type Player } from './player.js';
import { randomId } from './random-id.js';
import { createSessions, type Session, type Sessions } from './session.js';
import { defaultStorage, firstWorking } from './storage/default-storage.js';
import { memoryStorage } from './storage/memory-storage.js';
import { createStoredValue } from './storage/stored-value.js';
import { createTabSignals } from './tab-signals.js';
import type { BuiltInEvents, Identity, PlayerData } from './wire.js';

const CLOSED = 'The client was closed. Make a new one.';
const MAX_EVENT_BYTES = 32_768;
/** Browsers limit the bodies of requests that outlive their page to 64 KiB in all. */
const MAX_KEEPALIVE_BYTES = 63_000;

/**
 * A player's connection to the service. Make one for the whole game; several tabs of a browser share one session and one queue.
 *
 * It logs in when it first needs to, refreshes the session before it ends, and logs in again when it was ended. `track` stores
 * events on the device and sends them in batches, each exactly once, however often the network fails.
 *
 * @example
 * ```ts
 * import { Savepoint } from '@savepoint/client';
 *
 * const savepoint = new Savepoint({ baseUrl: 'https://players.example.com', sign: '/sign' });
 * savepoint.track('Level_Complete', { level: 12, stars: 3 });
 * const { activeSkus } = await savepoint.player.store();
 * ```
 */
export class Savepoint {
  /** What the service returns about the player. */
  readonly player: Player;
  readonly #options: SavepointOptions;
  readonly #now: () => number;
  readonly #queue: EventQueue;
  readonly #sender: EventSender;
  readonly #sessions: Sessions;
  readonly #onClose: (() => void)[] = [];
  /** Events that were tracked and are not in the storage yet. */
  #unsaved: string[] = [];
  #saving: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SavepointOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => Date.now());
    const { batch = {}, fallback = {} } = options;
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const prefix = `savepoint:${baseUrl}:${options.deviceId ?? ''}:`;
    const onError = (error: SavepointError) => this.#tell(options.onError, error);
    const onDamaged = (what: string) =>
      onError(new SavepointError('storage_damaged', `Stored data is damaged, and was left out: ${what}.`));
    const given = options.storage;
    const storage = given ? firstWorking([() => given, memoryStorage], onError) : defaultStorage(onError);

    const deviceNow = this.#now;
    /** Time of the service minus that of the device, once known. */
    let offsetMs: number | undefined;
    const learn = (serverMs: number) => {
      offsetMs = serverMs - deviceNow();
    };
    const now = () => deviceNow() + (offsetMs ?? 0);
    const fetching = options.fetch ?? ((input, init) => fetch(input, init));
    const exchange = createExchange(baseUrl, fetching, learn);
    const call = (session: Session, path: string, init: RequestInit): Promise<Reply> =>
      exchange(path, { ...init, headers: { ...identify(session), ...(init.headers as object) } });

    this.#queue = createEventQueue({
      storage,
      prefix,
      maxEvents: batch.events ?? 50,
      maxBytes: batch.bytes ?? 60_000,
      maxStoredBytes: options.maxStoredBytes ?? 2_097_152,
      onDropped: (events) => {
        for (const event of events) this.#reject(event, 'storage_full', 'Dropped: the storage was full.');
      },
      onDamaged,
    });

    const signals = createTabSignals(prefix, (what) => {
      if (what === 'session') this.#sessions.forget();
      else player.reload(what as keyof PlayerData).catch(onError);
    });
    // Twice: without its id the device is another player.
    const storedDevice = createStoredValue({
      storage,
      keys: [`${prefix}device`, `${prefix}device:copy`],
      isValid: (value): value is string => typeof value === 'string',
      onDamaged: () => onDamaged('the id of the device'),
    });
    let device: Promise<string> | undefined;
    this.#sessions = createSessions({
      exchange,
      call,
      storage,
      prefix,
      sign: typeof options.sign === 'string' ? signAt(options.sign, fetching) : options.sign,
      deviceId: async () => {
        if (options.deviceId !== undefined) return options.deviceId;
        device ??= storedDevice.update((id) => id ?? randomId());
        return device;
      },
      serverTime: {
        now: () => (offsetMs === undefined ? undefined : `${new Date(now()).toISOString().slice(0, 19)}Z`),
        learn,
      },
      onGrant: (config) => {
        player.keep('status', config?.playerStatus);
        player.keep('store', config?.storeConfig);
      },
      queue: this.#queue,
      onSaved: () => signals.send('session'),
      onDamaged: () => onDamaged('the session'),
      deviceNow,
    });

    const player = createPlayer({
      storage,
      prefix,
      get: async (path, headers) => {
        this.#checkOpen();
        const session = await this.#sessions.get();
        const reply = await call(session, path, { headers });
        return reply.status === 401 ? call(await this.#sessions.renew(session), path, { headers }) : reply;
      },
      fallback,
      now,
      deviceNow,
      onSaved: signals.send,
      onError,
      onDamaged: (name) => onDamaged(`the last response of ${name}`),
    });
    this.player = player;

    /** The session that the last batch was sent with. A read may have a newer session by now. */
    let sentWith: Session | undefined;
    this.#sender = createEventSender({
      queue: this.#queue,
      lock: () => storage.isShared === true && `${prefix}send`,
      intervalMs: (batch.seconds ?? 5) * 1000,
      prepare: () => this.#sessions.get(),
      renew: () => this.#sessions.renew(sentWith),
      post: async ({ install, bytes }: Batch, body, isLast) => {
        const headers: Record<string, string> = {
          'Content-Type': 'application/json',
          'X-Install-Id': install,
        };
        if (options.build !== undefined) headers['X-Client-Build'] = options.build;
        const keepalive = isLast && bytes < MAX_KEEPALIVE_BYTES;
        sentWith = await this.#sessions.get();
        return call(sentWith, '/v1/events', { method: 'POST', headers, body, keepalive });
      },
      onRejected: (event, code, message) => this.#reject(event, code, message),
      onError,
    });

    this.#onClose.push(
      signals.close,
      this.#sessions.stop,
      ...onPageChanges(this.#sender.flushLast, this.#sender.retryNow),
    );
    // Sends the events that the last run left behind.
    this.#queue.isEmpty().then((isEmpty) => (isEmpty ? undefined : this.#sender.flush()), onError);
  }

  /**
   * Logs in, unless a session is there already. A game need not call it: every call that needs a session logs in. It brings a player back
   * who was logged out, and returns who the player is.
   *
   * @example
   * ```ts
   * const { userId } = await savepoint.login();
   * ```
   */
  async login(): Promise<Identity> {
    this.#checkOpen();
    const { userId, deviceId, gameId, tenantId } = await this.#sessions.login();
    this.#sender.retryNow();
    return { userId, deviceId, gameId, tenantId };
  }

  /**
   * Ends the session on the service, in all tabs; with `allDevices` every session of the player. Events that wait stay, and are
   * sent after the next `login()`. Rejects with `network_failed` offline, and nothing has changed then.
   *
   * @example
   * ```ts
   * await savepoint.logout({ allDevices: true });
   * ```
   */
  async logout({ allDevices = false } = {}): Promise<void> {
    this.#checkOpen();
    await this.#sessions.logout(allDevices);
  }

  /**
   * Records an event. Never throws and never waits: the event is stored in the background and sent with the next batch, also
   * after a restart. If the event is rejected, `onRejected` is called. Returns the event's id.
   *
   * @example
   * ```ts
   * savepoint.track('Purchase', { transactionId: 'GPA.3372', skuId: 'gems_80', price: 0.99, currency: 'USD' });
   * savepoint.track('Boss_Defeated', { boss: 'hydra', attempts: 4 });
   * ```
   */
  track<T extends keyof BuiltInEvents>(
    eventType: T,
    payload?: BuiltInEvents[T] & Record<string, unknown>,
    metadata?: Record<string, unknown>,
  ): string;
  track(eventType: string, payload?: Record<string, unknown>, metadata?: Record<string, unknown>): string;
  track(eventType: string, payload: object = {}, metadata?: object): string {
    const eventId = randomId();
    const tell = (code: string, message: string) =>
      this.#tell(this.#options.onRejected, { event: undefined, eventType: String(eventType), code, message });
    try {
      const { metadata: common, build: clientBuild } = this.#options;
      const device = typeof common === 'function' ? common() : common;
      const timestamp = new Date(this.#now()).toISOString();
      // The type comes first: the beginning of the text decides whether the event may be dropped.
      const event = JSON.stringify({
        eventType,
        timestamp,
        payload,
        // Also here: after an update, the build that sends an event is not the one in which it happened.
        metadata: { clientBuild, ...device, ...metadata },
        eventId,
      });
      if (this.#isClosed) tell('closed', CLOSED);
      else if (eventBytes(event) > MAX_EVENT_BYTES) tell('event_too_large', 'The event takes over 32 KiB.');
      else {
        this.#unsaved.push(event);
        void this.saved();
      }
    } catch (cause) {
      tell('event_unserializable', String(cause));
    }
    return eventId;
  }

  /**
   * Settles when every event tracked so far is in the storage, and so survives the end of the page or process.
   *
   * @example
   * ```ts
   * savepoint.track('Session_End', { sessionId });
   * await savepoint.saved();
   * ```
   */
  saved(): Promise<void> {
    if (this.#unsaved.length > 0) this.#saving ??= this.#save();
    return this.#saving ?? Promise.resolve();
  }

  /**
   * Sends what waits now, rather than with the next batch. Settles when all is sent, or when it cannot be: then it is tried again
   * later. Call it when an app goes to the background; in browsers it is done for you.
   *
   * @example
   * ```ts
   * AppState.addEventListener('change', (state) => state === 'background' && savepoint.flush());
   * ```
   */
  flush(): Promise<void> {
    return this.saved().then(() => this.#sender.flush());
  }

  /**
   * Sends what it can and stops. What could not be sent stays in the storage for the next start.
   *
   * @example
   * ```ts
   * process.once('SIGTERM', () => savepoint.close());
   * ```
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.flush();
    this.#isClosed = true;
    this.#sender.stop();
    for (const end of this.#onClose) end();
  }

  async #save(): Promise<void> {
    while (this.#unsaved.length > 0) {
      const events = this.#unsaved;
      this.#unsaved = [];
      try {
        this.#sender.wake(await this.#queue.add(events));
      } catch (cause) {
        const error = new SavepointError('storage_failed', 'Events could not be stored.', { cause });
        this.#tell(this.#options.onError, error);
      }
    }
    this.#saving = undefined;
  }

  #reject(event: string, code: string, message: string): void {
    const parsed = JSON.parse(event) as { eventType: string };
    this.#tell(this.#options.onRejected, { event: parsed, eventType: parsed.eventType, code, message });
  }

  /** What a callback throws is an error of the game, and does not stop the client. */
  #tell<T>(callback: ((value: T) => void) | undefined, value: T): void {
    if (callback !== undefined) queueMicrotask(() => callback(value));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SavepointError('closed', CLOSED);
  }
}

function identify({ accessToken, tenantId, gameId, userId }: Session): Record<string, string> {
  return {
    Authorization: `Bearer ${accessToken}`,
    'X-Tenant-ID': tenantId,
    'X-Game-Id': gameId,
    'X-Player-Id': userId,
  };
}

/** Asks an endpoint made with `@savepoint/client/server`. */
function signAt(url: string, fetching: typeof fetch): Sign {
  return async (deviceId, timestamp) => {
    const { response, text } = await fetchText(fetching, url, postJson({ deviceId, timestamp }));
    if (!response.ok) throw new Error(`The signing endpoint returned ${response.status}.`);
    return JSON.parse(text);
  };
}
