import type { Server } from 'node:http';

/** Less than a request takes, and enough for another process to wake up. */
const PAUSE_MS = 0.05;
/** A worker that is behind takes no pause: the others are not idle either, or they are faster anyway. */
const MAX_LAG_MS = 10;

/**
 * All workers accept connections from one socket. Whoever wakes up first would take all that have just arrived, and keep them for
 * as long as their clients play; so each lets the others have a go after every connection.
 *
 * The usual way, where the primary accepts connections and hands them to the workers in turn, is not used: Node hands over one and
 * waits until the worker has taken it, which a worker does once in a turn of its event loop. With 4,000 connections at once under
 * full load the last ones waited for ten seconds.
 */
export function takeTurns(server: Server, lagMs: () => number): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  server.on('connection', () => {
    if (lagMs() < MAX_LAG_MS) Atomics.wait(never, 0, 0, PAUSE_MS);
  });
}
