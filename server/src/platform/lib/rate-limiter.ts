/**
 * Rate limits by GCRA (generic cell rate algorithm), in the memory of one process.
 *
 * Per key one number is kept: the moment at which the key has its whole quota again. A take moves it ahead by
 * window / quota for each unit; a take that would move it further ahead than one window is refused and moves nothing. So a
 * key may spend its quota in one burst and regains it evenly: no window edge lets twice the quota through.
 *
 * Processes and nodes do not share their counts: n of them let through up to n times the quota.
 */

export type RateLimiterOptions = {
  /** Units per window, and the largest burst. */
  quota: number;
  windowSeconds: number;
  /** Bound on memory: about 170 bytes a key. */
  maxKeys: number;
  /** Milliseconds from any origin. It should be monotonic, as the default is. */
  clock?: () => number;
};

export type RateLimitResult = {
  allowed: boolean;
  /** Units that can be taken right now. */
  remaining: number;
  /** Until there is more than `remaining`: `t`, the effective window, of the header. 0 if nothing is used. */
  resetSeconds: number;
  /** 0 if allowed. Never less than `resetSeconds` if not, as the draft asks. */
  retryAfterSeconds: number;
};

export type RateLimiter = {
  /** More than the whole quota is taken for the whole quota: else it would never be allowed. */
  take(key: string, units?: number): RateLimitResult;
  /** As if so much had not been taken. */
  giveBack(key: string, units: number): void;
  /** What a take would be told about `allowed`, without taking. */
  peek(key: string): RateLimitResult;
  readonly size: number;
};

type Entry = { fullAt: number };

/** Keys looked at to find the one to forget. More would protect better and cost more in a flood. */
const PROBES = 8;
const PROBES_PER_NEW_KEY = 2;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { quota, windowSeconds, maxKeys, clock = () => performance.now() } = options;
  for (const [name, value] of Object.entries({ quota, windowSeconds, maxKeys })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`${name} must be a positive whole number.`);
    }
  }

  // Time is counted in units of 1/quota ms. That makes every term below a whole number; in milliseconds,
  // 7 times a seventh of a window is not a window, and the last take of a burst would be refused.
  const origin = clock();
  const cost = windowSeconds * 1000;
  const capacity = cost * quota;
  const unitsPerSecond = quota * 1000;
  const now = () => Math.floor(clock() - origin) * quota;

  const entries = new Map<string, Entry>();
  let hand = entries.entries();

  /** What the key has used and not yet regained, at most everything, however far a clock was set back. */
  const debtOf = (entry: Entry | undefined, at: number) =>
    entry === undefined ? 0 : Math.min(Math.max(0, entry.fullAt - at), capacity);

  function result(allowed: boolean, debt: number, wanted: number): RateLimitResult {
    const remaining = Math.floor((capacity - debt) / cost);
    const secondsUntil = (units: number) =>
      Math.ceil(Math.max(0, debt - (capacity - units * cost)) / unitsPerSecond);
    const resetSeconds = remaining === quota ? 0 : secondsUntil(remaining + 1);
    return { allowed, remaining, resetSeconds, retryAfterSeconds: allowed ? 0 : secondsUntil(wanted) };
  }

  /** The next key, round and round. One lasting iterator: a new one would have to step over every deleted slot at the front of the map, 24 µs instead of 1.5 with 100,000 keys. */
  function turnHand(): readonly [string, Entry] | undefined {
    const next = hand.next();
    if (!next.done) return next.value;
    hand = entries.entries();
    return hand.next().value;
  }

  /**
   * Before a key is added: forgets what has its whole quota again among the next few keys, which changes nothing. Two for each new key
   * are enough that at most twice as many keys are kept as have used some of their quota, however many players come in a day.
   */
  function forgetRegained(at: number): void {
    for (let probe = 0; probe < PROBES_PER_NEW_KEY; probe++) {
      const next = turnHand();
      if (next !== undefined && next[1].fullAt <= at) entries.delete(next[0]);
    }
  }

  /**
   * Makes room where there are too many keys, in constant time: of the next few the hand drops the first that has its whole quota again,
   * else the one that has used the least. So a flood of unknown keys pushes out its own kind: to make the limiter forget a key that is
   * at its limit, its neighbours must be driven to theirs as well.
   */
  function forgetOne(at: number): void {
    let victim: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (let probe = 0; probe < PROBES; probe++) {
      const next = turnHand();
      if (next === undefined) return;
      const [key, { fullAt }] = next;
      if (fullAt < least) {
        victim = key;
        least = fullAt;
      }
      if (fullAt <= at) break;
    }
    if (victim !== undefined) entries.delete(victim);
  }

  return {
    take(key, units = 1) {
      const at = now();
      const entry = entries.get(key);
      const debt = debtOf(entry, at);
      const wanted = Math.min(units, quota);
      if (debt + wanted * cost > capacity) {
        // Changes nothing unless the clock was set back; then the key is free again after one window.
        if (entry !== undefined) entry.fullAt = at + debt;
        return result(false, debt, wanted);
      }
      const fullAt = at + debt + wanted * cost;
      if (entry === undefined) {
        forgetRegained(at);
        if (entries.size >= maxKeys) forgetOne(at);
        entries.set(key, { fullAt });
      } else {
        entry.fullAt = fullAt;
      }
      return result(true, debt + wanted * cost, wanted);
    },
    giveBack(key, units) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.fullAt -= Math.min(units, quota) * cost;
    },
    peek(key) {
      const debt = debtOf(entries.get(key), now());
      return result(debt + cost <= capacity, debt, 1);
    },
    get size() {
      return entries.size;
    },
  };
}

/**
 * `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11, for example `"player";q=1200;w=60`. The unit is named where it
 * is not requests: `"event-bytes";q=16777216;qu="content-bytes";w=60`.
 */
export function rateLimitPolicyHeader(
  name: string,
  quota: number,
  windowSeconds: number,
  unit?: string,
): string {
  const quotaUnit = unit === undefined ? '' : `;qu=${policyName(unit)}`;
  return `${policyName(name)};q=${quota}${quotaUnit};w=${windowSeconds}`;
}

/** `RateLimit` of the same draft, for example `"player";r=1199;t=1`. */
export function rateLimitHeader(
  name: string,
  { remaining, resetSeconds }: Pick<RateLimitResult, 'remaining' | 'resetSeconds'>,
): string {
  return `${policyName(name)};r=${remaining};t=${resetSeconds}`;
}

/** A structured-field String. Our names are constants: rather than escape odd ones, refuse them. */
function policyName(name: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new TypeError('A policy name is lower-case letters, digits and hyphens.');
  }
  return `"${name}"`;
}
