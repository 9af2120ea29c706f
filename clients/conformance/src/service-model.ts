import { createHash, createHmac, randomUUID } from 'node:crypto';

export type ModelRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
};
export type ModelResponse = { status: number; headers: Record<string, string>; body?: unknown };
export type SentEvent = {
  eventType: string;
  timestamp: string;
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
  eventId?: string;
  seq?: number;
};
export type StoredEvent = SentEvent & { installId: string };
type Session = { userId: string; refresh: string; previous?: string; rotatedAtMs: number };

const WINDOW_MS = 300_000;
/** Longer than the service's own, because clients are stopped and started on machines that are busy. */
const GRACE_MS = 300_000;
export const KEY = { apiKey: 'conformance-key', apiSecret: 'conformance-secret' };

/**
 * The rules of the service that a client has to live with: signed logins within a window, sessions that rotate, events once per
 * player, installation and number, responses with ETags. An event of type `Bad` is rejected. Exchanges change the members.
 */
export function createServiceModel() {
  const sessions = new Map<string, Session>();
  const tokens = new Map<string, { session: string; untilMs: number }>();
  const names = new Set<string>();
  const stored: StoredEvent[] = [];

  const model = {
    stored,
    /** How far the clock of the service is ahead of that of the device. */
    clockAheadMs: 0,
    lifetimeSeconds: 3_600,
    /** Successes inside `data`, and errors with code and message inside `error`. */
    isWrapped: false,
    /** What the window error says besides its sentence. */
    windowDetails: (serverTime: string): object => ({ code: 'timestamp_out_of_window', serverTime }),
    /** `Cache-Control` of reads. */
    cacheControl: 'private, no-cache, stale-if-error=86400',
    status: { isPayer: { value: false, defaultValue: false, expiredAt: null as string | null } } as Record<
      string,
      unknown
    >,
    store: storeOf('gems_80') as Record<string, unknown>,
    /** By name. */
    predictions: { churn: predictionUntil('2099-01-01T00:00:00.000Z') } as Record<string, unknown>,
    /** By key; undefined: the game has none. */
    values: undefined as Record<string, unknown> | undefined,
    /** The arms of the player. */
    experiments: [] as { experimentId: string; variantId: string }[],
    /** What the player can enter on the page of the game. */
    erasureCode: {
      code: 'BCDF-GHJK-LMNP',
      expiresAt: '2099-01-01T00:00:00.000Z',
      page: '/erase/studio/game',
    },
    endSessions: () => sessions.clear(),
    /** The access tokens end, the sessions do not. */
    endTokens: () => tokens.clear(),
    nowMs: () => Date.now() + model.clockAheadMs,
    sign,
    respond,
  };

  function respond(request: ModelRequest): ModelResponse {
    const response = route(request);
    if (!model.isWrapped || response.body === undefined) return response;
    return { ...response, body: wrap(response) };
  }

  function route(request: ModelRequest): ModelResponse {
    const { method, path, headers, body } = request;
    if (method === 'POST' && path === '/auth/login') return logIn(body as Record<string, string>);
    if (method === 'POST' && path === '/auth/refresh') return refresh(body as { refreshToken: string });
    const session = sessionOf(headers);
    if (session === undefined) return unauthorized('session_ended');
    if (method === 'POST' && path === '/auth/logout') {
      sessions.delete(session);
      return json(200, { data: { revokedSessions: 1 }, status: 'success' });
    }
    if (headers['x-tenant-id'] !== 'studio') return problem(400, 'header_missing', 'X-Tenant-ID is missing.');
    const userId = sessions.get(session)?.userId as string;
    if (method === 'POST' && path === '/v1/events') return takeEvents(userId, headers, body as SentEvent[]);
    if (headers['x-game-id'] !== 'game' || headers['x-player-id'] !== userId) {
      return problem(400, 'header_missing', 'X-Game-Id or X-Player-Id is missing.');
    }
    if (method === 'DELETE' && path === '/v1/player') {
      for (const [id, { userId: other }] of sessions) if (other === userId) sessions.delete(id);
      return json(202, {
        data: { erasureId: randomUUID(), dueAt: wholeSeconds(model.nowMs()) },
        status: 'success',
      });
    }
    if (method === 'POST' && path === '/v1/player/erasure_code') {
      return json(200, { data: model.erasureCode, status: 'success' });
    }
    const value = readOf(path, userId);
    if (method !== 'GET' || value === undefined)
      return problem(404, 'not_found', 'There is no such endpoint.');
    const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16)}"`;
    const caching = { etag, 'cache-control': model.cacheControl };
    if (headers['if-none-match'] === etag) return { status: 304, headers: caching };
    return json(200, value, caching);
  }

  function readOf(path: string, playerId: string): unknown {
    const asOf = new Date(0).toISOString();
    if (path === '/v1/player/status') return model.status;
    if (path === '/v1/player/store_configs') return model.store;
    if (path === '/v1/player/export') return { format: 'savepoint-player-export', player: { playerId } };
    if (path === '/v1/player/segments') {
      return { playerId, asOf, segments: [{ segmentId: 'new_player', name: 'New players', version: 1 }] };
    }
    if (path === '/v1/player/predictions') {
      return { playerId, asOf, predictions: model.predictions, models: {} };
    }
    if (path === '/v1/player/values') {
      return { playerId, asOf, values: model.values ?? {}, experiments: model.experiments };
    }
    return undefined;
  }

  function logIn({ apiKey, deviceId, timestamp, signature }: Record<string, string>): ModelResponse {
    if (signature !== signatureOf(`${apiKey}|${deviceId}|${timestamp}`))
      return unauthorized('credentials_invalid');
    const now = model.nowMs();
    if (!(Math.abs(Date.parse(String(timestamp)) - now) <= WINDOW_MS)) {
      const error = 'The request timestamp is outside the acceptable time window.';
      return json(400, { error, ...model.windowDetails(wholeSeconds(now)) });
    }
    const session = randomUUID();
    sessions.set(session, { userId: `player-of-${deviceId}`, refresh: randomUUID(), rotatedAtMs: 0 });
    return grant(session);
  }

  function refresh({ refreshToken }: { refreshToken: string }): ModelResponse {
    const now = model.nowMs();
    for (const [id, session] of sessions) {
      if (session.refresh === refreshToken) {
        Object.assign(session, { previous: refreshToken, refresh: randomUUID(), rotatedAtMs: now });
        return grant(id);
      }
      if (session.previous !== refreshToken) continue;
      if (now - session.rotatedAtMs <= GRACE_MS) return grant(id);
      // The token is used again, too late for a retry: a second client has it.
      sessions.delete(id);
    }
    return unauthorized('refresh_token_invalid');
  }

  function grant(id: string): ModelResponse {
    const { userId, refresh: refreshToken } = sessions.get(id) as Session;
    const accessToken = randomUUID();
    tokens.set(accessToken, { session: id, untilMs: model.nowMs() + model.lifetimeSeconds * 1_000 });
    return json(200, {
      accessToken,
      refreshToken,
      tokenType: 'Bearer',
      expiresIn: model.lifetimeSeconds,
      userId,
      deviceId: userId.slice('player-of-'.length),
      gameId: 'game',
      tenantId: 'studio',
      playerConfig: {
        playerStatus: model.status,
        storeConfig: model.store,
        ...(model.values === undefined ? {} : { values: model.values }),
      },
    });
  }

  function sessionOf(headers: Record<string, string>): string | undefined {
    const token = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
    return token !== undefined && token.untilMs > model.nowMs() && sessions.has(token.session)
      ? token.session
      : undefined;
  }

  function takeEvents(userId: string, headers: Record<string, string>, events: SentEvent[]): ModelResponse {
    const installId = headers['x-install-id'] ?? '';
    const rejected = events.flatMap(({ eventType }, index) =>
      eventType === 'Bad' ? [{ index, code: 'payload_invalid', message: 'The payload is invalid.' }] : [],
    );
    if (events.length > 0 && rejected.length === events.length) {
      const error = { code: 'events_rejected', message: 'Every event was rejected.', rejected };
      return json(400, { error, status: 'error' });
    }
    const good = events.filter(({ eventType }) => eventType !== 'Bad');
    const fresh = good.filter(({ seq, eventId }) => {
      const name = `${userId}|${installId}|${seq ?? eventId}`;
      const isNew = !names.has(name);
      names.add(name);
      return isNew;
    });
    stored.push(...fresh.map((event) => ({ ...event, installId })));
    const counts = { accepted: fresh.length, duplicates: good.length - fresh.length };
    return json(202, { data: { ...counts, rejected }, status: 'success' });
  }

  return model;
}

export type ServiceModel = ReturnType<typeof createServiceModel>;

/** The studio's signing endpoint: signs with the time it is given, else with its own. Its clock is that of the device. */
function sign({ deviceId, timestamp = wholeSeconds(Date.now()) }: { deviceId: string; timestamp?: string }) {
  const signature = signatureOf(`${KEY.apiKey}|${deviceId}|${timestamp}`);
  return { apiKey: KEY.apiKey, deviceId, timestamp, signature };
}

export function storeOf(...skuIds: string[]) {
  const activeSkus = skuIds.map((skuId) => ({
    skuId,
    name: skuId,
    description: '',
    actualPrice: 0.99,
    offerPrice: 0.99,
    currency: 'USD',
    assets: [],
    active: true,
  }));
  return { activeSkus, lastUpdatedTimestamp: 1, userSpecificPromoId: null, fallbackConfig: null };
}

/** A prediction from a model, which holds until then. */
export function predictionUntil(expiredAt: string) {
  return {
    value: 0.75,
    defaultValue: 0.25,
    expiredAt,
    unit: 'probability',
    horizonDays: 7,
    percentile: 82,
    band: 'high',
    state: 'ready',
    model: 'activity',
  };
}

function wholeSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function signatureOf(text: string): string {
  return createHmac('sha256', KEY.apiSecret).update(text).digest('base64');
}

function wrap({ status, body }: ModelResponse): unknown {
  if (status < 300) return isWrapped(body) ? body : { data: body, status: 'success' };
  const { error, ...details } = body as { error: unknown };
  return typeof error === 'string' ? { error: { message: error, ...details }, status: 'error' } : body;
}

function isWrapped(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'data' in body;
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): ModelResponse {
  return { status, headers, body };
}

function unauthorized(code: string): ModelResponse {
  return json(401, { error: 'Invalid authentication credentials.', code });
}

function problem(status: number, code: string, message: string): ModelResponse {
  return json(status, { error: { code, message }, status: 'error' });
}
