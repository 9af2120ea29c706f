import type { SavepointError } from './errors.js';
import type { SavepointStorage } from './storage/storage.js';
import type { PlayerData, SignedLogin } from './wire.js';

/**
 * Gets a login signed. The secret must not ship in a game, so this asks the studio's own server. `timestamp` is the time of the
 * service, as far as it is known: sign with it where the clock of the signer may be wrong, else with your own.
 *
 * @example
 * ```ts
 * const sign: Sign = async (deviceId, timestamp) => {
 *   const response = await fetch('/sign', { method: 'POST', body: JSON.stringify({ deviceId, timestamp }) });
 *   return response.json();
 * };
 * ```
 */
export type Sign = (deviceId: string, timestamp?: string) => Promise<SignedLogin>;

/**
 * An event that the service, or the client, did not take. It will not be sent again.
 *
 * @example
 * ```ts
 * const onRejected = ({ event, code, message }: RejectedEvent) => console.warn(code, message, event);
 * ```
 */
export type RejectedEvent = {
  /** As it would have been sent; undefined where it cannot be written as JSON. */
  event: Record<string, unknown> | undefined;
  eventType: string;
  /** A code of the service, or `event_unserializable`, `event_too_large`, `storage_full`. */
  code: string;
  message: string;
};

/**
 * What {@link Savepoint} is made with. Only `baseUrl` and `sign` are needed.
 *
 * @example
 * ```ts
 * const options: SavepointOptions = {
 *   baseUrl: 'https://players.example.com',
 *   sign: 'https://studio.example.com/sign',
 *   build: '1.4.2',
 *   metadata: { osName: 'Android', osVersion: '16', deviceType: 'phone' },
 *   onRejected: ({ code, message }) => console.warn(code, message),
 * };
 * ```
 */
export type SavepointOptions = {
  /** Address of the service, without a path of an endpoint. */
  baseUrl: string;
  /** Gets logins signed: the address of an endpoint made with `@savepoint/client/server`, or a function. */
  sign: string | Sign;
  /** Names the device; the same device is always the same player. Made and kept by the client if left out. */
  deviceId?: string;
  /** Default: IndexedDB, else localStorage, else memory. In Node, Bun and Deno use `fileStorage` of `@savepoint/client/node`. */
  storage?: SavepointStorage;
  /**
   * Version of the game. The studio sees which builds lose events or send bad ones, and its players and revenue by build: it goes
   * into the `metadata` of every event as `clientBuild`. At most 64 characters.
   */
  build?: string;
  /**
   * Device data that goes into the `metadata` of every event. A function is called for each event. `osName` is the platform in the
   * studio's numbers, those of lost events too.
   */
  metadata?: Record<string, unknown> | (() => Record<string, unknown>);
  /** A batch is sent at this many events (50), at this many bytes (60,000), or after this many seconds (5), whichever comes first. */
  batch?: { events?: number; bytes?: number; seconds?: number };
  /**
   * How much may wait to be sent. Default 2 MiB, about 8,000 events. When it is full, the oldest `Ad_Impression` events are
   * dropped first, then the oldest others. `Purchase` and `Refund` are never dropped.
   */
  maxStoredBytes?: number;
  /** What `player` methods return offline before the first response. Ship it with the game. */
  fallback?: Partial<PlayerData>;
  /** Called for each event that was rejected. */
  onRejected?: (rejected: RejectedEvent) => void;
  /** Called for failures that the client handles itself, for a log: failed logins and sends, a storage that fails. */
  onError?: (error: SavepointError) => void;
  /** Default: the platform's `fetch`. */
  fetch?: typeof fetch;
  /** The clock of the device, in epoch milliseconds, for tests and simulations. Default: `Date.now`. */
  now?: () => number;
};
