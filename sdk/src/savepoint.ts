import { createDeviceId } from './device-id.js';
import { SavepointError } from './errors.js';
import { eventBytes } from './event-batch.js';
import { createEventQueue, type EventQueue } from './event-queue.js';
import { createEventSender, type EventSender } from './event-sender.js';
import type { SavepointOptions } from './options.js';
import { onPageChanges } from './page-changes.js';
import { createPlayer, type Player, type PlayerCache } from './player.js';
import { randomId } from './random-id.js';
import { createServiceClock, type ServiceClock } from './service-clock.js';
import { createSessions, type Sessions } from './session.js';
import { createStorage } from './storage/default-storage.js';
import { createTabSignals } from './tab-signals.js';
import { createTransport } from './transport.js';
import type { BuiltInEvents, Identity, PlayerData, Receipt } from './wire.js';

const CLOSED = 'The client was closed. Make a new one.';
const MAX_EVENT_BYTES = 32_768;

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
  readonly #player: PlayerCache;
  readonly #options: SavepointOptions;
  readonly #clock: ServiceClock;
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
    const { batch = {}, fallback = {} } = options;
    const onError = (error: SavepointError) => this.#tell(options.onError, error);
    const onDamaged = (what: string) =>
      onError(new SavepointError('storage_damaged', `Stored data is damaged, and was left out: ${what}.`));

    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const prefix = `savepoint:${baseUrl}:${options.deviceId ?? ''}:`;
    const storage = createStorage(options.storage, onError);
    const stored = { storage, prefix, onDamaged };
    const clock = createServiceClock(options.now ?? (() => Date.now()));
    const transport = createTransport(baseUrl, options, clock);
    const signals = createTabSignals(prefix);

    const queue = createEventQueue({
      ...stored,
      maxEvents: batch.events ?? 50,
      maxBytes: batch.bytes ?? 60_000,
      maxStoredBytes: options.maxStoredBytes ?? 2_097_152,
      onDropped: (events) => {
        for (const event of events) this.#reject(event, 'storage_full', 'Dropped: the storage was full.');
      },
    });
    const sessions = createSessions({
      ...stored,
      transport,
      clock,
      queue,
      deviceId: createDeviceId(options.deviceId, stored),
      onSaved: () => signals.send('session'),
    });
    const player = createPlayer({
      ...stored,
      clock,
      fallback,
      baseUrl,
      call: async (path, init) => {
        this.#checkOpen();
        const session = await sessions.get();
        const reply = await transport.call(session, path, init);
        return reply.status === 401 ? transport.call(await sessions.renew(session), path, init) : reply;
      },
      onSaved: signals.send,
      onError,
    });
    const sender = createEventSender({
      queue,
      sessions,
      transport,
      lock: () => storage.isShared === true && `${prefix}send`,
      intervalMs: (batch.seconds ?? 5) * 1000,
      onRejected: (event, code, message) => this.#reject(event, code, message),
      onError,
    });

    sessions.onGrant(({ userId, playerConfig = {} }) => player.keepConfig(userId, playerConfig));
    const stopSignals = signals.listen((what) => {
      if (what === 'session') sessions.forget();
      else player.reload(what as keyof PlayerData).catch(onError);
    });
    this.#onClose.push(stopSignals, sessions.stop, ...onPageChanges(sender.flushLast, sender.retryNow));

    this.player = player;
    this.#player = player;
    this.#clock = clock;
    this.#queue = queue;
    this.#sender = sender;
    this.#sessions = sessions;
    // Sends the events that the last run left behind.
    queue.isEmpty().then((isEmpty) => (isEmpty ? undefined : sender.flush()), onError);
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
   * Erases the player: everything that the service stores about the player goes, on all devices, and nothing brings it back. Events that
   * wait are dropped. The client is logged out then, and the next `login()` is a new player. Rejects with `network_failed` offline, and nothing has
   * changed then. Ask the player twice before you call it.
   *
   * @example
   * ```ts
   * if (confirm('Delete your account and everything in it?')) await savepoint.deleteAccount();
   * ```
   */
  async deleteAccount(): Promise<void> {
    this.#checkOpen();
    await this.#sessions.deleteAccount();
    this.#unsaved = [];
    await this.#queue.clear();
    await this.#player.forget();
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
      const timestamp = new Date(this.#clock.deviceNow()).toISOString();
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
   * Records a purchase with the receipt of the store, which the service checks: product, price and currency are those of the receipt. Call
   * it again with the same receipt when a player restores purchases. Returns the event's id, as `track` does.
   *
   * @example
   * ```ts
   * savepoint.purchase({ sku: 'gems_80', receipt: { store: 'apple', signedTransaction } });
   * ```
   */
  purchase({ sku, receipt, promoId }: { sku: string; receipt: Receipt; promoId?: string }): string {
    return this.track('Purchase', { skuId: sku, receipt, ...(promoId === undefined ? {} : { promoId }) });
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
