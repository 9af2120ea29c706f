import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createFairSemaphore, type FairSemaphore } from '../lib/fair-semaphore.js';

/**
 * Passwords as scrypt hashes. A hash says what it cost: `$scrypt$ln=15,r=8,p=3$<salt>$<key>`. So the cost can be raised later, and
 * old hashes are still read.
 *
 * Hashing is made to be slow: a third of a second and 32 MiB. It runs on Node's thread pool, never on the event loop, in two lanes of one hash
 * at a time each. So guesses take one core and 32 MiB at most, however many come, and people who are known (a device that has
 * signed in before, a session) never wait behind strangers.
 */
export type Passwords = {
  hash(password: string, lane: Lane): Promise<HashOutcome<string>>;
  /**
   * Whether this is the password. `stored` null: it is not, but finding out takes as long. Undefined if too many are waiting in
   * the lane.
   */
  verify(password: string, stored: string | null, lane: Lane): Promise<HashOutcome<boolean>>;
  /** Whether the hash cost less than a new one would. */
  isOutdated(stored: string): boolean;
};

/**
 * Who waits: a known device or account, or the networks of a stranger, from the narrowest to the widest. The widest of them take turns,
 * and each has a share of the lane, so that a client with many narrow networks cannot fill it.
 */
export type Lane = Readonly<{ name: 'known' | 'stranger'; keys: readonly [string, ...string[]] }>;

export type HashOutcome<T> = { ok: true; value: T } | { ok: false; reason: 'busy' };

/** N is 2 to the power of `logN`. */
export type PasswordCost = Readonly<{ logN: number; r: number; p: number }>;

/** One of the settings that OWASP recommends: 32 MiB, three times over. */
export const DEFAULT_COST: PasswordCost = { logN: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const KEY_BYTES = 32;
const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;
/** In each lane. At three a second, no login waits longer than 15 seconds. */
const MAX_WAITING = 40;
/** Of the narrowest key, the next and the widest one: each leaves room for others. */
const MAX_WAITING_PER_KEY = [8, 16, 24];

type Parsed = { cost: PasswordCost; salt: Buffer; key: Buffer };

export function createPasswords(cost: PasswordCost = DEFAULT_COST): Passwords {
  const lanes = { known: createLane(), stranger: createLane() };
  /** Of a password that does not exist, so that the time of a response does not tell whether there is an account. */
  const noPassword: Parsed = { cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };

  return {
    hash: (password, lane) =>
      lanes[lane.name].run(lane.keys, async () => {
        const salt = randomBytes(SALT_BYTES);
        const key = await derive(password, salt, cost);
        const parameters = `ln=${cost.logN},r=${cost.r},p=${cost.p}`;
        return `$scrypt$${parameters}$${salt.toString('base64url')}$${key.toString('base64url')}`;
      }),
    verify: (password, stored, lane) =>
      lanes[lane.name].run(lane.keys, async () => {
        const expected = stored === null ? noPassword : parse(stored);
        const key = await derive(password, expected.salt, expected.cost);
        return timingSafeEqual(key, expected.key) && stored !== null;
      }),
    isOutdated(stored) {
      const { logN, r, p } = parse(stored).cost;
      return 2 ** logN * r * p < 2 ** cost.logN * cost.r * cost.p;
    },
  };
}

type HashLane = { run<T>(keys: Lane['keys'], work: () => Promise<T>): Promise<HashOutcome<T>> };

function createLane(): HashLane {
  const semaphore: FairSemaphore = createFairSemaphore({
    maxConcurrent: 1,
    maxConcurrentPerKey: 1,
    // The counts below are stricter.
    maxWaitingPerKey: MAX_WAITING + 1,
  });
  /** Those that run or wait, by key. */
  const presentOf = new Map<string, number>();
  let present = 0;
  const isFull = (key: string, level: number) =>
    (presentOf.get(key) ?? 0) > (MAX_WAITING_PER_KEY[level] ?? MAX_WAITING);
  const count = (keys: Lane['keys'], by: 1 | -1) => {
    present += by;
    for (const key of keys) {
      const left = (presentOf.get(key) ?? 0) + by;
      if (left === 0) presentOf.delete(key);
      else presentOf.set(key, left);
    }
  };
  return {
    async run(keys, work) {
      if (present > MAX_WAITING || keys.some(isFull)) return { ok: false, reason: 'busy' };
      const taken = semaphore.of(keys.at(-1) ?? keys[0]).take(work);
      if (taken === undefined) return { ok: false, reason: 'busy' };
      count(keys, 1);
      try {
        return { ok: true, value: await taken };
      } finally {
        count(keys, -1);
      }
    },
  };
}

/** The same password may be typed in two ways that look alike (RFC 8265 normalises, too). */
function derive(password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** logN;
  // Node asks for more than what scrypt needs, which is 128 N r.
  const options = { N, r, p, maxmem: 128 * N * r + 128 * r * p + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function parse(stored: string): Parsed {
  const [, logN, r, p, salt, key] = HASH.exec(stored) ?? [];
  if (salt === undefined || key === undefined) throw new Error('a stored password hash cannot be read');
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
