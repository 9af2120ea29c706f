import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { OverloadedError, type QueueReason } from '../lib/overloaded-error.js';
import type { Settings } from '../settings/settings.js';
import type { Metrics } from '../telemetry/metrics.js';
import { AdmissionQueue, type AdmissionQueueOptions } from './admission-queue.js';
import { BATCHES, OVERHEAD, WEIGHTS } from './limits.js';
import { type Shedding, sendOverloaded } from './shedding.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the announcement of a batch to the admission queue. */
    endAnnouncement: (() => void) | undefined;
  }
}

type AdmissionLimits = Omit<AdmissionQueueOptions, 'maxWaitMs' | 'onBegin'>;

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
    ...BATCHES,
    overheadMs: () => OVERHEAD.loopTurns * shedding.lagMs() + arrivalMs,
    ...limits,
    maxWaitMs: settings.maxWaitMs,
    onBegin: (waitedMs) => metrics.intakeWait.observe({}, waitedMs / 1000),
  });
  metrics.watchIntake(queue);
  const weightOf = (request: Pick<IncomingMessage, 'headers'>) =>
    Math.min(announcedWeight(request), maxBodyBytes);

  return {
    /** By the headers alone, before the token is checked or the database is asked. */
    refusalOf: (request: IncomingMessage): QueueReason | undefined => queue.refusal(weightOf(request)),

    /** Once the sender is known, and before the database is asked about them. */
    announce(request: FastifyRequest, reply: FastifyReply, userId: string): void {
      const weight = weightOf(request);
      const reason = queue.refusal(weight, userId);
      if (reason !== undefined) throw REFUSALS[reason];
      request.endAnnouncement = queue.expect(weight, userId);
      // However the request ends.
      reply.raw.once('close', request.endAnnouncement);
    },

    /** An onRequest hook after the guard. A slow body must not hold a place in the queue meanwhile. */
    endAnnouncement(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
      request.endAnnouncement?.();
      done();
    },

    /** Runs the work when it is the player's turn; undefined if the client hung up before that. */
    async run<T>(
      reply: FastifyReply,
      { userId, bytes }: { userId: string; bytes: number },
      work: () => Promise<T>,
    ): Promise<T | undefined> {
      const weight = Math.max(bytes, WEIGHTS.min);
      arrivalMs += OVERHEAD.arrivalSmoothing * (reply.elapsedTime - arrivalMs);
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
  const weight = isPacked ? bytes * WEIGHTS.unpackFactor : bytes;
  return Math.max(weight || 0, WEIGHTS.min);
}

/**
 * A client that has hung up and one that has only closed its sending side look the same (see platform/http/half-close.ts), so neither
 * of them waits. The first receives nothing any more; the second gets 503 and sends its batch again.
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
