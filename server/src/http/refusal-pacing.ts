import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Shorter than any `Retry-After`: a client that waits as it was told does not notice. */
const PAUSE_MS = 250;
/** A client that comes back sooner than this after a refusal ignores `Retry-After`. */
const SOON_MS = 2 * PAUSE_MS;
/** For this long it is expected to do so again, also after a batch that was accepted in between. */
const REMEMBER_MS = 2_000;

/** What Node keeps of a connection below its streams: the HTTP parser reads from here, past `socket.pause()`. */
type Handle = { readStop(): void; readStart(): void };
type Paused = { socket: Socket; untilMs: number };
/** Kept on the socket itself: a map of thousands costs the garbage collector more. */
const REFUSED_AT = Symbol('when a request was last refused');
const HURRIED_AT = Symbol('when a request last came too soon after a refusal');
type RefusedSocket = Socket & { [REFUSED_AT]?: number; [HURRIED_AT]?: number };

const NEVER = Number.NEGATIVE_INFINITY;

type PacingOptions = {
  /** One connection carries the requests of many clients, as that of a proxy does: no client is paused for what others do. */
  isShared?: boolean;
  pauseMs?: number;
  soonMs?: number;
  rememberMs?: number;
  now?: () => number;
};

export type RefusalPacing = {
  /**
   * Reports a refused request. Its connection may be paused once the body has been read: the next request comes only after
   * the body.
   */
  pauseAfter(request: IncomingMessage): void;
};

/**
 * Stops reading from a connection for a moment after one of its requests was refused for overload, if its client has lately
 * ignored a refusal. Pausing costs a quarter of a refusal, so clients that wait as told are not paused. Clients that
 * ignore `Retry-After` would otherwise take half of the CPU with refusals. Each turn of the event loop serves every
 * connection with something to read, so it would take longer as well: accepted batches and new connections would wait for the
 * next turn.
 */
export function paceRefused(
  app: FastifyInstance,
  {
    isShared = false,
    pauseMs = PAUSE_MS,
    soonMs = SOON_MS,
    rememberMs = REMEMBER_MS,
    now = () => performance.now(),
  }: PacingOptions = {},
): RefusalPacing {
  if (isShared) return { pauseAfter() {} };
  /** In the order of their ends, because all pauses are of one length. */
  let paused: Paused[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  const resumeDue = (): void => {
    const nowMs = now();
    const due = paused.findIndex(({ untilMs }) => untilMs > nowMs);
    const resumed = due === -1 ? paused : paused.slice(0, due);
    paused = due === -1 ? [] : paused.slice(due);
    for (const { socket } of resumed) handleOf(socket)?.readStart();
    const next = paused[0];
    timer = next === undefined ? undefined : setTimeout(resumeDue, next.untilMs - nowMs);
  };
  const pause = (socket: Socket): void => {
    const handle = handleOf(socket);
    if (handle === undefined || isClosing) return;
    handle.readStop();
    paused.push({ socket, untilMs: now() + pauseMs });
    timer ??= setTimeout(resumeDue, pauseMs);
  };

  const pauseAfter = (request: IncomingMessage): void => {
    const socket: RefusedSocket = request.socket;
    const nowMs = now();
    if (nowMs - (socket[REFUSED_AT] ?? NEVER) < soonMs) socket[HURRIED_AT] = nowMs;
    socket[REFUSED_AT] = nowMs;
    if (nowMs - (socket[HURRIED_AT] ?? NEVER) >= rememberMs) return;
    if (request.complete) pause(socket);
    else request.once('end', () => pause(socket));
  };

  // Set on every socket at once: V8 runs code more slowly for objects of several shapes. If only refused sockets had these
  // properties, Node's own code would see sockets of two shapes.
  app.server.on('connection', (socket: RefusedSocket) => {
    socket[REFUSED_AT] = NEVER;
    socket[HURRIED_AT] = NEVER;
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
