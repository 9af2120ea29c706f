import type { RateLimitConfig } from '../config.js';
import { ApiError } from '../errors.js';
import { createRateLimiter, rateLimitHeader, rateLimitPolicyHeader } from '../lib/rate-limiter.js';

/** One limit: `take` counts a request and throws a 429 when it is one too many; otherwise it gives the headers to send. */
export type Limit = { take(key: string): Record<string, string> };

/**
 * The limits of one worker. They protect the service from a runaway client, not from players: each counts one device or
 * one player, and an address only ever for its failures.
 */
export type RateLimits = Readonly<{ login: Limit; failures: Limit; player: Limit }>;

const WINDOW_SECONDS = 60;
/** About 100 bytes each. */
const MAX_KEYS = 100_000;

export function createRateLimits(config: RateLimitConfig, onLimited: (limit: string) => void): RateLimits {
  const limit = (name: string, quota: number): Limit => {
    if (!config.enabled) return { take: () => ({}) };
    const limiter = createRateLimiter({ quota, windowSeconds: WINDOW_SECONDS, maxKeys: MAX_KEYS });
    const policy = rateLimitPolicyHeader(name, quota, WINDOW_SECONDS);
    return {
      take(key) {
        const result = limiter.take(key);
        const headers = { 'ratelimit-policy': policy, ratelimit: rateLimitHeader(name, result) };
        if (result.allowed) return headers;
        onLimited(name);
        throw new ApiError('rate_limited', {
          headers: { ...headers, 'retry-after': String(result.retryAfterSeconds) },
        });
      },
    };
  };
  return Object.freeze({
    login: limit('login', config.loginsPerDevice),
    failures: limit('failures', config.failuresPerAddress),
    player: limit('player', config.requestsPerPlayer),
  });
}
