import { OverloadedError, type OverloadReason } from '../lib/overloaded-error.js';
import { DrainRate } from './drain-rate.js';
import { FairLines } from './fair-lines.js';

/**
 * Bounds how much work runs at once, lets the rest wait in line, and refuses what would wait too long. Every key has a line
 * of its own, and the lines take turns: whoever sends much waits behind themselves, not in front of everybody else. For the
 * same reason a key may use a part of the capacity only: the others find room, whatever one of them sends.
 *
 *   expect ───────────────────► arriving                (counted, so that a burst is refused before anything is spent on it)
 *                                  │
 *   run ──would wait too long──────┼──► refused         (OverloadedError, at once)
 *                                  │
 *     ──all capacity, or the ──► waiting ──signal──► gone        (never begun)
 *       key's part, is taken       │ the turn of its line
 *     ──capacity is left───────► running ──► done
 *                                  │ nothing has moved for stallTimeoutMs
 *                                  └──► stuck ──► done  (takes no capacity)
 *
 * How long a request will wait is the weight before it divided by the rate at which weight was finished lately. The same rate
 * shrinks the capacity of a slow process: what runs at once should be finished in half of the time that a request may wait.
 */
export class AdmissionQueue {
  readonly #options: AdmissionQueueOptions;
  readonly #now: () => number;
  readonly #rate: DrainRate;
  readonly #lines = new FairLines<Waiting>();
  /** Requests that were announced and have not run yet, in lines of their own, so that they count per key. */
  readonly #arriving = new FairLines<Announced>();
  /** Running weight by key, stuck requests included. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #stuck = 0;
  /** Fires when nothing has ended for a while: all requests that run are stuck then. */
  #generation = 0;
  #movedAt = 0;
  /** Only while something waits: a new request checks for itself. */
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#rate = new DrainRate(options.initialRatePerMs, this.#now);
  }

  get waitingWeight(): number {
    return this.#lines.weight;
  }

  get waitingRequests(): number {
    return this.#lines.size;
  }

  /** Stuck requests included. */
  get runningWeight(): number {
    return this.#running + this.#stuck;
  }

  /** Weight finished per second, measured lately while requests waited. */
  get ratePerSecond(): number {
    return this.#rate.perMs * 1000;
  }

  /**
   * Why a request would be refused now, or undefined. Lets the caller ask early: before the body is read, or before the
   * sender is known.
   */
  refusal(weight: number, key?: string): OverloadReason | undefined {
    return this.#refusal(weight, key, this.#arriving);
  }

  /** Counts a request that will soon be run, until the returned function is called. */
  expect(weight: number, key: string): () => void {
    const announced = { weight };
    this.#arriving.append(key, announced, 0);
    return () => this.#arriving.remove(key, announced);
  }

  /**
   * Settles as the work does. Rejects before the work begins: at once with OverloadedError when the request would wait too
   * long, or with the signal's reason when the signal aborts while the request waits. The signal is created only if the
   * request has to wait.
   */
  async run<T>(request: AdmissionRequest, work: () => Promise<T>): Promise<T> {
    const reason = this.#refusal(request.weight, request.key, NONE_ARRIVING);
    if (reason !== undefined) throw new OverloadedError(reason);
    const isFree = this.#hasCapacity(0) && !this.#lines.isHeld(request.key);
    const generation = isFree ? this.#begin(request, 0) : await this.#wait(request);
    try {
      return await work();
    } finally {
      this.#end(request, generation);
    }
  }

  /** `arriving` are the announced requests that come before this one. */
  #refusal(weight: number, key: string | undefined, arriving: Arriving): OverloadReason | undefined {
    const hasCapacity = this.#hasCapacity(arriving.weight);
    if (hasCapacity && (key === undefined || !this.#lines.isHeld(key))) return undefined;
    const { maxWaiting, maxWaitMs } = this.#options;
    const hasOwnLine =
      key !== undefined && this.#lines.loadOf(key).requests + arriving.loadOf(key).requests > 0;
    if (key !== undefined && this.#isOwnLineFull(key, weight)) return 'own_line';
    if (this.#lines.weight + weight > maxWaiting) return 'full';
    // The request waits only for requests of its own key. Their weight is bounded elsewhere; here their time is.
    if (hasCapacity) return key !== undefined && this.#isOwnLineLate(key) ? 'own_line' : undefined;
    const nextSince = this.#lines.nextSince();
    if (nextSince !== undefined && this.#now() - nextSince > maxWaitMs) return 'wait';
    // Lines take turns, so a newcomer waits for the first of each. Behind requests of its own it waits for more.
    const before = hasOwnLine
      ? this.#lines.weight + arriving.weight
      : this.#lines.headWeight + arriving.headWeight;
    const stuck = Math.min(this.#stuck, this.#capacity());
    return stuck + this.#running + before > this.#maxWeight() ? 'wait' : undefined;
  }

  /** A single request may always wait, however heavy it is. */
  #isOwnLineFull(key: string, weight: number): boolean {
    const waiting = this.#lines.loadOf(key);
    const arriving = this.#arriving.loadOf(key);
    const requests = waiting.requests + arriving.requests;
    const total = waiting.weight + arriving.weight + weight;
    return (
      requests >= this.#options.maxRequestsPerKey ||
      (requests > 0 && total > MAX_SHARE_PER_KEY * this.#maxWeight())
    );
  }

  /** The first request of the line has waited too long: what the key already runs may be stuck behind a lock. */
  #isOwnLineLate(key: string): boolean {
    const head = this.#lines.headOf(key);
    return head !== undefined && this.#now() - head.since > this.#options.maxWaitMs;
  }

  /**
   * While capacity is left, requests wait only for their own key. A request that ends lets others begin until no capacity is
   * left.
   */
  #hasCapacity(arriving: number): boolean {
    if (this.#lines.hasNext) return false;
    const capacity = this.#capacity();
    if (this.#running >= capacity && this.#isStalled()) this.#endGeneration();
    return this.#running + arriving < capacity;
  }

  #capacity(): number {
    const { capacity, minCapacity } = this.#options;
    return Math.min(capacity, Math.max(minCapacity, this.#maxWeight() / 2));
  }

  /** Like the capacity, this limit may be exceeded by the last request that begins, so a single request always fits. */
  #capacityPerKey(): number {
    return MAX_SHARE_PER_KEY * this.#capacity();
  }

  /** The weight that can be finished within the maximum wait, less the overhead of a request. */
  #maxWeight(): number {
    const { maxWaitMs, overheadMs } = this.#options;
    return this.#rate.perMs * Math.max(0, maxWaitMs - (overheadMs?.() ?? 0));
  }

  #wait({ key, weight, signal: givenSignal }: AdmissionRequest): Promise<number> {
    const signal = givenSignal?.();
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#lines.remove(key, request);
        this.#watchForStall();
        reject(signal?.reason);
      };
      const begin = (generation: number): void => {
        signal?.removeEventListener('abort', leave);
        resolve(generation);
      };
      const request: Waiting = { key, weight, since: this.#now(), begin };
      signal?.addEventListener('abort', leave, { once: true });
      this.#lines.append(key, request, request.since);
      // A key that waits only for itself says nothing about how much the process could do.
      if (this.#lines.hasNext) this.#rate.saturate();
      if (this.#stallTimer === undefined) this.#watchForStall();
    });
  }

  #begin({ key, weight }: Keyed, waitedMs: number): number {
    const running = (this.#runningOf.get(key) ?? 0) + weight;
    this.#runningOf.set(key, running);
    if (running >= this.#capacityPerKey()) this.#lines.hold(key);
    this.#running += weight;
    this.#movedAt = this.#now();
    this.#rate.begin(weight);
    this.#options.onBegin?.(waitedMs);
    return this.#generation;
  }

  #end({ key, weight }: Keyed, generation: number): void {
    const running = (this.#runningOf.get(key) ?? 0) - weight;
    if (running > 0) this.#runningOf.set(key, running);
    else this.#runningOf.delete(key);
    this.#movedAt = this.#now();
    if (running < this.#capacityPerKey()) this.#lines.release(key, this.#movedAt);
    if (generation === this.#generation) this.#running -= weight;
    else this.#stuck -= weight;
    this.#rate.finish(weight);
    if (this.#lines.hasNext) this.#letIn();
  }

  /** Starts one request of each line in turn, while there is capacity. */
  #letIn(): void {
    const capacity = this.#capacity();
    while (this.#running < capacity) {
      const now = this.#now();
      const request = this.#lines.takeNext(now);
      if (request === undefined) break;
      // Set here and not when the work resumes, so that no other request can start in between.
      request.begin(this.#begin(request, now - request.since));
    }
    if (this.#lines.hasNext) this.#rate.saturate();
    this.#watchForStall();
  }

  #watchForStall(): void {
    clearTimeout(this.#stallTimer);
    const look = (): void => {
      if (this.#isStalled()) this.#endGeneration();
      this.#letIn();
    };
    this.#stallTimer = this.#lines.hasNext ? setTimeout(look, this.#options.stallTimeoutMs) : undefined;
  }

  #isStalled(): boolean {
    return (
      this.#now() - this.#movedAt >= this.#options.stallTimeoutMs &&
      this.#stuck < MAX_STUCK * this.#capacity()
    );
  }

  /** The running requests wait for something of their own, such as a lock. They no longer count against the capacity. */
  #endGeneration(): void {
    this.#generation++;
    this.#stuck += this.#running;
    this.#running = 0;
    this.#movedAt = this.#now();
  }
}

/** Share of the waiting weight and of the running weight that one key may have. */
const MAX_SHARE_PER_KEY = 0.25;
/**
 * Factor of the capacity that may be stuck. Beyond it nothing begins until something ends: the whole database stands still
 * then, not one lock.
 */
const MAX_STUCK = 2;

export type AdmissionQueueOptions = {
  /** Largest weight that runs at once. Another request begins while less than this is running, so one request may exceed it. */
  capacity: number;
  /** Smallest capacity, however slow the process is. */
  minCapacity: number;
  /** Longest estimated time until everything in front of a request is finished. */
  maxWaitMs: number;
  /** The part of that time that a request spends before it reaches the queue. Default 0. */
  overheadMs?: () => number;
  /** Largest weight of all lines: a bound on memory. */
  maxWaiting: number;
  /** Most requests in the line of one key. */
  maxRequestsPerKey: number;
  /** When no request has ended for this long, running requests no longer count against the capacity. */
  stallTimeoutMs: number;
  /** Weight per millisecond that is assumed before the first measurement. */
  initialRatePerMs: number;
  /** Called for each request that begins, with the time it waited. */
  onBegin?: (waitedMs: number) => void;
  /** Milliseconds from any origin, monotonic as the default is. */
  now?: () => number;
};

type Keyed = { readonly key: string; readonly weight: number };

export type AdmissionRequest = Keyed & {
  signal?: () => AbortSignal;
};

type Announced = { readonly weight: number };
type Arriving = Pick<FairLines<Announced>, 'weight' | 'headWeight' | 'loadOf'>;
const NONE_ARRIVING: Arriving = new FairLines<Announced>();
type Waiting = Keyed & { readonly since: number; begin: (generation: number) => void };
