import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, errorBody } from '../errors.js';
import type { OverloadReason } from '../lib/overloaded-error.js';
import type { Metrics } from '../telemetry/metrics.js';
import { InFlightLimit, type InFlightOptions } from './in-flight-limit.js';
import { IN_FLIGHT, QUIET_MS, RETRY_AFTER } from './limits.js';
import { LoopLag } from './loop-lag.js';
import { RetryAfter } from './retry-after.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request was refused for overload, or its client hung up: counted, but not logged one by one. */
    isShed: boolean | undefined;
  }
}

/** Why a request was not handled: the reasons of an overload, or that the client hung up while the request waited. */
export type ShedReason = OverloadReason | 'hung_up';

/**
 * Load shedding of one worker: what is refused for overload is counted, and logged when it begins and when it has ended.
 *
 *   calm ──a request is refused: one line──► shedding ──none for QUIET_MS: one line──► calm
 */
export type Shedding = {
  refused(reason: ShedReason): void;
  /** What the client of a refused request is told; counts the client as one that will come back. */
  retryAfterSeconds(): number;
  /** How long requests wait in their sockets now, before this process has seen them. */
  lagMs(): number;
  stop(): void;
};

export function createShedding({ metrics, logger }: { metrics: Metrics; logger: Logger }): Shedding {
  const lag = new LoopLag();
  /** Each counter with its label looked up in advance, which is most of what counting costs. */
  const counters = new Map<ShedReason, { inc(): void }>();
  const counterOf = (reason: ShedReason) => {
    const counter = counters.get(reason) ?? metrics.shedRequests.labels({ reason });
    counters.set(reason, counter);
    return counter;
  };
  let refused = 0;
  let begunAt = 0;
  let lastAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const endWhenQuiet = (): void => {
    if (performance.now() - lastAt < QUIET_MS) return;
    clearInterval(timer);
    timer = undefined;
    const seconds = Math.round((lastAt - begunAt) / 1000);
    logger.warn({ refused, seconds }, 'overload has ended: requests are no longer refused');
  };

  return {
    refused(reason) {
      counterOf(reason).inc();
      if (reason === 'hung_up') return;
      lastAt = performance.now();
      refused++;
      if (timer !== undefined) return;
      refused = 1;
      begunAt = lastAt;
      timer = setInterval(endWhenQuiet, QUIET_MS);
      timer.unref();
      logger.warn({ reason }, 'overload: requests are refused with 503 and Retry-After until it ends');
    },
    retryAfterSeconds: () => COME_BACK.requests.next(),
    lagMs: () => lag.ms,
    stop() {
      lag.stop();
      clearInterval(timer);
    },
  };
}

const UNAVAILABLE = new ApiError('unavailable');
const BODIES = {
  auth: JSON.stringify(errorBody(UNAVAILABLE, '/auth/')),
  data: JSON.stringify(errorBody(UNAVAILABLE, '/v1/')),
};
/** The 503 of an overload without the cost of an error: no stack trace, no log line, a prepared body. */
export const OVERLOADED = {
  status: UNAVAILABLE.status,
  bodies: BODIES,
  bodyBytes: { auth: Buffer.byteLength(BODIES.auth), data: Buffer.byteLength(BODIES.data) },
};
/** When the clients of this worker's refusals come back. */
export const COME_BACK = {
  requests: new RetryAfter(RETRY_AFTER.requests),
  batches: new RetryAfter(RETRY_AFTER.batches),
};

export const overloadedHeaders = (retryAfter: RetryAfter) => ({
  'retry-after': String(retryAfter.next()),
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
});

/** For requests that Fastify already has. Where a request can be refused earlier, see early-refusal.ts. */
export function sendOverloaded(
  request: FastifyRequest,
  reply: FastifyReply,
  form: keyof typeof BODIES,
): FastifyReply {
  request.isShed = true;
  const headers = overloadedHeaders(COME_BACK.requests);
  return reply.code(OVERLOADED.status).headers(headers).send(OVERLOADED.bodies[form]);
}

type LimitOptions = Pick<InFlightOptions, 'maxWaitMs' | 'now' | 'overheadMs'> & {
  shedding: Shedding;
  form: keyof typeof BODIES;
};

/** An onRequest hook, before any other work: refuses requests while those in flight take longer than `maxWaitMs`. */
export function limitInFlight({ shedding, form, ...options }: LimitOptions) {
  const limit = new InFlightLimit({ ...IN_FLIGHT, overheadMs: shedding.lagMs, ...options });
  const leave = () => limit.leave();
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (!limit.tryEnter()) {
      shedding.refused('wait');
      sendOverloaded(request, reply, form);
      return;
    }
    // Not onResponse: it is not called when the client hangs up.
    reply.raw.once('close', leave);
    done();
  };
}
