import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.js';
import { parseNetwork } from '../lib/parse-network.js';
import { createRateLimiter, rateLimitHeader, rateLimitPolicyHeader } from '../lib/rate-limiter.js';
import type { RateLimitSettings } from '../settings/settings.js';
import { type CodeGuesses, createCodeGuesses } from './code-guesses.js';

export type LimitHeaders = Readonly<Record<string, string>>;

/** One limit: `take` counts and throws a 429 when it is too much; otherwise it gives the headers to send. */
export type Limit = {
  take(key: string, units?: number): LimitHeaders;
  giveBack(key: string, units: number): void;
};

/**
 * The limits of one worker. They protect the service from a runaway client, not from players: each counts one device or
 * one player, and a network only ever for its failures.
 */
export type RateLimits = Readonly<{
  login: Limit;
  failures: Limit;
  player: Limit;
  events: Limit;
  eventBytes: Limit;
  /** Requests and events of a server key. */
  server: Limit;
  serverEvents: Limit;
  /** Wrong codes on the pages on which players ask for erasure. */
  codeGuesses: CodeGuesses;
}>;

const WINDOW_SECONDS = 60;
/** About 100 bytes each. */
const MAX_KEYS = 100_000;

export function createRateLimits(
  settings: RateLimitSettings,
  onLimited: (limit: string) => void,
): RateLimits {
  const limit = (name: string, quota: number, unit?: string): Limit => {
    if (!settings.enabled) return { take: () => ({}), giveBack: () => {} };
    const limiter = createRateLimiter({ quota, windowSeconds: WINDOW_SECONDS, maxKeys: MAX_KEYS });
    const policy = rateLimitPolicyHeader(name, quota, WINDOW_SECONDS, unit);
    return {
      giveBack: limiter.giveBack,
      take(key, units) {
        const result = limiter.take(key, units);
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
    login: limit('login', settings.loginsPerDevice),
    failures: ofNetworks(limit('failures', settings.failuresPerAddress)),
    player: limit('player', settings.requestsPerPlayer),
    events: limit('events', settings.eventsPerPlayer, 'events'),
    eventBytes: limit('event-bytes', settings.eventBytesPerPlayer, 'content-bytes'),
    server: limit('server', settings.requestsPerServerKey),
    serverEvents: limit('server-events', settings.eventsPerServerKey, 'events'),
    codeGuesses: settings.enabled ? createCodeGuesses(onLimited) : { take: () => () => {} },
  });
}

/** Counts the network of the address that is given: a client of IPv6 has more addresses than a limit could count. */
function ofNetworks({ take, giveBack }: Limit): Limit {
  return {
    take: (address, units) => take(parseNetwork(address), units),
    giveBack: (address, units) => giveBack(parseNetwork(address), units),
  };
}

/** Adds the headers of one more limit to those that a response carries already: each is a list. */
export function addLimitHeaders(reply: FastifyReply, headers: LimitHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    const others = reply.getHeader(name);
    reply.header(name, others === undefined ? value : `${others}, ${value}`);
  }
}
