import { SHARES } from './limits.js';

type CapacityOptions = {
  /** Largest weight that runs at once. Changes with the measured rate. */
  size: () => number;
  /** When nothing has moved for this long, running requests no longer count against the capacity. */
  stallTimeoutMs: number;
  now: () => number;
};

type Keyed = { readonly key: string; readonly weight: number };

/**
 * What runs, in all and by key. Another request may begin while less than the size is running, so one request may exceed it
 * and a single request always fits.
 *
 *   begin ──► running ──► end
 *               │ nothing has begun or ended for stallTimeoutMs
 *               └──► stalled ──► end       (takes no capacity: it waits for something of its own, such as a lock)
 */
export class Capacity {
  readonly #options: CapacityOptions;
  /** Stalled requests included. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #stalled = 0;
  /** Goes up when all that runs is stalled: a request of an earlier generation is stalled. */
  #generation = 0;
  #movedAt = 0;

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** Stalled requests included. */
  get weight(): number {
    return this.#running + this.#stalled;
  }

  /** Whether another request may begin, when so much will begin before it. */
  hasRoom(before = 0): boolean {
    const running = this.#isFullOfStalled() ? 0 : this.#running;
    return running + before < this.#options.size();
  }

  /** What a newcomer waits for. Stalled requests may end at any time, but more of them than the capacity do not count. */
  get weightInFront(): number {
    const [running, stalled] = this.#isFullOfStalled() ? [0, this.weight] : [this.#running, this.#stalled];
    return running + Math.min(stalled, this.#options.size());
  }

  /** A key may use a part of the capacity only: the others find room, whatever one of them sends. */
  hasRoomForKey(key: string): boolean {
    return (this.#runningOf.get(key) ?? 0) < SHARES.perKey * this.#options.size();
  }

  isStalled(): boolean {
    const { size, stallTimeoutMs, now } = this.#options;
    return now() - this.#movedAt >= stallTimeoutMs && this.#stalled < SHARES.stalled * size();
  }

  /** Returns the generation of the request, which `end` needs. */
  begin({ key, weight }: Keyed): number {
    if (this.#isFullOfStalled()) this.setStalledAside();
    this.#runningOf.set(key, (this.#runningOf.get(key) ?? 0) + weight);
    this.#running += weight;
    this.#movedAt = this.#options.now();
    return this.#generation;
  }

  end({ key, weight }: Keyed, generation: number): void {
    const running = (this.#runningOf.get(key) ?? 0) - weight;
    if (running > 0) this.#runningOf.set(key, running);
    else this.#runningOf.delete(key);
    if (generation === this.#generation) this.#running -= weight;
    else this.#stalled -= weight;
    this.#movedAt = this.#options.now();
  }

  /** All that runs no longer counts against the capacity. */
  setStalledAside(): void {
    this.#generation++;
    this.#stalled += this.#running;
    this.#running = 0;
    this.#movedAt = this.#options.now();
  }

  #isFullOfStalled(): boolean {
    return this.#running >= this.#options.size() && this.isStalled();
  }
}
