import type { Batch } from './event-batch.js';
import { createExchange, type Exchange, fetchText, postJson, type Reply } from './http.js';
import type { SavepointOptions, Sign } from './options.js';
import type { ServiceClock } from './service-clock.js';
import type { Session } from './stored-session.js';

/** Browsers limit the bodies of requests that outlive their page to 64 KiB in all. */
const MAX_KEEPALIVE_BYTES = 63_000;

/** The requests that the client makes. */
export type Transport = {
  exchange: Exchange;
  /** An exchange in the name of the player. */
  call(session: Session, ...request: Parameters<Exchange>): Promise<Reply>;
  /** Sends a batch. The last one of a page may outlive it. */
  postEvents(session: Session, batch: Batch, body: string, isLast: boolean): Promise<Reply>;
  sign: Sign;
};

export function createTransport(baseUrl: string, options: SavepointOptions, clock: ServiceClock): Transport {
  const { sign, build } = options;
  const fetching = options.fetch ?? ((input, init) => fetch(input, init));
  const exchange = createExchange(baseUrl, fetching, clock.learn);
  const call: Transport['call'] = (session, path, init) =>
    exchange(path, { ...init, headers: { ...identify(session), ...(init.headers as object) } });

  return {
    exchange,
    call,
    postEvents(session, { install, bytes }, body, isLast) {
      const headers: Record<string, string> = { 'Content-Type': 'application/json', 'X-Install-Id': install };
      if (build !== undefined) headers['X-Client-Build'] = build;
      const keepalive = isLast && bytes < MAX_KEEPALIVE_BYTES;
      return call(session, '/v1/events', { method: 'POST', headers, body, keepalive });
    },
    sign: typeof sign === 'string' ? signAt(sign, fetching) : sign,
  };
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
