import { ApiError } from '../../platform/errors.js';
import type { Clock } from '../../platform/lib/clock.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import { afterGuess, type Guesses, levelAt, type SlowingRule, waitMs } from './sign-in-slowing.js';

/**
 * Decides whether a password or a code may be tried now. A try is counted before it is made, so that concurrent guesses gain
 * nothing over successive ones. A try that was right is not counted.
 *
 * Tries of unknown devices are counted by account and network, and by network; of IPv6, where a site has 256 networks, by site as well.
 * Guesses from other sites never make a client wait: they only reduce the free tries of a network that has not guessed before, and
 * never to less than one. A device that has signed in to the account before is counted separately.
 */
export type SignInGuesses = {
  /** Throws `sign_in_slowed` if it is too soon. */
  tryPassword(who: Guesser): Guess;
  /** For a sign-in whose password was right. */
  tryCode(accountId: string): Guess;
};

export type Guesser = Readonly<{
  emailKey: string;
  /** See `parseNetwork`. */
  network: string;
  /** The same as `network` for IPv4. */
  site: string;
  /** Set if the device has signed in to this account before. */
  deviceId: string | undefined;
}>;

export type Guess = {
  /** The try was right: former wrong guesses are forgotten. */
  succeed(): void;
  /** The try was no guess, and is not counted. */
  takeBack(): void;
};

const OF_PAIR: SlowingRule = { free: 5, maxDelayMs: 15 * MINUTE_MS, leakMs: 15 * MINUTE_MS };
/** Applies while many networks guess at one account. */
const OF_PAIR_UNDER_ATTACK: SlowingRule = { ...OF_PAIR, free: 1 };
/** One account. Longer than this wait, a neighbour at the same provider must not keep an owner with a new device out. */
const OF_SITE_PAIR: SlowingRule = { free: 20, maxDelayMs: 5 * MINUTE_MS, leakMs: 5 * MINUTE_MS };
const OF_DEVICE: SlowingRule = { free: 10, maxDelayMs: 15 * MINUTE_MS, leakMs: 15 * MINUTE_MS };
/** For all accounts together. An office shares one address, and some of its members mistype. */
const OF_NETWORK: SlowingRule = { free: 30, maxDelayMs: MINUTE_MS, leakMs: MINUTE_MS };
/** For all accounts together. */
const OF_SITE: SlowingRule = { free: 120, maxDelayMs: MINUTE_MS, leakMs: 10_000 };
/** Applies to all networks together: only clients with the right password get here, and six digits are soon guessed. */
const OF_CODE: SlowingRule = { free: 5, maxDelayMs: 15 * MINUTE_MS, leakMs: 60 * MINUTE_MS };
/** Not a limit: shows whether an account is under attack. */
const OF_ACCOUNT: SlowingRule = { free: 50, maxDelayMs: 0, leakMs: MINUTE_MS };

/** About 300 bytes each. The oldest key is dropped first. */
const MAX_KEYS = 50_000;

export function createSignInGuesses(clock: Clock, onSlowed: () => void): SignInGuesses {
  const known = createFifoMap<string, Guesses>();

  /** Counts a guess. Returns a function that undoes it. */
  const count = (key: string, rule: SlowingRule): (() => void) => {
    const before = known.get(key);
    const after = afterGuess(before, rule, clock.now());
    known.set(key, after);
    const oldest = known.size > MAX_KEYS ? known.oldest() : undefined;
    if (oldest !== undefined) known.delete(oldest[0]);
    return () => {
      const now = known.get(key);
      if (now === undefined) return;
      if (now !== after) known.set(key, { ...now, level: Math.max(0, now.level - 1) });
      else if (before !== undefined) known.set(key, before);
      else known.delete(key);
    };
  };

  type Counted = readonly [key: string, rule: SlowingRule];

  const begin = (own: Counted, shared: readonly Counted[]): Guess => {
    const all = [own, ...shared];
    const wait = Math.max(...all.map(([key, rule]) => waitMs(known.get(key), rule, clock.now())));
    if (wait > 0) {
      onSlowed();
      throw slowed(wait);
    }
    const undo = all.map(([key, rule]) => count(key, rule));
    const takeBack = () => {
      for (const each of undo) each();
    };
    return {
      takeBack,
      succeed() {
        takeBack();
        known.delete(own[0]);
      },
    };
  };

  return {
    tryPassword({ emailKey, network, site, deviceId }) {
      if (deviceId !== undefined) return begin([`device|${deviceId}`, OF_DEVICE], []);
      const account = `account|${emailKey}`;
      const isUnderAttack = levelAt(known.get(account), OF_ACCOUNT, clock.now()) >= OF_ACCOUNT.free;
      const pair = isUnderAttack ? OF_PAIR_UNDER_ATTACK : OF_PAIR;
      const ofSite: Counted[] = [
        [`site|${site}|${emailKey}`, OF_SITE_PAIR],
        [`site|${site}`, OF_SITE],
      ];
      return begin(
        [`pair|${network}|${emailKey}`, pair],
        [[`network|${network}`, OF_NETWORK], [account, OF_ACCOUNT], ...(site === network ? [] : ofSite)],
      );
    },
    tryCode: (accountId) => begin([`code|${accountId}`, OF_CODE], []),
  };
}

function slowed(waitForMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitForMs / 1_000));
  return new ApiError('sign_in_slowed', {
    message: `Too many wrong passwords or codes. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    headers: { 'retry-after': String(seconds) },
  });
}
