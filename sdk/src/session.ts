import { SavepointError } from './errors.js';
import { type Exchange, errorDetails, isObject, postJson, type Reply, toError } from './http.js';
import { withLock } from './locks.js';
import type { Sign } from './options.js';
import type { SavepointStorage } from './storage/storage.js';
import { runLater } from './timers.js';
import type { Grant, Identity } from './wire.js';

export type Session = Identity & {
  accessToken: string;
  refreshToken: string;
  /** By the clock of the device. */
  obtainedAt: number;
  lifetimeMs: number;
};

type Kept = Session | { isLoggedOut: true } | undefined;

type Setup = {
  exchange: Exchange;
  sign: Sign;
  storage: SavepointStorage;
  /** Names what this client keeps. */
  prefix: string;
  deviceId(): Promise<string>;
  /** Time of the service, as far as it is known. */
  serverTime: { now(): string | undefined; learn(ms: number): void };
  /** A login or refresh has succeeded. */
  onGrant(grant: Grant): void;
  /** The service refuses the kept session: it was ended, or another copy of this storage uses it. */
  onRefused(session: string): Promise<void>;
  /** The service has granted the session in this run: no other copy of the storage uses it, as far as the client can know. */
  onTrusted(): Promise<void>;
  onSaved(): void;
  deviceNow(): number;
};

export type Sessions = {
  /** A session whose token should be valid; logs in or refreshes if needed. */
  get(): Promise<Session>;
  /** Another session than the one that was refused with a 401. */
  renew(refused?: Session): Promise<Session>;
  /** Logs in where the player was logged out. */
  login(): Promise<Session>;
  logout(allDevices: boolean): Promise<void>;
  /** Another tab has changed it. */
  forget(): void;
  /** Ends retries that no call waits for. */
  stop(): void;
};

/** A session older than this is refreshed at the start: a copy of the storage on another device is noticed by it. */
const TRUSTED_MS = 300_000;
/** Refresh this long before the end, or after four fifths of a short life. */
const MARGIN_MS = 60_000;
/** What a refresh may take, and its second try: the service takes a refresh token again within 30 s of its use. */
const FIRST_TRY_MS = 8_000;
const SECOND_TRY_MS = 20_000;
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
  const { exchange, storage, prefix, deviceNow } = setup;
  const key = `${prefix}session`;
  let current: Session | undefined;
  let renewal: Promise<Session> | undefined;
  let isStarting = true;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const read = () => storage.transact(async (tx) => (await tx.get(key)) as Kept);
  const write = async (kept: Kept) => {
    await storage.transact(async (tx) => tx.set(key, kept));
    setup.onSaved();
  };

  const accept = async (reply: Reply): Promise<Session> => {
    if (reply.status !== 200) throw toError(reply);
    const grant = reply.body as Grant;
    if (!isObject(grant) || typeof grant.accessToken !== 'string') {
      throw new SavepointError('response_invalid', 'The response is not one of the service.', reply);
    }
    const { accessToken, refreshToken, userId, deviceId, gameId, tenantId, expiresIn } = grant;
    const identity = { userId, deviceId, gameId, tenantId, accessToken, refreshToken };
    const session = { ...identity, obtainedAt: deviceNow(), lifetimeMs: expiresIn * 1000 };
    await write(session);
    // Of two copies only one gets this far with the session they share.
    await setup.onTrusted();
    setup.onGrant(grant);
    return session;
  };

  const signIn = async (): Promise<Session> => {
    const deviceId = await setup.deviceId();
    for (let isFirst = true; ; isFirst = false) {
      const signed = await sign(deviceId);
      const reply = await exchange('/auth/login', postJson(signed));
      const serverMs = isFirst ? timeOfRefusal(reply) : undefined;
      if (serverMs === undefined) return accept(reply);
      setup.serverTime.learn(serverMs);
    }
  };

  const sign = async (deviceId: string) => {
    try {
      const signed = await setup.sign(deviceId, setup.serverTime.now());
      if (typeof signed?.signature === 'string') return signed;
    } catch (cause) {
      throw new SavepointError('sign_failed', 'The login could not be signed.', { cause });
    }
    throw new SavepointError('sign_failed', 'sign() returned no signed login.');
  };

  /**
   * A refresh without a response may have happened, and the service takes the same token again for a short time only. So it is sent
   * again at once, and then every few seconds whether or not a call waits for it. Returns undefined if the service refuses the token.
   */
  const refresh = async (refreshToken: string, retry: () => void): Promise<Session | undefined> => {
    const init = postJson({ refreshToken });
    const send = (timeoutMs: number) => exchange('/auth/refresh', init, timeoutMs);
    clearTimeout(retryTimer);
    try {
      const reply = await send(FIRST_TRY_MS).catch(() => send(SECOND_TRY_MS));
      return reply.status === 401 ? undefined : await accept(reply);
    } catch (error) {
      const seconds = (error as SavepointError).retryAfterSeconds ?? RETRY_SECONDS;
      // A part is random, so that clients that failed together do not come back together.
      if (!isStopped && seconds < RETRY_SECONDS * MAX_RETRIES)
        retryTimer = runLater(retry, (seconds + Math.random()) * 1000);
      throw error;
    }
  };

  const refreshOrLogIn = async (
    refused: Session | undefined,
    isLogin: boolean,
    retries: number,
  ): Promise<Session> => {
    const retry = () => {
      if (retries > 0) renewOnce(refused, false, retries - 1).catch(() => {});
    };
    for (let tried: string | undefined; ; ) {
      const kept = await read();
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
        const renewed = await refresh(tried, retry);
        if (renewed !== undefined) return renewed;
        // Once more if another tab has refreshed meanwhile.
      } else {
        // The last characters are enough to tell sessions apart.
        await setup.onRefused(tried.slice(-8));
        return signIn();
      }
    }
  };

  const isDue = (session: Session): boolean => {
    const age = deviceNow() - session.obtainedAt;
    const margin = Math.min(MARGIN_MS, session.lifetimeMs / 5);
    // A negative age: the clock was put back, so the age is unknown.
    return age < 0 || age > session.lifetimeMs - margin || (isStarting && age > TRUSTED_MS);
  };

  const renewOnce = (refused?: Session, isLogin = false, retries = MAX_RETRIES): Promise<Session> => {
    renewal ??= withLock(storage.isShared === true && key, async () => {
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
      try {
        return await renewOnce();
      } catch (error) {
        // Ahead of its end the token still works: a refresh that fails now is tried again with the next request.
        if (current === undefined || isStarting || deviceNow() - current.obtainedAt > current.lifetimeMs)
          throw error;
        return current;
      }
    },
    renew: (refused) =>
      current !== undefined && current.accessToken !== refused?.accessToken
        ? Promise.resolve(current)
        : renewOnce(refused),
    async login() {
      if (current !== undefined && !isDue(current)) return current;
      await renewal?.catch(() => {});
      return renewOnce(undefined, true);
    },
    async logout(allDevices) {
      if (isSession((await read()) ?? current)) {
        const { accessToken, refreshToken } = await renewOnce();
        clearTimeout(retryTimer);
        const init = postJson({ refreshToken, allDevices });
        const headers = { ...init.headers, Authorization: `Bearer ${accessToken}` };
        const reply = await exchange('/auth/logout', { ...init, headers });
        // A 401: the session had ended anyway.
        if (reply.status !== 200 && reply.status !== 401) throw toError(reply);
      }
      // Or it would bring the session back.
      await renewal?.catch(() => {});
      current = undefined;
      await write({ isLoggedOut: true });
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

function isSession(kept: Kept): kept is Session {
  return kept !== undefined && 'accessToken' in kept;
}

/** Time of the service, where it refused a login because of its timestamp. Without `serverTime` the `Date` header is used. */
function timeOfRefusal(reply: Reply): number | undefined {
  if (reply.status !== 400) return undefined;
  const details = errorDetails(reply);
  const isWindow = /timestamp_out_of_window|time window/.test(`${details?.code} ${details?.message}`);
  const serverTime = details?.serverTime ?? reply.headers.get('date');
  return isWindow ? Date.parse(String(serverTime)) || undefined : undefined;
}
