import { SavepointError } from './errors.js';
import { batchBody, soundOnly } from './event-batch.js';
import type { EventQueue, TakenBatch } from './event-queue.js';
import { errorDetails, isObject, type Reply, toError } from './http.js';
import { ifUnlocked } from './locks.js';
import type { Sessions } from './session.js';
import type { Session } from './stored-session.js';
import { runLater } from './timers.js';
import type { Transport } from './transport.js';

type Rejection = { index: number; code: string; message: string };

type Options = {
  queue: EventQueue;
  /** Names the lock under which one tab sends at a time; false where there are no other tabs. */
  lock: () => string | false;
  intervalMs: number;
  sessions: Pick<Sessions, 'get' | 'renew'>;
  transport: Pick<Transport, 'postEvents'>;
  onRejected(event: string, code: string, message: string): void;
  onError(error: SavepointError): void;
};

export type EventSender = {
  /** Something waits: sends it soon, or at once where a batch is full. */
  wake(isFull: boolean): void;
  /** Sends all that waits, unless the service asked to wait. Settles when it is sent or has failed. */
  flush(): Promise<void>;
  /** The page may be about to close: sends the last batch from memory, as there is no time to read the storage. */
  flushLast(): void;
  /** The network is back. */
  retryNow(): void;
  stop(): void;
};

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 300_000;

/**
 * Sends batches one at a time, oldest first.
 *
 *     idle ──wake──► waiting for more ──full, or the interval──► sending ──nothing left──► idle
 *                                                                   │ ▲
 *                            429, 503, 5xx, 408, 401, no response ──┘ └── back-off, Retry-After
 */
export function createEventSender(options: Options): EventSender {
  const { queue, sessions, transport } = options;
  /** The session that the last batch was sent with. A read may have a newer session by now. */
  let sentWith: Session | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let isAskedAgain = false;
  let failures = 0;
  let notBefore = 0;
  let isStopped = false;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (isStopped) return;
    timer = runLater(() => {
      timer = undefined;
      void flush();
    }, ms);
  };

  const flush = (): Promise<void> => {
    if (sending === undefined) sending = send();
    else isAskedAgain = true;
    return sending;
  };

  const send = async () => {
    try {
      await sendAll();
    } catch (error) {
      fail(error);
    }
    sending = undefined;
  };

  const sendAll = async () => {
    do {
      isAskedAgain = false;
      const isOurs = await ifUnlocked(options.lock(), drain);
      // Another tab is sending. It may have read the queue for the last time before these events were stored.
      if (!isOurs) schedule(options.intervalMs);
    } while (isAskedAgain && failures === 0 && !isStopped);
  };

  const drain = async () => {
    if (await queue.isEmpty()) {
      failures = 0;
      return;
    }
    for (let isRefused = false; !isStopped; ) {
      if (Date.now() < notBefore) return schedule(notBefore - Date.now());
      // First: without a session the storage may turn out to be a copy, and only batches that were never sent can move to a new installation.
      await sessions.get();
      const batch = await queue.take();
      if (batch === undefined) {
        failures = 0;
        return;
      }
      const reply = await post(batch, false);
      if (reply.status === 401 && !isRefused) {
        isRefused = true;
        await queue.release(batch);
        await sessions.renew(sentWith);
      } else if (await settle(batch, reply)) isRefused = false;
      else return;
    }
  };

  const post = async (batch: TakenBatch, isLast: boolean): Promise<Reply> => {
    sentWith = await sessions.get();
    return transport.postEvents(sentWith, batch, batchBody(batch), isLast);
  };

  /** Says whether the batch is finished. */
  const settle = async (batch: TakenBatch, reply: Reply): Promise<boolean> => {
    const events = soundOnly(batch.events);
    const outcome = outcomeOf(reply, events);
    if (outcome === undefined) {
      fail(toError(reply));
      return false;
    }
    failures = 0;
    await queue.settle(batch, outcome);
    for (const { index, code, message } of outcome.rejected) {
      const event = events[index];
      if (event !== undefined) options.onRejected(event, code, message);
    }
    return true;
  };

  const fail = (error: unknown) => {
    const known = error instanceof SavepointError ? error : undefined;
    options.onError(known ?? new SavepointError('storage_failed', 'The storage failed.', { cause: error }));
    // Sending stops here. The next login starts it again.
    if (known?.code === 'logged_out') {
      failures++;
      return;
    }
    const ceiling = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++);
    const askedMs = (known?.retryAfterSeconds ?? 0) * 1000;
    // Half of the wait is random, so that clients do not all come back at once after an outage.
    const waitMs = Math.max(askedMs, ceiling / 2) + (Math.random() * ceiling) / 2;
    notBefore = askedMs > 0 ? Date.now() + askedMs : 0;
    schedule(waitMs);
  };

  return {
    flush,
    flushLast() {
      const last = Date.now() < notBefore ? undefined : queue.takeLast();
      if (last !== undefined) {
        post(last, true)
          .then((reply) => settle(last, reply))
          .catch(fail);
      }
      void flush();
    },
    wake(isFull) {
      if (isFull && failures === 0) void flush();
      else if (timer === undefined) schedule(options.intervalMs);
    },
    retryNow() {
      if (failures > 0) schedule(0);
      failures = 0;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

type Outcome = { accepted?: number; duplicates?: number; good: string[]; rejected: Rejection[] };

/** What the response means for the batch; undefined where the batch has to be sent again. */
function outcomeOf(reply: Reply, events: readonly string[]): Outcome | undefined {
  const { status, body } = reply;
  if (status >= 200 && status < 300) {
    // A page of a captive portal is no acknowledgement.
    if (!reply.isEmpty && !isObject(body)) return undefined;
    const { accepted, duplicates, rejected } = (body ?? {}) as Partial<Outcome>;
    const list = Array.isArray(rejected) ? rejected : [];
    const bad = new Set(list.map(({ index }) => index));
    return {
      ...(typeof accepted === 'number' && { accepted }),
      ...(typeof duplicates === 'number' && { duplicates }),
      good: events.filter((_, index) => !bad.has(index)),
      rejected: list,
    };
  }
  if (status < 400 || status >= 500 || [401, 408, 429].includes(status)) return undefined;
  const details = errorDetails(reply);
  // Not an error of the service but of a proxy in between.
  if (typeof details?.code !== 'string') return undefined;
  const { code, message } = toError(reply);
  const rejected = Array.isArray(details.rejected)
    ? (details.rejected as Rejection[])
    : events.map((_, index) => ({ index, code, message }));
  return { good: [], rejected };
}
