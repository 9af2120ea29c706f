import { type Batch, endOf, readBatch, soundOnly, writeBatch } from './event-batch.js';
import { isObject } from './http.js';
import { randomId } from './random-id.js';
import type { SavepointStorage, Transaction } from './storage/storage.js';
import { createCopies } from './storage/stored-value.js';

/** The batches `head` to `end - 1` wait, apart from those that were emptied. */
export type QueueState = {
  install: string;
  /** The number of the next event. */
  next: number;
  head: number;
  end: number;
  bytes: number;
  /** How often events of this installation were dropped, each time leaving a gap in its numbers. */
  gaps: number;
  /** Batches in a row whose numbers were all taken, though they were never sent before. */
  suspicions: number;
  /** The first batch of events that were tracked before the client knew whether its storage is a copy. */
  uncheckedFrom?: number;
  /** The session that was refused last. */
  refused?: string;
  /** Of the storage, where it can tell copies apart. */
  identity?: string;
  /** The memory that stood in for the storage when this was stored last. */
  outage?: string;
};

type Options = {
  storage: SavepointStorage;
  prefix: string;
  /** A part of what was stored is damaged, and was left out. */
  onDamaged(what: string): void;
};

export type QueueStore = {
  /** Runs `work` in a transaction, and stores what it has changed in the state. */
  change<T>(work: (tx: Transaction, state: QueueState) => Promise<T>, durable?: boolean): Promise<T>;
  /** A batch without what is damaged. */
  get(tx: Transaction, place: number): Promise<Batch | undefined>;
  put(tx: Transaction, place: number, batch: Batch): void;
  remove(tx: Transaction, place: number): void;
  /**
   * Starts an installation. Batches from `from` on move to it. Batches that were sent stay, and so do those before them: a number
   * that is missing in between would look like a lost event.
   */
  startInstall(tx: Transaction, state: QueueState, from: number): Promise<void>;
};

/**
 * The stored state of the queue and its batches, of which any may be damaged.
 *
 * A number must never be given to two events: the service would take the second for a duplicate. Which numbers were given is not known for
 * certain where the state is damaged, where it is older than the batches beside it, and after a run in which the storage refused
 * writes. So a new installation is started as soon as any of these is noticed.
 */
export function createQueueStore(options: Options): QueueStore {
  const { storage, prefix } = options;
  const copies = createCopies({ keys: [`${prefix}queue`, `${prefix}queue:copy`], isValid: isQueueState });
  const keyOf = (place: number) => `${prefix}batch:${place}`;
  let isOpen = false;
  /** What was found damaged, and is not reported yet. */
  const damaged = new Set<string>();

  const change = async <T>(
    work: (tx: Transaction, state: QueueState) => Promise<T>,
    durable?: boolean,
  ): Promise<T> => {
    const identity = isOpen ? undefined : await storage.identity?.();
    const result = await storage.transact(async (tx) => {
      const { value: kept, isDamaged } = await copies.load(tx);
      if (isDamaged) damaged.add('the state of the queue');
      const state = await open(tx, kept, isDamaged, identity);
      const value = await work(tx, state);
      if (isDamaged || JSON.stringify(state) !== JSON.stringify(kept)) copies.save(tx, state);
      return value;
    }, durable);
    isOpen = true;
    for (const what of damaged) options.onDamaged(what);
    damaged.clear();
    return result;
  };

  const open = async (
    tx: Transaction,
    kept: QueueState | undefined,
    isDamaged: boolean,
    identity: string | undefined,
  ): Promise<QueueState> => {
    const { outage } = storage;
    const state = {
      ...(kept ?? newState()),
      ...(identity !== undefined && { identity }),
      ...(outage !== undefined && { outage }),
    };
    const isStarting = !isOpen && kept !== undefined;
    if (isStarting) state.uncheckedFrom ??= state.end;
    const isOld = (isStarting || isDamaged) && (await addUnknown(tx, state));
    const isElsewhere = kept?.identity !== state.identity || kept?.outage !== state.outage;
    if (isDamaged || isOld || (kept !== undefined && isElsewhere)) await startInstall(tx, state, state.end);
    return state;
  };

  /** Adds batches that the state does not know, because a transaction was interrupted. Says whether the state is older than its batches. */
  const addUnknown = async (tx: Transaction, state: QueueState): Promise<boolean> => {
    const tail = await get(tx, state.end - 1);
    let isOld = tail?.install === state.install && endOf(tail) > state.next;
    for (let next = await get(tx, state.end); next !== undefined; next = await get(tx, state.end)) {
      isOld = true;
      state.bytes += next.bytes;
      state.end++;
    }
    return isOld;
  };

  /** A batch without what is damaged. Only the sound part is stored from now on, so the damage is reported once. */
  const get = async (tx: Transaction, place: number): Promise<Batch | undefined> => {
    const text = await tx.get(keyOf(place));
    if (text === undefined) return undefined;
    const { batch, isDamaged } = readBatch(text);
    if (isDamaged) {
      damaged.add(`batch ${place}`);
      if (batch === undefined) remove(tx, place);
      else put(tx, place, batch);
    }
    return batch;
  };
  const put = (tx: Transaction, place: number, batch: Batch) => tx.set(keyOf(place), writeBatch(batch));
  const remove = (tx: Transaction, place: number) => tx.delete(keyOf(place));

  const startInstall = async (tx: Transaction, state: QueueState, from: number) => {
    state.install = randomId();
    state.next = 1;
    state.gaps = state.suspicions = 0;
    delete state.uncheckedFrom;
    let moving: [number, Batch][] = [];
    for (let place = Math.max(from, state.head); place < state.end; place++) {
      const batch = await get(tx, place);
      if (batch === undefined) continue;
      if (batch.tries > 0) moving = [];
      else moving.push([place, batch]);
    }
    for (const [place, batch] of moving) {
      const events = soundOnly(batch.events);
      put(tx, place, { ...batch, install: state.install, first: state.next, events });
      state.next += events.length;
    }
  };

  return { change, get, put, remove, startInstall };
}

function newState(): QueueState {
  return { install: randomId(), next: 1, head: 0, end: 0, bytes: 0, gaps: 0, suspicions: 0 };
}

function isQueueState(value: unknown): value is QueueState {
  if (!isObject(value) || typeof value.install !== 'string') return false;
  const { next, head, end, bytes, gaps, suspicions } = value;
  return [next, head, end, bytes, gaps, suspicions].every(Number.isSafeInteger);
}
