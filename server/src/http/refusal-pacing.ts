import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Shorter than any `Retry-After`: a client that waits as it was told does not notice. */
const PAUSE_MS = 300;

/** What Node keeps of a connection below its streams: the HTTP parser reads from here, past `socket.pause()`. */
type Handle = { readStop(): void; readStart(): void };
type Paused = { socket: RefusedSocket; untilMs: number };
/** Kept on the socket itself: a map of thousands costs the garbage collector more. */
const REFUSED_AT = Symbol('since when the client could have come back after a refusal');
const HURRIES = Symbol('whether the client came back at once after its last refusal');
type RefusedSocket = Socket & { [REFUSED_AT]: number; [HURRIES]: boolean };

const NEVER = Number.NEGATIVE_INFINITY;

type PacingOptions = {
  /** One connection carries the requests of many clients, as that of a proxy does: no client is paused for what others do. */
  isShared?: boolean;
  pauseMs?: number;
  now?: () => number;
};

export type RefusalPacing = {
  /** Reports a request that is not refused, at least not yet. */
  letIn(request: IncomingMessage): void;
  /**
   * Reports a refused request. Its connection may be paused once the body has been read: the next request comes only after
   * the body.
   */
  pauseAfter(request: IncomingMessage): void;
};

/**
 * Stops reading from a connection for a moment after one of its requests was refused for overload, if its client came
 * back at once after an earlier refusal. Such clients would otherwise take half of the CPU with refusals. Each turn of the
 * event loop serves every connection with something to read, so it would take longer as well: accepted batches and new
 * connections would wait for the next turn. Pausing costs a quarter of a refusal, so clients that come back later than a
 * pause lasts are not paused.
 */
export function paceRefused(
  app: FastifyInstance,
  { isShared = false, pauseMs = PAUSE_MS, now = () => performance.now() }: PacingOptions = {},
): RefusalPacing {
  if (isShared) return { letIn() {}, pauseAfter() {} };
  /** In the order of their ends, because all pauses are of one length. */
  let paused: Paused[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  const resumeDue = (): void => {
    const nowMs = now();
    const due = paused.findIndex(({ untilMs }) => untilMs > nowMs);
    const resumed = due === -1 ? paused : paused.slice(0, due);
    paused = due === -1 ? [] : paused.slice(due);
    for (const { socket } of resumed) {
      socket[REFUSED_AT] = nowMs;
      handleOf(socket)?.readStart();
    }
    const next = paused[0];
    timer = next === undefined ? undefined : setTimeout(resumeDue, next.untilMs - nowMs);
  };
  const pause = (socket: RefusedSocket): void => {
    const handle = handleOf(socket);
    if (handle === undefined || isClosing) return;
    handle.readStop();
    paused.push({ socket, untilMs: now() + pauseMs });
    timer ??= setTimeout(resumeDue, pauseMs);
  };

  /** A request came: how soon after the last refusal, or after the pause that followed it? */
  const look = (socket: RefusedSocket, nowMs: number): void => {
    const refusedAt = socket[REFUSED_AT];
    if (refusedAt !== NEVER) socket[HURRIES] = nowMs - refusedAt < pauseMs;
  };
  const letIn = (request: IncomingMessage): void => {
    const socket = request.socket as RefusedSocket;
    look(socket, now());
    socket[REFUSED_AT] = NEVER;
  };
  const pauseAfter = (request: IncomingMessage): void => {
    const socket = request.socket as RefusedSocket;
    const nowMs = now();
    look(socket, nowMs);
    socket[REFUSED_AT] = nowMs;
    if (!socket[HURRIES]) return;
    if (request.complete) pause(socket);
    else request.once('end', () => pause(socket));
  };

  // Set on every socket at once: V8 runs code more slowly for objects of several shapes. If only refused sockets had these
  // properties, Node's own code would see sockets of two shapes.
  app.server.on('connection', (socket: RefusedSocket) => {
    socket[REFUSED_AT] = NEVER;
    socket[HURRIES] = false;
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
  return { letIn, pauseAfter };
}

function handleOf(socket: Socket): Handle | undefined {
  return socket.destroyed ? undefined : ((socket as Socket & { _handle?: Handle })._handle ?? undefined);
}
