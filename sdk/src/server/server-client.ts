import type { SavepointError } from '../errors.js';
import { createExchange, type Exchange, errorDetails, postJson, type Reply, toError } from '../http.js';
import type { RejectedEvent } from '../options.js';
import type { PlayerPredictions, PlayerSegments, PlayerStatus, StoreConfig } from '../wire.js';

/**
 * What {@link createServerClient} is made with.
 *
 * @example
 * ```ts
 * const options: ServerClientOptions = {
 *   baseUrl: 'https://players.example.com',
 *   tenantId: 'my-studio',
 *   serverKey: process.env.SAVEPOINT_SERVER_KEY,
 * };
 * ```
 */
export type ServerClientOptions = {
  /** Address of the service. */
  baseUrl: string;
  tenantId: string;
  /** The whole key, as it was shown once: `sps_…`. */
  serverKey: string;
  /** How often a request is sent at most while the service cannot take it. Default 5. */
  attempts?: number;
  /** Default: the platform's `fetch`. */
  fetch?: typeof fetch;
};

/**
 * An event that a server sends for one of its players. Without `timestamp` the time of this server; without `eventId` a new one, so
 * that an event that has to be sent again counts once.
 *
 * @example
 * ```ts
 * const event: ServerEvent = { userId, eventType: 'Match_End', payload: { place: 1 }, eventId: `match-9-${userId}` };
 * ```
 */
export type ServerEvent = {
  userId: string;
  eventType: string;
  payload: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  timestamp?: string | Date;
  eventId?: string;
};

/**
 * What became of the events of a call. `duplicates` were known already; where a queue stands between, they are not known yet and count
 * as accepted.
 *
 * @example
 * ```ts
 * const { rejected }: SentEvents = await server.sendEvents(events);
 * ```
 */
export type SentEvents = { accepted: number; duplicates: number; rejected: RejectedEvent[] };

/**
 * The age group of a player; null where it is not known.
 *
 * @example
 * ```ts
 * const ageGroup: AgeGroup = 'teen';
 * ```
 */
export type AgeGroup = 'child' | 'teen' | 'adult' | null;

/**
 * What a studio's own server can do with a server key. Every method needs its scope.
 *
 * @example
 * ```ts
 * const server: ServerClient = createServerClient(options);
 * ```
 */
export type ServerClient = {
  /** Sends events of any number of players, 500 in a request. Scope `events:write`. */
  sendEvents(events: readonly ServerEvent[]): Promise<SentEvents>;
  /** Scope `players:read`, as for all reads. */
  status(userId: string): Promise<PlayerStatus>;
  store(userId: string): Promise<StoreConfig>;
  segments(userId: string): Promise<PlayerSegments>;
  /** All predictions, also those that clients do not see. */
  predictions(userId: string): Promise<PlayerPredictions>;
  /** The player of a device; undefined if there is none. */
  findPlayer(deviceId: string): Promise<string | undefined>;
  /** From its next login on the device belongs to this player. Scope `players:write`, as for all changes. */
  attachDevice(deviceId: string, userId: string): Promise<void>;
  /** Gives the device back to the player that it had before. */
  detachDevice(deviceId: string): Promise<void>;
  setAgeGroup(userId: string, ageGroup: AgeGroup): Promise<void>;
};

const EVENTS_PER_REQUEST = 500;
const FIRST_WAIT_MS = 500;

/**
 * Makes a client for the studio's own server. A request that gets no response, 429 or 5xx is sent again, after as long as the service
 * asks for; any other refusal rejects with its code.
 *
 * @example
 * ```ts
 * import { createServerClient } from '@savepoint/client/server';
 *
 * const server = createServerClient({ baseUrl, tenantId: 'my-studio', serverKey: process.env.SAVEPOINT_SERVER_KEY });
 * await server.sendEvents([{ userId, eventType: 'Match_End', payload: { place: 1 } }]);
 * ```
 */
export function createServerClient(options: ServerClientOptions): ServerClient {
  const { tenantId, serverKey, attempts = 5, fetch: fetching = fetch } = options;
  const exchange = createExchange(options.baseUrl.replace(/\/+$/, ''), fetching, () => {});
  const identity = { Authorization: `Bearer ${serverKey}`, 'X-Tenant-ID': tenantId };

  const send = (path: string, init: RequestInit = {}): Promise<Reply> =>
    exchangePatiently(exchange, path, { ...init, headers: { ...init.headers, ...identity } }, attempts);
  const ask = async (path: string, init?: RequestInit): Promise<unknown> => bodyOf(await send(path, init));
  const player = (userId: string, read = '') => `/v1/server/players/${encodeURIComponent(userId)}${read}`;
  const device = (deviceId: string) => `/v1/server/devices/${encodeURIComponent(deviceId)}`;

  return {
    async sendEvents(events) {
      const sum: SentEvents = { accepted: 0, duplicates: 0, rejected: [] };
      const complete = events.map(withTimeAndId);
      for (let from = 0; from < complete.length; from += EVENTS_PER_REQUEST) {
        const batch = complete.slice(from, from + EVENTS_PER_REQUEST);
        const {
          accepted,
          duplicates = 0,
          rejected,
        } = sentOf(await send('/v1/server/events', postJson(batch)));
        sum.accepted += accepted;
        sum.duplicates += duplicates;
        for (const { index, code, message } of rejected) {
          const event = batch[index];
          sum.rejected.push({ event, eventType: event?.eventType ?? '', code, message });
        }
      }
      return sum;
    },
    status: (userId) => ask(player(userId, '/status')) as Promise<PlayerStatus>,
    store: (userId) => ask(player(userId, '/store_configs')) as Promise<StoreConfig>,
    segments: (userId) => ask(player(userId, '/segments')) as Promise<PlayerSegments>,
    predictions: (userId) => ask(player(userId, '/predictions')) as Promise<PlayerPredictions>,
    async findPlayer(deviceId) {
      try {
        const found = await ask(`/v1/server/players?deviceId=${encodeURIComponent(deviceId)}`);
        return (found as { userId: string }).userId;
      } catch (error) {
        if ((error as SavepointError).code === 'player_not_found') return undefined;
        throw error;
      }
    },
    async attachDevice(deviceId, userId) {
      await ask(device(deviceId), { ...postJson({ userId }), method: 'PUT' });
    },
    async detachDevice(deviceId) {
      await ask(device(deviceId), { method: 'DELETE' });
    },
    async setAgeGroup(userId, ageGroup) {
      await ask(player(userId), { ...postJson({ ageGroup }), method: 'PATCH' });
    },
  };
}

function bodyOf(reply: Reply): unknown {
  if (reply.status > 299) throw toError(reply);
  return reply.body;
}

type Sent = {
  accepted: number;
  duplicates?: number;
  rejected: { index: number; code: string; message: string }[];
};

/** A batch of which every event was rejected is an error on the wire; here it is a result like any other. */
function sentOf(reply: Reply): Sent {
  const details = errorDetails(reply);
  if (details?.code !== 'events_rejected') return bodyOf(reply) as Sent;
  return { accepted: 0, rejected: details.rejected as Sent['rejected'] };
}

function withTimeAndId(event: ServerEvent): ServerEvent & { timestamp: string; eventId: string } {
  const { timestamp = new Date(), eventId = crypto.randomUUID() } = event;
  return {
    ...event,
    eventId,
    timestamp: typeof timestamp === 'string' ? timestamp : timestamp.toISOString(),
  };
}

async function exchangePatiently(
  exchange: Exchange,
  path: string,
  init: RequestInit,
  attempts: number,
): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    let waitMs = FIRST_WAIT_MS * 2 ** (attempt - 1);
    try {
      const reply = await exchange(path, init);
      if ((reply.status !== 429 && reply.status < 500) || attempt >= attempts) return reply;
      waitMs = (toError(reply).retryAfterSeconds ?? waitMs / 1000) * 1000;
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
    // Many servers that failed together must not come back together.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (1 + Math.random() / 4)));
  }
}
