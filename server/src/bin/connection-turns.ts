import type { Server } from 'node:http';

/** Less than a request takes, and enough for another process to wake up. */
const PAUSE_MS = 0.05;
/** A worker that is behind takes no pause: the other workers are busy as well, or accept faster anyway. */
const MAX_LAG_MS = 10;

/**
 * All workers accept connections from one socket. The worker that wakes up first would take all new connections, and keep
 * them for as long as their clients play. So each worker pauses after every connection to let the others accept.
 *
 * The usual way, where the primary accepts connections and hands them to the workers in turn, is not used: Node hands over
 * one and waits until the worker has taken it, which a worker does once in a turn of its event loop. With 4,000 connections
 * at once under full load the last ones waited for ten seconds.
 */
export function takeTurns(server: Server, lagMs: () => number): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  server.on('connection', () => {
    if (lagMs() < MAX_LAG_MS) Atomics.wait(never, 0, 0, PAUSE_MS);
  });
}
