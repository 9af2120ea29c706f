import { SavepointError } from './errors.js';
import type { EventQueue } from './event-queue.js';
import { errorDetails, isObject, postJson, type Reply, toError } from './http.js';
import { withLock } from './locks.js';
import type { ServiceClock } from './service-clock.js';
import type { SavepointStorage } from './storage/storage.js';
import { createStoredSession, isSession, type Kept, type Session } from './stored-session.js';
import { runLater } from './timers.js';
import type { Transport } from './transport.js';
import type { Grant } from './wire.js';

type Setup = {
  transport: Transport;
  clock: ServiceClock;
  storage: SavepointStorage;
  /** Names what this client keeps. */
  prefix: string;
  deviceId(): Promise<string>;
  /** Has to know whether another copy of this storage uses its session. */
  queue: Pick<EventQueue, 'startInstall' | 'trust'>;
  onSaved(): void;
  onDamaged(what: string): void;
};

export type Sessions = {
  /** A session whose token should be valid; logs in or refreshes if needed. */
  get(): Promise<Session>;
  /** Another session than the one that was refused with a 401. */
  renew(refused?: Session): Promise<Session>;
  /** Logs in where the player was logged out. */
  login(): Promise<Session>;
  logout(allDevices: boolean): Promise<void>;
  /** Has the service erase the player, and is logged out then. */
  deleteAccount(): Promise<void>;
  /** Calls `listener` after each login and refresh. */
  onGrant(listener: (grant: Pick<Grant, 'userId' | 'playerConfig'>) => void): void;
  /** Another tab has changed it. */
  forget(): void;
  /** Ends retries that no call waits for. */
  stop(): void;
};

/** A session older than this is refreshed at the start: a copy of the storage on another device is noticed by it. */
const TRUSTED_MS = 300_000;
/** Refresh this long before the end, or after four fifths of a short life. */
const MARGIN_MS = 60_000;
/** After this long without a response a refresh is sent again. The tries before it stay open, and the first response counts. */
const SLOW_SECONDS = 8;
/** No further try joins them later than this: the service takes a refresh token again for 30 s, and a try may arrive late. */
const LAST_TRY_MS = 20_000;
/** A refresh that failed is retried this often and this many times: over the 30 s in which the service takes its token again. */
const RETRY_SECONDS = 3;
const MAX_RETRIES = 10;

/**
 * One session for all tabs of a browser.
 *
 *     none ──login──► live ──refresh before its end, or after a 401──► live
 *                      │ └──refresh refused: ended, or copied──► login ──► live
 *                      └──logout, here or in another tab──► logged out ──login()──► live
 */
export function createSessions(setup: Setup): Sessions {
  const { transport, clock, storage, queue } = setup;
  const { deviceNow } = clock;
  const grantListeners: Parameters<Sessions['onGrant']>[0][] = [];
  let current: Session | undefined;
  let renewal: Promise<Session> | undefined;
  let isStarting = true;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const stored = createStoredSession(setup);
  const write = async (kept: Kept) => {
    await stored.write(kept);
    setup.onSaved();
  };

  const accept = async (grant: Grant): Promise<Session> => {
    const { expiresIn, playerConfig: _, ...rest } = grant;
    const session = { ...rest, obtainedAt: deviceNow(), lifetimeMs: expiresIn * 1000 };
    await write(session);
    // Of two copies only one gets this far with the session they share.
    await queue.trust();
    for (const listener of grantListeners) listener(grant);
    return session;
  };

  const signIn = async (): Promise<Session> => {
    const deviceId = await setup.deviceId();
    for (let isFirst = true; ; isFirst = false) {
      const signed = await sign(deviceId);
      const reply = await transport.exchange('/auth/login', postJson(signed));
      const serverMs = isFirst ? timeOfRefusal(reply) : undefined;
      if (serverMs === undefined) return accept(grantOf(reply));
      clock.learn(serverMs);
    }
  };

  const sign = async (deviceId: string) => {
    try {
      const signed = await transport.sign(deviceId, clock.timestamp());
      if (typeof signed.signature === 'string') return signed;
      throw new Error('sign() returned no signed login.');
    } catch (cause) {
      throw new SavepointError('sign_failed', 'The login could not be signed.', { cause });
    }
  };

  /**
   * A refresh without a response may have happened, and the service takes the same token again for a short time only. So it is sent
   * again: at once if it fails, and while it is slow. All tries get the same successor, so the first response is as good as any. The
   * other tries are ended then, as one that arrives too late would end the session. Undefined: the service refuses the token.
   */
  const refresh = (refreshToken: string): Promise<Grant | undefined> => {
    const abort = new AbortController();
    const init = { ...postJson({ refreshToken }), signal: abort.signal };
    let lastTry = deviceNow() + LAST_TRY_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sent = 0;
    let open = 0;
    return new Promise<Grant | undefined>((resolve, reject) => {
      const sendIn = (ms: number) => {
        clearTimeout(timer);
        if (!isStopped && deviceNow() + ms < lastTry) timer = runLater(send, ms);
      };
      const send = () => {
        sent++;
        open++;
        sendIn(SLOW_SECONDS * 1000);
        transport
          .exchange('/auth/refresh', init)
          .then((reply) => (reply.status === 401 && errorDetails(reply) ? undefined : grantOf(reply)))
          .then(resolve, (error) => {
            open--;
            if (sent === 1 && error.code === 'network_failed') send();
            else if (open > 0) sendIn(retryMs(error));
            else reject(error);
          });
      };
      send();
    }).finally(() => {
      lastTry = 0;
      clearTimeout(timer);
      abort.abort();
    });
  };

  const refreshOrLogIn = async (
    refused: Session | undefined,
    isLogin: boolean,
    retries: number,
  ): Promise<Session> => {
    const retryLater = (error: SavepointError) => {
      const ms = retryMs(error);
      if (!isStopped && retries > 0 && ms < RETRY_SECONDS * MAX_RETRIES * 1000)
        retryTimer = runLater(() => renewOnce(refused, false, retries - 1).catch(() => {}), ms);
      throw error;
    };
    clearTimeout(retryTimer);
    for (let tried: string | undefined; ; ) {
      const kept = await stored.read();
      // Where no storage can be read, the session in memory counts.
      const session = kept ?? current;
      if (!isSession(session)) {
        if (session === undefined || isLogin) return signIn();
        throw new SavepointError('logged_out', 'The player was logged out. Call login().');
      }
      // Another tab was faster.
      if (session.accessToken !== refused?.accessToken && !isDue(session)) return session;
      if (session.refreshToken !== tried) {
        tried = session.refreshToken;
        const grant = await refresh(tried).catch(retryLater);
        // Once more if another tab has refreshed or logged out meanwhile: what it has written is newer.
        const last = ((await stored.read()) ?? session) as Partial<Session>;
        if (grant !== undefined && last.refreshToken === tried) return accept(grant);
      } else {
        // It was ended, or another copy of this storage uses it. The last characters are enough to tell sessions apart.
        await queue.startInstall(tried.slice(-8));
        return signIn();
      }
    }
  };

  const isDue = (session: Session, margins = 1): boolean => {
    const age = deviceNow() - session.obtainedAt;
    const margin = Math.min(MARGIN_MS, session.lifetimeMs / 5) * margins;
    // A negative age: the clock was put back, so the age is unknown.
    return age < 0 || age > session.lifetimeMs - margin || (isStarting && age > TRUSTED_MS);
  };

  const renewOnce = (refused?: Session, isLogin = false, retries = MAX_RETRIES): Promise<Session> => {
    renewal ??= withLock(storage.isShared === true && `${setup.prefix}session`, async () => {
      current = await refreshOrLogIn(refused, isLogin, retries);
      isStarting = false;
      return current;
    }).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  return {
    async get() {
      if (current !== undefined && !isDue(current)) return current;
      const renewing = renewOnce();
      try {
        // Well ahead of the end no call waits, as the token still works. A refresh that fails is tried again with the next request.
        if (current === undefined || isDue(current, 0.5)) return await renewing;
        renewing.catch(() => {});
      } catch (error) {
        if (current === undefined || deviceNow() - current.obtainedAt > current.lifetimeMs) throw error;
      }
      return current;
    },
    async renew(refused) {
      return current !== undefined && current.accessToken !== refused?.accessToken
        ? current
        : renewOnce(refused);
    },
    async login() {
      if (current !== undefined && !isDue(current)) return current;
      await renewal?.catch(() => {});
      return renewOnce(undefined, true);
    },
    async logout(allDevices) {
      if (isSession((await stored.read()) ?? current)) {
        const session = await renewOnce();
        clearTimeout(retryTimer);
        const { refreshToken } = session;
        const reply = await transport.call(session, '/auth/logout', postJson({ refreshToken, allDevices }));
        // A 401: the session had ended anyway.
        if (reply.status !== 200 && reply.status !== 401) throw toError(reply);
      }
      // Or it would bring the session back.
      await renewal?.catch(() => {});
      current = undefined;
      await write({ isLoggedOut: true });
    },
    async deleteAccount() {
      const session = await renewOnce(undefined, true);
      clearTimeout(retryTimer);
      let reply = await transport.call(session, '/v1/player', { method: 'DELETE' });
      // The session has ended, maybe by a deletion whose response was lost. Then the new player of the device is deleted, who has done nothing.
      if (reply.status === 401) {
        reply = await transport.call(await renewOnce(session), '/v1/player', { method: 'DELETE' });
      }
      if (reply.status !== 202) throw toError(reply);
      await renewal?.catch(() => {});
      current = undefined;
      await write({ isLoggedOut: true });
    },
    onGrant(listener) {
      grantListeners.push(listener);
    },
    forget() {
      current = undefined;
    },
    stop() {
      isStopped = true;
      clearTimeout(retryTimer);
    },
  };
}

/** When to try again. A part is random, so that clients that failed together do not come back together. */
function retryMs({ retryAfterSeconds = RETRY_SECONDS }: SavepointError): number {
  return (retryAfterSeconds + Math.random()) * 1000;
}

function grantOf(reply: Reply): Grant {
  const grant = reply.body as Grant;
  if (reply.status === 200 && isObject(grant) && typeof grant.accessToken === 'string') return grant;
  throw toError(reply);
}

/** Time of the service, where it refused a login because of its timestamp. Without `serverTime` the `Date` header is used. */
function timeOfRefusal(reply: Reply): number | undefined {
  if (reply.status !== 400) return undefined;
  const details = errorDetails(reply);
  const isWindow = /timestamp_out_of_window|time window/.test(`${details?.code} ${details?.message}`);
  const serverTime = details?.serverTime ?? reply.headers.get('date');
  return isWindow ? Date.parse(String(serverTime)) || undefined : undefined;
}
