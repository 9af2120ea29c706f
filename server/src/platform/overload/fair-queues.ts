export type Weighted = { readonly weight: number };

/** `headSince`: since when its first item has been waiting for the turn of the queue, not for others of the queue. */
type Queue<T> = { items: T[]; weight: number; headSince: number };

export type Load = { readonly requests: number; readonly weight: number };
const NO_LOAD: Load = { requests: 0, weight: 0 };

/**
 * One queue per key, first in, first out. The queues take turns, one item each: however many items a key has in its queue, the
 * others wait for one of them at most. A key can be held: its items wait, and its queue has no turn until it is released.
 */
export class FairQueues<T extends Weighted> {
  /** Queues that are not empty, the one whose turn it is first. */
  readonly #queues = new Map<string, Queue<T>>();
  /** Queues of held keys, also empty ones. */
  readonly #held = new Map<string, Queue<T>>();
  #size = 0;
  #weight = 0;
  #headWeight = 0;

  /** Items in all queues, held ones too. */
  get size(): number {
    return this.#size;
  }

  /** Weight of all queues, held ones too. */
  get weight(): number {
    return this.#weight;
  }

  /** Whether a queue waits for its turn. */
  get hasNext(): boolean {
    return this.#queues.size > 0;
  }

  /** Weight of the first item of each queue that has turns: what comes before a newcomer whose queue is empty. */
  get headWeight(): number {
    return this.#headWeight;
  }

  loadOf(key: string): Load {
    const queue = this.#find(key);
    return queue === undefined ? NO_LOAD : { requests: queue.items.length, weight: queue.weight };
  }

  /** The item of the key that is next, also while the key is held. */
  headOf(key: string): T | undefined {
    return this.#find(key)?.items[0];
  }

  /** Since when the queue whose turn is next has been waiting for it; undefined if there is none. */
  nextSince(): number | undefined {
    for (const { headSince } of this.#queues.values()) return headSince;
    return undefined;
  }

  append(key: string, item: T, now: number): void {
    const queue = this.#find(key) ?? this.#open(key, now);
    queue.items.push(item);
    queue.weight += item.weight;
    if (queue.items.length === 1 && !this.isHeld(key)) this.#headWeight += item.weight;
    this.#weight += item.weight;
    this.#size++;
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  /** From now on the queue of the key has no turn. */
  hold(key: string): void {
    if (this.#held.has(key)) return;
    const queue = this.#queues.get(key) ?? emptyQueue(0);
    this.#queues.delete(key);
    this.#headWeight -= queue.items[0]?.weight ?? 0;
    this.#held.set(key, queue);
  }

  /** The queue takes turns again, and is the last now. */
  release(key: string, now: number): void {
    const queue = this.#held.get(key);
    this.#held.delete(key);
    const head = queue?.items[0];
    if (queue === undefined || head === undefined) return;
    queue.headSince = now;
    this.#queues.set(key, queue);
    this.#headWeight += head.weight;
  }

  /** The first item of the queue whose turn it is. That queue is the last then. */
  takeNext(now: number): T | undefined {
    for (const [key, queue] of this.#queues) {
      const item = queue.items[0];
      if (item === undefined) continue;
      this.remove(key, item);
      if (queue.items.length > 0) {
        queue.headSince = now;
        this.#queues.delete(key);
        this.#queues.set(key, queue);
      }
      return item;
    }
    return undefined;
  }

  /** Does nothing if the item is not in the queue. */
  remove(key: string, item: T): void {
    const queue = this.#find(key);
    const index = queue?.items.indexOf(item) ?? -1;
    if (queue === undefined || index === -1) return;
    if (index === 0 && !this.isHeld(key)) this.#headWeight += (queue.items[1]?.weight ?? 0) - item.weight;
    queue.items.splice(index, 1);
    queue.weight -= item.weight;
    this.#weight -= item.weight;
    this.#size--;
    if (queue.items.length === 0) this.#queues.delete(key);
  }

  #find(key: string): Queue<T> | undefined {
    return this.#queues.get(key) ?? this.#held.get(key);
  }

  #open(key: string, now: number): Queue<T> {
    const queue = emptyQueue<T>(now);
    this.#queues.set(key, queue);
    return queue;
  }
}

function emptyQueue<T>(headSince: number): Queue<T> {
  return { items: [], weight: 0, headSince };
}
