import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Shorter than any `Retry-After`: a client that waits as it was told does not notice. */
const PAUSE_MS = 200;
/** A client that comes back sooner than this after a refusal is expected to do so again. */
const SOON_MS = 2 * PAUSE_MS;

/** What Node keeps of a connection below its streams: the HTTP parser reads from here, past `socket.pause()`. */
type Handle = { readStop(): void; readStart(): void };
type Paused = { socket: Socket; untilMs: number };
/** When a request of this connection was last refused, on the socket itself: a map of thousands costs the garbage collector more. */
const REFUSED_AT = Symbol('refused at');
type RefusedSocket = Socket & { [REFUSED_AT]?: number };

export type RefusalPacing = {
  /**
   * Reports a refused request. Its connection may be paused once the body has been read: the next request comes only after
   * the body.
   */
  pauseAfter(request: IncomingMessage): void;
};

/**
 * Stops reading from a connection for a moment after one of its requests was refused for overload, if its client has just
 * ignored an earlier refusal. Pausing costs a quarter of a refusal, so clients that wait as told are not paused. Clients that
 * ignore `Retry-After` would otherwise take half of the CPU with refusals. Each turn of the event loop serves every
 * connection with something to read, so it would take longer as well: accepted batches and new connections would wait for the
 * next turn.
 */
export function paceRefused(
  app: FastifyInstance,
  { pauseMs = PAUSE_MS, soonMs = SOON_MS }: { pauseMs?: number; soonMs?: number } = {},
): RefusalPacing {
  /** In the order of their ends, because all pauses are of one length. */
  let paused: Paused[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  const resumeDue = (): void => {
    const now = performance.now();
    const due = paused.findIndex(({ untilMs }) => untilMs > now);
    const resumed = due === -1 ? paused : paused.slice(0, due);
    paused = due === -1 ? [] : paused.slice(due);
    for (const { socket } of resumed) handleOf(socket)?.readStart();
    const next = paused[0];
    timer = next === undefined ? undefined : setTimeout(resumeDue, next.untilMs - now);
  };
  const pause = (socket: Socket): void => {
    const handle = handleOf(socket);
    if (handle === undefined || isClosing) return;
    handle.readStop();
    paused.push({ socket, untilMs: performance.now() + pauseMs });
    timer ??= setTimeout(resumeDue, pauseMs);
  };

  const pauseAfter = (request: IncomingMessage): void => {
    const socket: RefusedSocket = request.socket;
    const now = performance.now();
    const isSoon = now - (socket[REFUSED_AT] ?? Number.NEGATIVE_INFINITY) < soonMs;
    socket[REFUSED_AT] = now;
    if (!isSoon) return;
    if (request.complete) pause(socket);
    else request.once('end', () => pause(socket));
  };

  // Set on every socket at once: V8 runs code more slowly for objects of several shapes. If only refused sockets had this
  // property, Node's own code would see sockets of two shapes.
  app.server.on('connection', (socket: RefusedSocket) => {
    socket[REFUSED_AT] = Number.NEGATIVE_INFINITY;
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.isShed) pauseAfter(request.raw);
    done();
  });
  app.addHook('onClose', async () => {
    // A paused connection would not notice that its client hangs up, and the worker would wait for it.
    isClosing = true;
    clearTimeout(timer);
    for (const { socket } of paused) handleOf(socket)?.readStart();
  });
  return { pauseAfter };
}

function handleOf(socket: Socket): Handle | undefined {
  return socket.destroyed ? undefined : ((socket as Socket & { _handle?: Handle })._handle ?? undefined);
}
