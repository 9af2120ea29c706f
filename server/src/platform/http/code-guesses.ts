import { ApiError } from '../errors.js';
import { parseNetwork, SITE_BITS, SUBNET_BITS } from '../lib/parse-network.js';
import {
  createRateLimiter,
  type RateLimitResult,
  rateLimitHeader,
  rateLimitPolicyHeader,
} from '../lib/rate-limiter.js';

/**
 * Limits wrong codes on the pages on which players ask for erasure, in the memory of one worker.
 *
 *   more than 20 a minute from a network ──► refused
 *   up to 300 a minute for a game ──► looked up
 *   beyond these 300 ──► looked up only for a network that has sent few wrong codes, and for a few codes of its site
 *
 * A flood of guesses therefore closes the page for the networks that it comes from, and for no other: a network that has sent no wrong
 * code has three tries at any time. This adds a few guesses an hour for each network of an attacker, which are nothing beside the
 * number of codes.
 */
export type CodeGuesses = {
  /**
   * Counts a code before it is looked up, so that guesses at the same time count as well.
   *
   * @returns what undoes it, for a code that is right
   * @throws ApiError `rate_limited`
   */
  take(address: string | undefined, gameId: number): () => void;
};

type Rule = Readonly<{ name: string; quota: number; windowSeconds: number }>;

const OF_NETWORK: Rule = { name: 'network-guesses', quota: 20, windowSeconds: 60 };
/** More people than this do not misspell their codes at a time; a million codes are safe for years at this rate. */
const OF_GAME: Rule = { name: 'game-guesses', quota: 300, windowSeconds: 60 };
const KEPT_FOR_NETWORK: Rule = { name: 'kept-guesses', quota: 3, windowSeconds: 3_600 };
/** Of IPv6: a site has 65,536 networks. */
const KEPT_FOR_SITE: Rule = { name: 'kept-guesses-of-site', quota: 10, windowSeconds: 3_600 };
/** Of each rule, 17 MB. Where there are more, the networks with the fewest wrong codes are forgotten first. */
const MAX_KEYS = 100_000;

export function createCodeGuesses(onLimited: (limit: string) => void, clock?: () => number): CodeGuesses {
  const limiterOf = (rule: Rule) => ({
    ...rule,
    ...createRateLimiter({ ...rule, maxKeys: MAX_KEYS, ...(clock && { clock }) }),
  });
  const ofNetwork = limiterOf(OF_NETWORK);
  const ofGame = limiterOf(OF_GAME);
  const keptForNetwork = limiterOf(KEPT_FOR_NETWORK);
  const keptForSite = limiterOf(KEPT_FOR_SITE);

  return {
    take(address, gameId) {
      const network = parseNetwork(address, SUBNET_BITS);
      const game = String(gameId);
      const own = [ofNetwork, network] as const;
      const kept = [keptForNetwork, network] as const;
      const isCrowded = !ofGame.peek(game).allowed;
      const needed = isCrowded
        ? [own, kept, [keptForSite, parseNetwork(address, SITE_BITS)] as const]
        : [own, [ofGame, game] as const];
      for (const [limiter, key] of needed) {
        const result = limiter.peek(key);
        if (result.allowed) continue;
        onLimited(limiter.name);
        throw rateLimited(limiter, result);
      }
      // A network that takes part in a flood has nothing kept for it.
      const counted = isCrowded ? needed : [...needed, kept];
      const undo = counted.map(([limiter, key]) =>
        limiter.take(key).allowed ? () => limiter.giveBack(key, 1) : () => {},
      );
      return () => {
        for (const each of undo) each();
      };
    },
  };
}

function rateLimited({ name, quota, windowSeconds }: Rule, result: RateLimitResult): ApiError {
  const seconds = result.retryAfterSeconds;
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new ApiError('rate_limited', {
    message: `Too many wrong codes. Try again in ${wait}.`,
    headers: {
      'ratelimit-policy': rateLimitPolicyHeader(name, quota, windowSeconds),
      ratelimit: rateLimitHeader(name, result),
      'retry-after': String(seconds),
    },
  });
}
