import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../lib/clock.js';

/** Node writes whole seconds. */
const UNNOTICED_MS = 1_000;

/**
 * Node writes the `Date` of a response by the clock of the machine. Clients set their clocks by it, so it is the time of the
 * service where the two differ.
 */
export function registerResponseDate(app: FastifyInstance, clock: Clock): void {
  app.addHook('onRequest', (_request, reply, done) => {
    const nowMs = clock.now();
    if (Math.abs(nowMs - systemClock.now()) > UNNOTICED_MS) {
      reply.header('date', new Date(nowMs).toUTCString());
    }
    done();
  });
}
