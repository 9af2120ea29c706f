import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { OverloadedError, type OverloadReason } from '../lib/overloaded-error.js';
import type { Settings } from '../settings/settings.js';
import type { Metrics } from '../telemetry/metrics.js';
import { AdmissionQueue, type AdmissionQueueOptions } from './admission-queue.js';
import { type Shedding, sendOverloaded } from './shedding.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the announcement of a batch to the admission queue. */
    hasArrived: (() => void) | undefined;
  }
}

type AdmissionLimits = Omit<AdmissionQueueOptions, 'maxWaitMs' | 'onBegin'>;

/** By weight, which is bytes. Batches that wait are bytes; those that run have been decoded. */
const LIMITS: AdmissionLimits = {
  /**
   * Decoded, 500 events are a few thousand objects, which the garbage collector copies for as long as they are there: see
   * docs/performance.md. Two groups in the database and a third that gathers fit in.
   */
  capacity: 655_360,
  /** Two small groups: with less, one waits for the other, and a slow worker becomes even slower. */
  minCapacity: 262_144,
  /** A bound on memory only: at the usual rates, the time to wait is reached far sooner. */
  maxWaiting: 12_582_912,
  /** More than a client sends at once. */
  maxRequestsPerKey: 16,
  /** A group takes 20 to 150 ms. When none has ended for longer, those that run wait for something else, such as a lock. */
  stallTimeoutMs: 250,
  /** 2 MB a second: what a worker on a slow core stores. Measured within a quarter of a second of load. */
  initialRatePerMs: 2_048,
};
/** The least weight of a request. */
const MIN_WEIGHT = 1_024;
/** Events are repetitive: this is what they usually unpack to. */
const UNPACKS_TO = 8;

/** A batch waits for the event loop twice: until it is read, and until its result is. */
const LOOP_TURNS = 2;

/** Weight of the newest request in the average: a slow one says little about the next. */
const ARRIVAL_SMOOTHING = 0.05;

/** Created once: a stack trace for each would cost more than the rest of a refusal. */
const REFUSALS = {
  wait: new OverloadedError('wait'),
  own_line: new OverloadedError('own_line'),
  full: new OverloadedError('full'),
};
/** Why a request no longer waits: its client has hung up. */
const HUNG_UP = Symbol('the client hung up');

type AdmissionContext = Readonly<{
  settings: Pick<Settings, 'maxWaitMs'>;
  metrics: Metrics;
  shedding: Shedding;
}>;

export type EventAdmission = ReturnType<typeof createEventAdmission>;

/** Leads a batch to its turn. Each step refuses a batch that would wait too long as early and as cheaply as possible. */
export function createEventAdmission(
  { settings, metrics, shedding }: AdmissionContext,
  { maxBodyBytes }: { maxBodyBytes: number },
  limits: Partial<AdmissionLimits> = {},
) {
  /** Time from the socket to the queue: the token, the session and the body. */
  let arrivalMs = 0;
  const queue = new AdmissionQueue({
    ...LIMITS,
    overheadMs: () => LOOP_TURNS * shedding.lagMs() + arrivalMs,
    ...limits,
    maxWaitMs: settings.maxWaitMs,
    onBegin: (waitedMs) => metrics.intakeWait.observe({}, waitedMs / 1000),
  });
  metrics.watchIntake(queue);
  const weightOf = (request: Pick<IncomingMessage, 'headers'>) =>
    Math.min(announcedWeight(request), maxBodyBytes);

  return {
    /** By the headers alone, before the token is checked or the database is asked. */
    refusalOf: (request: IncomingMessage): OverloadReason | undefined => queue.refusal(weightOf(request)),

    /** Once the sender is known, and before the database is asked about them. */
    announce(request: FastifyRequest, reply: FastifyReply, userId: string): void {
      const weight = weightOf(request);
      const reason = queue.refusal(weight, userId);
      if (reason !== undefined) throw REFUSALS[reason];
      request.hasArrived = queue.expect(weight, userId);
      // However the request ends.
      reply.raw.once('close', request.hasArrived);
    },

    /** An onRequest hook after the guard. A slow body must not hold a place in the queue meanwhile. */
    awaitBody(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
      request.hasArrived?.();
      done();
    },

    /** Runs the work when it is the player's turn; undefined if the client hung up before that. */
    async run<T>(
      reply: FastifyReply,
      { userId, bytes }: { userId: string; bytes: number },
      work: () => Promise<T>,
    ): Promise<T | undefined> {
      const weight = Math.max(bytes, MIN_WEIGHT);
      arrivalMs += ARRIVAL_SMOOTHING * (reply.elapsedTime - arrivalMs);
      try {
        return await queue.run({ key: userId, weight, signal: () => hangUpSignal(reply) }, work);
      } catch (error) {
        if (error !== HUNG_UP) throw error;
        shedding.refused('hung_up');
        return undefined;
      }
    },
  };
}

function announcedWeight({ headers }: Pick<IncomingMessage, 'headers'>): number {
  const bytes = Number(headers['content-length'] ?? 0);
  const isPacked = headers['content-encoding'] !== undefined;
  const weight = isPacked ? bytes * UNPACKS_TO : bytes;
  return Math.max(weight || 0, MIN_WEIGHT);
}

/**
 * A client that has hung up and one that has only closed its sending side look the same (see http/half-close.ts), so neither
 * of them waits in line. The first receives nothing any more; the second gets 503 and sends its batch again.
 */
export function respondAfterHangUp(reply: FastifyReply): FastifyReply {
  return reply.raw.destroyed ? reply.hijack() : sendOverloaded(reply.request, reply, 'data');
}

function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const { socket } = raw.req;
  // The client may have gone while its body was read.
  if (raw.destroyed || socket.readableEnded) return AbortSignal.abort(HUNG_UP);
  const controller = new AbortController();
  const hangUp = () => controller.abort(HUNG_UP);
  // Pipelined requests of one connection wait side by side: their number is no leak.
  socket.setMaxListeners(0);
  socket.once('end', hangUp);
  raw.once('close', () => {
    socket.off('end', hangUp);
    // Once the response has been sent, the request waits for nothing, so the listener is removed.
    hangUp();
  });
  return controller.signal;
}
