import type { SavepointError } from './errors.js';
import { isObject, type Reply, toError } from './http.js';
import type { ServiceClock } from './service-clock.js';
import type { SavepointStorage } from './storage/storage.js';
import { createStoredValue, type StoredValue } from './storage/stored-value.js';
import type {
  ErasureCode,
  Flag,
  Grant,
  PlayerData,
  PlayerPredictions,
  PlayerSegments,
  PlayerStatus,
  PlayerValues,
  Prediction,
  StoreConfig,
} from './wire.js';

/**
 * Where a value comes from: from the service now (`service`), from its last good response (`kept`), from the studio's store for
 * offline play or the game's own `fallback` (`fallback`).
 *
 * @example
 * ```ts
 * savepoint.player.on('store', (store, { source }) => render(store, { isOffline: source !== 'service' }));
 * ```
 */
export type ValueInfo = { source: 'service' | 'kept' | 'fallback'; receivedAt: number };

/**
 * What the service returns about the player. Online each method asks the service, which returns 304 where nothing has changed.
 * Offline it returns the last good response, or a fallback. It rejects only if there is neither, or if the service refuses.
 *
 * @example
 * ```ts
 * const { isPayer } = await savepoint.player.status();
 * const off = savepoint.player.on('store', (store) => renderStore(store.activeSkus));
 * ```
 */
export type Player = {
  status(): Promise<PlayerStatus>;
  store(): Promise<StoreConfig>;
  segments(): Promise<PlayerSegments>;
  predictions(): Promise<PlayerPredictions>;
  /** The game's typed values. Wait for it once, while the game loads: from then on `value` has them. */
  values(): Promise<PlayerValues>;
  /**
   * A typed value of the game, at once: as the service last said, also offline and after a restart. `defaultValue` until then, and where
   * the game has no value of this key and type. The first call asks the service in the background if nobody has asked it yet.
   */
  value(key: string, defaultValue: boolean): boolean;
  value(key: string, defaultValue: number): number;
  value(key: string, defaultValue: string): string;
  value<T extends object>(key: string, defaultValue: T): T;
  /**
   * The experiments that responses to the player depend on, each with the player's variant. To show or log them: what the game does follows from
   * values, flags and the store.
   */
  experiments(): Promise<PlayerValues['experiments']>;
  /**
   * Everything that is stored about the player, as the JSON document of `GET /v1/player/export`, for a player who asks for it. The service
   * gives it once an hour (`rate_limited` otherwise), and it is never kept.
   */
  export(): Promise<Record<string, unknown>>;
  /**
   * A code with which the player can ask for erasure without the game, on the page at `url`: show both where the player finds them before the
   * game is removed. The code stays the same, and holds for 90 days after it was last shown. Rejects with `erasure_page_off` if the studio
   * has not turned the page on.
   */
  erasureCode(): Promise<ErasureCode>;
  /** Calls `listener` whenever a response differs from the one before, also one that another tab got. Returns a function that stops it. */
  on<K extends keyof PlayerData>(
    name: K,
    listener: (value: PlayerData[K], info: ValueInfo) => void,
  ): () => void;
};

type Name = keyof PlayerData;
type Cached<K extends Name = Name> = {
  value: PlayerData[K];
  etag?: string | undefined;
  receivedAt: number;
  /** After this, time alone may have changed the response. */
  staleAt: number;
};

type Options = {
  storage: SavepointStorage;
  prefix: string;
  baseUrl: string;
  call(path: string, init: RequestInit): Promise<Reply>;
  fallback: Partial<PlayerData>;
  clock: ServiceClock;
  onSaved(name: Name): void;
  onError(error: SavepointError): void;
  onDamaged(what: string): void;
};

export type PlayerCache = Player & {
  /** What a login or a refresh has brought. */
  keepConfig(playerId: string, config: NonNullable<Grant['playerConfig']>): void;
  /** Forgets all responses: they were about a player who is gone. */
  forget(): Promise<void>;
  /** Another tab has got a response. */
  reload(name: Name): Promise<void>;
};

const PATHS: Record<Name, string> = {
  status: '/v1/player/status',
  store: '/v1/player/store_configs',
  segments: '/v1/player/segments',
  predictions: '/v1/player/predictions',
  values: '/v1/player/values',
};
const EXPORT_PATH = '/v1/player/export';
const CODE_PATH = '/v1/player/erasure_code';
/** How long a response may be shown offline, unless the response says it. */
const STALE_MS = 86_400_000;

export function createPlayer(options: Options): PlayerCache {
  const { storage, prefix } = options;
  const listeners = new Map<Name, Set<(value: never, info: ValueInfo) => void>>();
  const fetching = new Map<Name, Promise<unknown>>();
  const lastNotified = new Map<Name, string>();
  let values: PlayerValues['values'] | undefined;
  /** Undefined: not known since the start of the game. */
  let experiments: PlayerValues['experiments'] | undefined;
  let isAskedForValues = false;
  /** Until what a grant has brought is on its way to the storage. */
  let keepingValues: Promise<void> | undefined;

  const stored = <K extends Name>(name: K): StoredValue<Cached<K>> =>
    createStoredValue({
      storage,
      keys: [`${prefix}player:${name}`],
      isValid: (value): value is Cached<K> => isObject(value) && isObject(value.value),
      onDamaged: () => options.onDamaged(`the last response of ${name}`),
    });
  const read = <K extends Name>(name: K) => stored(name).read();

  const save = async <K extends Name>(name: K, cached: Cached<K>) => {
    await stored(name).write(cached);
    options.onSaved(name);
  };

  const notify = <K extends Name>(name: K, { value, receivedAt }: Cached<K>, source: ValueInfo['source']) => {
    const response = current(value, options.clock.now());
    if (name === 'values') ({ values, experiments } = response as PlayerValues);
    // Without the instant (`asOf`), which differs in every response.
    const text = JSON.stringify({ ...response, asOf: 0 });
    if (lastNotified.get(name) !== text) {
      lastNotified.set(name, text);
      for (const listener of listeners.get(name) ?? []) listener(response as never, { source, receivedAt });
    }
    return response;
  };

  const fetch = async <K extends Name>(name: K): Promise<PlayerData[K]> => {
    if (name === 'values') await keepingValues;
    const cached = await read(name);
    const reply = await options
      .call(PATHS[name], cached?.etag === undefined ? {} : { headers: { 'If-None-Match': cached.etag } })
      .catch((error: SavepointError) => error);
    if (!(reply instanceof Error)) {
      const { status, body } = reply;
      const value = status === 304 ? cached?.value : status === 200 && isObject(body) ? body : undefined;
      if (value !== undefined) {
        const fresh = describe(value as PlayerData[K], reply, options.clock.deviceNow());
        await save(name, fresh);
        return notify(name, fresh, 'service');
      }
    }
    const error = reply instanceof Error ? reply : toError(reply);
    const { code, status } = error;
    const isRefused = status !== undefined && status < 500 && ![200, 401, 408, 429].includes(status);
    // A refusal is not an outage.
    if (isRefused || code === 'logged_out' || code === 'closed') throw error;
    options.onError(error);
    return offline(name, cached, error);
  };

  const offline = <K extends Name>(name: K, cached: Cached<K> | undefined, error: SavepointError) => {
    if (cached !== undefined && (name !== 'store' || options.clock.deviceNow() < cached.staleAt))
      return notify(name, cached, 'kept');
    const store = name === 'store' ? (cached?.value as StoreConfig | undefined) : undefined;
    const value = (untargeted(store) ?? options.fallback[name] ?? cached?.value) as PlayerData[K] | undefined;
    if (value === undefined) throw error;
    return notify(name, { value, receivedAt: cached?.receivedAt ?? 0, staleAt: 0 }, 'fallback');
  };

  /** One request at a time for each name, however many callers wait for it. */
  const fetchOnce = <K extends Name>(name: K): Promise<PlayerData[K]> => {
    const running = fetching.get(name) ?? fetch(name).finally(() => fetching.delete(name));
    fetching.set(name, running);
    return running as Promise<PlayerData[K]>;
  };

  const keep = <K extends Name>(name: K, value: PlayerData[K]) => {
    const receivedAt = options.clock.deviceNow();
    const cached = { value, receivedAt, staleAt: receivedAt + STALE_MS };
    save(name, cached).catch(options.onError);
    notify(name, cached, 'service');
  };

  /** A grant brings values, but no experiments: those that were known of this player stay, also after a restart. */
  const keepValues = async (playerId: string, granted: PlayerValues['values']) => {
    // At once: the game may ask for a value as soon as it has logged in.
    values = granted;
    let known = experiments;
    if (known === undefined) {
      // A storage that cannot be read has nothing.
      const last = (await read('values').catch(() => undefined))?.value;
      // Something newer came meanwhile, or the player is gone.
      if (values !== granted) return;
      known = last?.playerId === playerId ? last.experiments : [];
    }
    const asOf = new Date(options.clock.now()).toISOString();
    keep('values', { playerId, asOf, values: granted, experiments: known });
  };

  return {
    status: () => fetchOnce('status'),
    store: () => fetchOnce('store'),
    segments: () => fetchOnce('segments'),
    predictions: () => fetchOnce('predictions'),
    values: () => fetchOnce('values'),
    value<T>(key: string, defaultValue: T): T {
      // Once: a game may ask for values in each frame. What goes wrong is reported by `onError`.
      if (values === undefined && !isAskedForValues) fetchOnce('values').catch(() => {});
      isAskedForValues = true;
      const value = values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
      return isSameType(value, defaultValue) ? (value as T) : defaultValue;
    },
    experiments: async () => (await fetchOnce('values')).experiments,
    async export() {
      const reply = await options.call(EXPORT_PATH, {});
      if (reply.status === 200 && isObject(reply.body)) return reply.body;
      throw toError(reply);
    },
    async erasureCode() {
      const reply = await options.call(CODE_PATH, { method: 'POST' });
      const { code, expiresAt, page } = isObject(reply.body) ? reply.body : {};
      if (reply.status !== 200 || typeof code !== 'string') throw toError(reply);
      return { code, expiresAt: String(expiresAt), url: `${options.baseUrl}${page}` };
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    keepConfig(playerId, { playerStatus, storeConfig, values: granted }) {
      if (playerStatus !== undefined) keep('status', playerStatus);
      if (storeConfig !== undefined) keep('store', storeConfig);
      if (granted !== undefined) keepingValues = keepValues(playerId, granted).catch(options.onError);
    },
    async forget() {
      lastNotified.clear();
      values = undefined;
      experiments = undefined;
      isAskedForValues = false;
      for (const name of Object.keys(PATHS) as Name[]) await stored(name).forget();
    },
    async reload(name) {
      const cached = await read(name);
      if (cached !== undefined) notify(name, cached, 'service');
    },
  };
}

/** A value of another type than the game was built for is as good as none. */
function isSameType(value: unknown, defaultValue: unknown): boolean {
  return (
    typeof value === typeof defaultValue &&
    value !== null &&
    Array.isArray(value) === Array.isArray(defaultValue)
  );
}

function describe<K extends Name>(value: PlayerData[K], { headers }: Reply, receivedAt: number): Cached<K> {
  const seconds = /stale-if-error=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1];
  return {
    value,
    etag: headers.get('etag') ?? undefined,
    receivedAt,
    staleAt: receivedAt + (seconds === undefined ? STALE_MS : Number(seconds) * 1000),
  };
}

function untargeted(store: StoreConfig | undefined): StoreConfig | undefined {
  const config = store?.fallbackConfig;
  if (!config) return undefined;
  const { activeSkus, lastUpdatedTimestamp } = config;
  return { activeSkus, lastUpdatedTimestamp, userSpecificPromoId: null, fallbackConfig: config };
}

/** What the service says beside an average that it gives in place of a model's value. */
const AVERAGE = { percentile: null, band: null, state: 'degraded' } as const;

/** Flags and predictions that have expired have their default value. */
function current<T extends PlayerData[Name]>(value: T, now: number): T {
  if ('predictions' in value) {
    return { ...value, predictions: expire((value as PlayerPredictions).predictions, now, AVERAGE) };
  }
  return 'isPayer' in value ? (expire(value as PlayerStatus, now) as T) : value;
}

function expire<V extends Flag | Prediction>(
  members: Record<string, V>,
  now: number,
  rest?: Partial<V>,
): Record<string, V> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const isOver = member?.expiredAt != null && Date.parse(member.expiredAt) <= now;
      return [name, isOver ? { ...member, value: member.defaultValue, ...rest } : member];
    }),
  );
}
