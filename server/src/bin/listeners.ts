import type { Worker } from 'node:cluster';
import type { Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import { promisify } from 'node:util';

/**
 * Node accepts one connection per listener in a turn of the event loop, and under full load a turn takes 20 to 100 ms. With one
 * listener, 600 clients that came at once waited for up to three seconds before a worker had seen their first request.
 */
const LISTENERS = 16;
/** How often a worker that waits for its first copy looks whether the primary is still there. */
const LOOK_MS = 1_000;

type Message = { type?: string };
type Handle = { close(): void } & Parameters<Worker['send']>[1];

const MESSAGE = { type: 'listener' };

/**
 * Gives a worker more listeners of the socket that it listens on. A process cannot copy a listener of its own, but one that is
 * sent to another process arrives there as a copy. So the primary sends copies back.
 *
 *   worker ──its listener──► primary ──a copy, several times──► worker
 */
export function returnListeners(worker: Worker): void {
  worker.on('message', (message: Message, handle: unknown) => {
    if (!isListener(message, handle)) return;
    let unsent = LISTENERS - 1;
    const close = () => {
      worker.off('exit', close);
      handle.close();
    };
    const sent = () => {
      unsent--;
      if (unsent === 0) close();
    };
    // What was not sent to a worker that dies is never reported, and an open listener would keep the port.
    worker.once('exit', close);
    for (let copies = unsent; copies > 0; copies--) worker.send(MESSAGE, handle, sent);
  });
}

/**
 * Call it when the server listens. The returned function closes the copies, and resolves when the last connection that they
 * accepted has ended.
 */
export function addListeners(server: Server): () => Promise<void> {
  const copies = new Set<NetServer>();
  let isClosing = false;
  // A listener that the primary has not taken keeps Node from noticing that the primary is gone.
  const look = setInterval(() => {
    if (!process.connected) process.exit(1);
  }, LOOK_MS);
  look.unref();
  process.on('message', (message: Message, handle: unknown) => {
    if (!isListener(message, handle)) return;
    clearInterval(look);
    if (isClosing) return handle.close();
    // With the options that Node gives a server of HTTP.
    const copy = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      server.emit('connection', socket);
    });
    // One listener less: the others go on.
    copy.on('error', () => copies.delete(copy));
    copies.add(copy.listen(handle));
  });
  process.send?.(MESSAGE, (server as unknown as { _handle: Handle })._handle);
  return async () => {
    isClosing = true;
    await Promise.all([...copies].map((copy) => promisify(copy.close.bind(copy))()));
  };
}

function isListener(message: Message, handle: unknown): handle is Handle {
  return message.type === MESSAGE.type && handle !== undefined;
}
