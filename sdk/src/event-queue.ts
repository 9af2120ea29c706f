import { type Batch, bytesOf, endOf, eventBytes } from './event-batch.js';
import { createQueueStore, type QueueState } from './queue-store.js';
import { randomId } from './random-id.js';
import type { SavepointStorage, Transaction } from './storage/storage.js';
import { makeRoom } from './storage-policy.js';

export type TakenBatch = Batch & { place: number };

/** What the service said about a batch; `good` are the events that it did not reject. */
export type Settlement = { accepted?: number; duplicates?: number; good?: readonly string[] };

type Options = {
  storage: SavepointStorage;
  prefix: string;
  maxEvents: number;
  maxBytes: number;
  maxStoredBytes: number;
  onDropped(events: readonly string[]): void;
  /** A part of what was stored is damaged, and was left out. */
  onDamaged(what: string): void;
};

export type EventQueue = {
  /** Numbers and stores events. Says whether a batch is full. */
  add(events: readonly string[]): Promise<boolean>;
  /** The oldest batch, marked as sent; undefined where nothing waits. */
  take(): Promise<TakenBatch | undefined>;
  /**
   * The batch that is being filled, without asking the storage: for a page that is about to close. Nothing is added to it any
   * more.
   */
  takeLast(): TakenBatch | undefined;
  /** Undoes `take`: the service has not processed the batch. */
  release(batch: TakenBatch): Promise<void>;
  /** Forgets a batch that the service has responded to. */
  settle(batch: TakenBatch, settlement: Settlement): Promise<void>;
  /** The storage may be a copy: starts a new installation, once for each session that was refused. */
  startInstall(refusedSession: string): Promise<void>;
  /** The storage is no copy, as far as the client can know. */
  trust(): Promise<void>;
  /** Forgets all events, and starts a new installation: the player of these is gone. */
  clear(): Promise<void>;
  /** Whether nothing waits. */
  isEmpty(): Promise<boolean>;
};

/** The service takes 256 gaps an installation; after this many a new one is started. */
const MAX_GAPS = 200;
/** One such batch may have been delivered twice by the network; two in a row are another copy's numbers. */
const MAX_SUSPICIONS = 2;

/**
 * The queue of events, in a storage that other tabs use too. An event is numbered in the transaction that stores it, so tabs share
 * one sequence: the order of the transactions is the order of the events.
 *
 * A copy of the storage (a backup restored on a second phone) would use the same numbers for other events, and the service would
 * take those for duplicates. So a copy has to start a new installation (`install`). A copy is noticed by its place (`identity`), by the
 * session that both copies try to refresh (`startInstall`), or by numbers that were taken before they were ever sent (`settle`).
 * The last happens only while both copies are in use. Two batches may be lost then, because a network that delivers a request twice
 * looks the same, and such a request must not count twice. Batches from before the start keep their names: both copies have them, and they
 * count once.
 */
export function createEventQueue(options: Options): EventQueue {
  const { maxEvents, maxBytes } = options;
  const { change, get, put, remove, startInstall } = createQueueStore(options);
  const run = randomId();
  /** The batch that is being filled, as it was last stored. */
  let last: TakenBatch | undefined;
  /** The last batch that was taken from memory: the storage may not know that it was sent. */
  let takenLast = -1;

  const append = async (tx: Transaction, state: QueueState, events: readonly string[]) => {
    let place = state.end - 1;
    let tail = await get(tx, place);
    const isOurs = tail?.run === run && tail.tries === 0 && tail.install === state.install;
    // Its last events may have been damaged: their numbers must not be used again.
    if (!isOurs || (tail !== undefined && endOf(tail) !== state.next)) tail = undefined;
    let isFull = false;
    for (const event of events) {
      const bytes = eventBytes(event);
      if (tail !== undefined && (tail.events.length >= maxEvents || tail.bytes + bytes > maxBytes)) {
        put(tx, place, tail);
        tail = undefined;
      }
      if (tail === undefined) {
        place = state.end++;
        tail = { install: state.install, first: state.next, events: [], bytes: 0, tries: 0, run };
      }
      tail.events.push(event);
      tail.bytes += bytes;
      state.next++;
      state.bytes += bytes;
      isFull ||= tail.events.length >= maxEvents || tail.bytes + bytes > maxBytes;
    }
    if (tail !== undefined) put(tx, place, tail);
    return { isFull, tail: tail && { ...tail, events: [...tail.events], place } };
  };

  const mark = (place: number) =>
    change(async (tx) => {
      const batch = await get(tx, place);
      if (batch !== undefined) put(tx, place, { ...batch, tries: batch.tries + 1 });
    });

  const dropSome = async (tx: Transaction, state: QueueState): Promise<string[]> => {
    const places: number[] = [];
    const batches: Batch[] = [];
    for (let place = state.head; place < state.end; place++) {
      const batch = await get(tx, place);
      if (batch === undefined || batch.tries > 0) continue;
      places.push(place);
      batches.push(batch);
    }
    const { kept, dropped, bytes } = makeRoom(batches, state.bytes - options.maxStoredBytes * 0.9);
    for (const [index, place] of places.entries()) {
      const batch = kept[index];
      if (batch === undefined) remove(tx, place);
      else if (batch !== batches[index]) put(tx, place, batch);
    }
    state.bytes -= bytes;
    if (dropped.length > 0 && ++state.gaps > MAX_GAPS) await startInstall(tx, state, state.end);
    return dropped;
  };

  return {
    async add(events) {
      const { added, dropped } = await change(async (tx, state) => ({
        added: await append(tx, state, events),
        dropped: state.bytes > options.maxStoredBytes ? await dropSome(tx, state) : [],
      }));
      last = dropped.length > 0 ? undefined : added.tail;
      if (dropped.length > 0) options.onDropped(dropped);
      return added.isFull;
    },

    takeLast() {
      const taken = last;
      last = undefined;
      if (taken !== undefined) {
        takenLast = taken.place;
        // If there is time for it.
        mark(taken.place).catch(() => {});
      }
      return taken;
    },

    // Durable: after a power cut the client must still know that the batch was sent.
    async take() {
      const taken = await change(async (tx, state) => {
        for (; state.head < state.end; state.head++) {
          const batch = await get(tx, state.head);
          if (batch === undefined) continue;
          const tried = { ...batch, tries: batch.tries + 1 };
          put(tx, state.head, tried);
          return { ...tried, place: state.head };
        }
        // Exact again: the bytes of what was damaged are not known.
        state.bytes = 0;
        return undefined;
      }, true);
      if (taken?.place === last?.place) last = undefined;
      return taken;
    },

    release: ({ place, tries }) =>
      change(async (tx) => {
        const batch = await get(tx, place);
        // Unless another tab has sent the batch, too.
        if (batch?.tries === tries) put(tx, place, { ...batch, tries: tries - 1 });
      }),

    settle: ({ place, events: sent }, { accepted = 0, duplicates = 0, good = [] }) =>
      change(async (tx, state) => {
        const batch = await get(tx, place);
        // Another tab has sent the batch, too, and was faster.
        if (batch === undefined) return;
        // Events were added while the batch was taken from memory. It is sent again; the service recognises those that it has.
        if (batch.events.length !== sent.length) return;
        remove(tx, place);
        if (state.head === place) state.head++;
        state.bytes -= batch.bytes;
        // Duplicates prove a copy only in a batch that this client alone has sent, and sent once.
        const isOurs = batch.tries === 1 && batch.run === run && place > takenLast;
        if (!isOurs || duplicates === 0) {
          if (accepted > 0) state.suspicions = 0;
        } else if (accepted > 0) {
          // A copy has used these numbers. The service takes a request as a whole or not at all: where some of its events were
          // accepted, the others are no second delivery of this request. A copy sends in order, too, so it had the first numbers.
          const events = good.slice(0, duplicates);
          const bytes = bytesOf(events);
          put(tx, place, { ...batch, events, bytes, tries: 0 });
          state.head = Math.min(state.head, place);
          state.bytes += bytes;
          await startInstall(tx, state, place);
        } else if (++state.suspicions >= MAX_SUSPICIONS) await startInstall(tx, state, state.end);
      }),

    startInstall: (refusedSession) =>
      change(async (tx, state) => {
        if (state.refused === refusedSession) return;
        state.refused = refusedSession;
        await startInstall(tx, state, state.uncheckedFrom ?? state.end);
      }),
    trust: () =>
      change(async (_tx, state) => {
        delete state.uncheckedFrom;
      }),
    async clear() {
      last = undefined;
      await change(async (tx, state) => {
        for (let place = state.head; place < state.end; place++) remove(tx, place);
        state.head = state.end;
        state.bytes = 0;
        await startInstall(tx, state, state.end);
      });
    },
    isEmpty: () => change(async (_tx, state) => state.head >= state.end),
  };
}
