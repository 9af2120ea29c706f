import { createHmac } from 'node:crypto';

/** What the network does with a request. */
export type Fault =
  | 'none'
  | 'request lost'
  | 'response lost'
  /** The connection stays open, and nothing comes. */
  | 'response never comes'
  | 'delivered twice'
  | 'portal'
  | 401
  | 429
  | 500
  | 503;

export type StoredEvent = { eventId: string; eventType: string; seq: number; payload: { n?: number } };
type Request = { path: string; headers: Headers; body: unknown };

const LIFETIME_MS = 3_600_000;
const GRACE_MS = 30_000;

/**
 * The rules of the service that a client has to live with, on a clock that tests set: signed logins, sessions that rotate, events
 * once per player, installation and number, each request as a whole. `fault` decides what happens to each request.
 */
export function createServiceModel() {
  const sessions = new Map<
    string,
    { userId: string; refresh: string; previous?: string; rotatedAt: number }
  >();
  const tokens = new Map<string, { session: string; until: number }>();
  const stored = new Map<string, StoredEvent>();
  const requests: Request[] = [];
  let count = 0;
  let clockOffset = 0;

  const grant = (session: string, userId: string, refresh: string) => {
    const accessToken = `access-${++count}`;
    tokens.set(accessToken, { session, until: Date.now() + LIFETIME_MS });
    return json(200, {
      accessToken,
      refreshToken: refresh,
      tokenType: 'Bearer',
      expiresIn: LIFETIME_MS / 1000,
      userId,
      deviceId: userId.slice(2),
      gameId: 'game',
      tenantId: 'studio',
      playerConfig: {
        playerStatus: { isPayer: { value: false, defaultValue: false, expiredAt: null } },
        storeConfig: model.store,
        ...(model.values === undefined ? {} : { values: model.values }),
      },
    });
  };

  const routes: Record<string, (request: Request) => Response> = {
    '/auth/login': ({ body }) => {
      const { apiKey, deviceId, timestamp, signature } = body as Record<string, string>;
      if (signature !== signature64(`${apiKey}|${deviceId}|${timestamp}`))
        return refuse(401, 'credentials_invalid');
      const serverMs = Date.now() + clockOffset;
      if (Math.abs(Date.parse(String(timestamp)) - serverMs) > 300_000) {
        const serverTime = `${new Date(serverMs).toISOString().slice(0, 19)}Z`;
        return json(400, {
          error: 'The request timestamp is outside the acceptable time window.',
          ...model.windowError(serverTime),
        });
      }
      const session = `session-${++count}`;
      const refresh = `refresh-${String(++count).padStart(8, '0')}`;
      sessions.set(session, { userId: `u-${deviceId}`, refresh, rotatedAt: 0 });
      return grant(session, `u-${deviceId}`, refresh);
    },
    '/auth/refresh': ({ body }) => {
      const { refreshToken } = body as { refreshToken: string };
      for (const [id, session] of sessions) {
        if (session.previous === refreshToken && Date.now() - session.rotatedAt <= GRACE_MS) {
          return grant(id, session.userId, session.refresh);
        }
        if (session.refresh === refreshToken) {
          session.previous = refreshToken;
          session.refresh = `refresh-${String(++count).padStart(8, '0')}`;
          session.rotatedAt = Date.now();
          return grant(id, session.userId, session.refresh);
        }
        // Used again later: the session ends.
        if (refreshToken === session.previous) sessions.delete(id);
      }
      return refuse(401, 'refresh_token_invalid');
    },
    '/auth/logout': ({ headers }) => {
      const session = sessionOf(headers);
      if (session === undefined) return refuse(401, 'session_ended');
      sessions.delete(session);
      return json(200, { data: { revokedSessions: 1 }, status: 'success' });
    },
    '/v1/player': ({ headers }) => {
      const session = sessionOf(headers);
      if (session === undefined) return refuse(401, 'session_ended');
      sessions.clear();
      return json(202, { data: { erasureId: 'e', dueAt: new Date().toISOString() }, status: 'success' });
    },
    '/v1/events': ({ headers, body }) => {
      const session = sessionOf(headers);
      if (session === undefined) return refuse(401, 'session_ended');
      const events = body as StoredEvent[];
      const rejected = events.flatMap(({ eventType }, index) =>
        eventType === 'Bad' ? [{ index, code: 'payload_invalid', message: 'bad' }] : [],
      );
      if (rejected.length === events.length) {
        return json(400, {
          error: { code: 'events_rejected', message: 'all bad', rejected },
          status: 'error',
        });
      }
      let accepted = 0;
      let duplicates = 0;
      for (const event of events) {
        const name = `${sessions.get(session)?.userId}/${headers.get('x-install-id')}/${event.seq}`;
        if (event.eventType === 'Bad') continue;
        if (stored.has(name)) duplicates++;
        else accepted++;
        if (!stored.has(name)) stored.set(name, event);
      }
      return json(202, { data: { accepted, duplicates, rejected }, status: 'success' });
    },
    '/v1/player/store_configs': ({ headers }) => {
      if (sessionOf(headers) === undefined) return refuse(401, 'session_ended');
      const etag = `"${model.store.lastUpdatedTimestamp}"`;
      const cached = { etag, 'cache-control': 'private, no-cache, stale-if-error=60' };
      return headers.get('if-none-match') === etag
        ? new Response(null, { status: 304, headers: cached })
        : json(200, model.store, cached);
    },
    '/v1/player/values': ({ headers }) => {
      const session = sessionOf(headers);
      if (session === undefined) return refuse(401, 'session_ended');
      const asOf = new Date().toISOString();
      const playerId = sessions.get(session)?.userId;
      return json(200, { playerId, asOf, values: model.values ?? {}, experiments: model.experiments });
    },
    '/v1/player/status': ({ headers }) =>
      sessionOf(headers) === undefined ? refuse(401, 'session_ended') : json(200, model.status),
  };

  const sessionOf = (headers: Headers): string | undefined => {
    const token = tokens.get(headers.get('authorization')?.slice(7) ?? '');
    const isLive = token !== undefined && token.until > Date.now() && sessions.has(token.session);
    return isLive ? token.session : undefined;
  };

  const respond = (request: Request): Response => {
    requests.push(request);
    return (
      routes[request.path]?.(request) ??
      json(404, { error: { code: 'not_found', message: '' }, status: 'error' })
    );
  };

  const model = {
    stored,
    requests,
    sessions,
    fault: (_path: string): Fault => 'none',
    windowError: (serverTime: string): object => ({ code: 'timestamp_out_of_window', serverTime }),
    status: { isPayer: { value: true, defaultValue: false, expiredAt: null as string | null } },
    /** Undefined: the game has none. */
    values: undefined as Record<string, unknown> | undefined,
    experiments: [] as { experimentId: string; variantId: string }[],
    store: {
      activeSkus: [] as object[],
      lastUpdatedTimestamp: 1,
      userSpecificPromoId: null,
      fallbackConfig: null as object | null,
    },
    setClock(offsetMs: number) {
      clockOffset = offsetMs;
    },
    fetch: (async (input: string | URL | Request, init: RequestInit = {}) => {
      const { pathname } = new URL(String(input));
      const request = {
        path: pathname,
        headers: new Headers(init.headers),
        body: init.body === undefined ? undefined : JSON.parse(String(init.body)),
      };
      const fault = model.fault(pathname);
      // A network takes time, in which other things may happen.
      await Promise.resolve();
      if (fault === 'request lost') throw new TypeError('fetch failed');
      if (fault === 401) return refuse(401, 'token_invalid');
      if (fault === 500) return json(500, { error: { code: 'internal', message: '' }, status: 'error' });
      if (fault === 429 || fault === 503) {
        return json(fault, { error: { code: 'busy', message: '' }, status: 'error' }, { 'retry-after': '7' });
      }
      if (fault === 'portal') return new Response('<html>Buy Wi-Fi</html>', { status: 200 });
      const response = respond(request);
      if (fault === 'response lost') throw new TypeError('fetch failed');
      if (fault === 'response never comes') await aborted(init.signal);
      return fault === 'delivered twice' ? respond(request) : response;
    }) as typeof fetch,
    sign: async (deviceId: string, given?: string) => {
      const timestamp = given ?? `${new Date().toISOString().slice(0, 19)}Z`;
      return { apiKey: 'key', deviceId, timestamp, signature: signature64(`key|${deviceId}|${timestamp}`) };
    },
    /** What was stored, by installation, in the order of its numbers. */
    byInstall(): Map<string, StoredEvent[]> {
      const installs = new Map<string, StoredEvent[]>();
      for (const [name, event] of stored) {
        const install = name.split('/')[1] as string;
        installs.set(
          install,
          [...(installs.get(install) ?? []), event].sort((a, b) => a.seq - b.seq),
        );
      }
      return installs;
    },
  };
  return model;
}

export type ServiceModel = ReturnType<typeof createServiceModel>;

function signature64(text: string): string {
  return createHmac('sha256', 'secret').update(text).digest('base64');
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function refuse(status: number, code: string): Response {
  return json(status, { error: 'Invalid authentication credentials.', code });
}

/** Rejects when the client gives up. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}
