import { OverloadedError, type QueueReason } from '../lib/overloaded-error.js';
import { Capacity } from './capacity.js';
import { type Before, Lanes } from './lanes.js';
import { SHARES } from './limits.js';
import { WaitEstimate, type WaitEstimateOptions } from './wait-estimate.js';

/**
 * Bounds how much work runs at once, lets the rest wait, and refuses what would wait too long.
 *
 *   expect ───────────────────► announced               (counted, so that a burst is refused before anything is spent on it)
 *                                  │
 *   run ──would wait too long──────┼──► refused         (OverloadedError, at once)
 *                                  │
 *     ──all capacity, or the ──► waiting ──signal──► gone        (never begun)
 *       key's part, is taken       │ the turn of its queue
 *     ──capacity is left───────► running ──► done
 *
 * Lanes say who is next, the capacity whether anybody may begin, the estimate how long that will take. The capacity of a slow
 * process is smaller: what runs at once should be finished in half of the time that a request may wait.
 */
export class AdmissionQueue {
  readonly #options: AdmissionQueueOptions;
  readonly #now: () => number;
  readonly #lanes = new Lanes<Waiting>();
  readonly #estimate: WaitEstimate;
  readonly #capacity: Capacity;
  /** Only while something waits: a new request checks for itself. */
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const estimate = new WaitEstimate(options, this.#now);
    const { capacity, minCapacity, stallTimeoutMs } = options;
    const size = () => Math.min(capacity, Math.max(minCapacity, estimate.finishableWeight / 2));
    this.#estimate = estimate;
    this.#capacity = new Capacity({ size, stallTimeoutMs, now: this.#now });
  }

  get waitingWeight(): number {
    return this.#lanes.waiting.weight;
  }

  get waitingRequests(): number {
    return this.#lanes.waiting.size;
  }

  /** Stalled requests included. */
  get runningWeight(): number {
    return this.#capacity.weight;
  }

  /** Weight finished per second, measured lately while requests waited. */
  get ratePerSecond(): number {
    return this.#estimate.rate.perMs * 1000;
  }

  /**
   * Why a request would be refused now, or undefined. Lets the caller ask early: before the body is read, or before the
   * sender is known.
   */
  refusal(weight: number, key?: string): QueueReason | undefined {
    return this.#refusal(weight, key, 'waiting and announced');
  }

  /** Counts a request that will soon be run, until the returned function is called. */
  expect(weight: number, key: string): () => void {
    const announced = { weight };
    this.#lanes.announced.append(key, announced, 0);
    return () => this.#lanes.announced.remove(key, announced);
  }

  /**
   * Settles as the work does. Rejects before the work begins: at once with OverloadedError when the request would wait too
   * long, or with the signal's reason when the signal aborts while the request waits. The signal is created only if the
   * request has to wait.
   */
  async run<T>(request: AdmissionRequest, work: () => Promise<T>): Promise<T> {
    const reason = this.#refusal(request.weight, request.key, 'waiting');
    if (reason !== undefined) throw new OverloadedError(reason);
    const mayBegin = this.#hasCapacity('waiting') && !this.#lanes.waiting.isHeld(request.key);
    const generation = mayBegin ? this.#begin(request, 0) : await this.#wait(request);
    try {
      return await work();
    } finally {
      this.#end(request, generation);
    }
  }

  #refusal(weight: number, key: string | undefined, before: Before): QueueReason | undefined {
    const { waiting } = this.#lanes;
    const hasCapacity = this.#hasCapacity(before);
    if (hasCapacity && (key === undefined || !waiting.isHeld(key))) return undefined;
    if (key !== undefined && this.#isOwnQueueFull(key, weight)) return 'own_line';
    if (waiting.weight + weight > this.#options.maxWaiting) return 'full';
    // The request waits only for requests of its own key. Their weight is bounded above; here their time is.
    if (hasCapacity)
      return key !== undefined && this.#isLate(waiting.headOf(key)?.since) ? 'own_line' : undefined;
    if (this.#isLate(waiting.nextSince())) return 'wait';
    const inFront = this.#capacity.weightInFront + this.#lanes.weightBefore(key, before);
    return inFront > this.#estimate.finishableWeight ? 'wait' : undefined;
  }

  /** A single request may always wait, however heavy it is. */
  #isOwnQueueFull(key: string, weight: number): boolean {
    const own = this.#lanes.loadOf(key);
    const maxWeight = SHARES.perKey * this.#estimate.finishableWeight;
    return (
      own.requests >= this.#options.maxRequestsPerKey || (own.requests > 0 && own.weight + weight > maxWeight)
    );
  }

  /** Whatever the estimate says: the first of a queue has waited too long already. */
  #isLate(since: number | undefined): boolean {
    return since !== undefined && this.#now() - since > this.#options.maxWaitMs;
  }

  /** While capacity is left, requests wait only for their own key. */
  #hasCapacity(before: Before): boolean {
    return !this.#lanes.waiting.hasNext && this.#capacity.hasRoom(this.#lanes.announcedWeight(before));
  }

  #wait({ key, weight, signal: givenSignal }: AdmissionRequest): Promise<number> {
    const { waiting } = this.#lanes;
    const signal = givenSignal?.();
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.remove(key, request);
        this.#watchForStall();
        reject(signal?.reason);
      };
      const begin = (generation: number): void => {
        signal?.removeEventListener('abort', leave);
        resolve(generation);
      };
      const request: Waiting = { key, weight, since: this.#now(), begin };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.append(key, request, request.since);
      // A key that waits only for itself says nothing about how much the process could do.
      if (waiting.hasNext) this.#estimate.rate.saturate();
      if (this.#stallTimer === undefined) this.#watchForStall();
    });
  }

  #begin(request: Keyed, waitedMs: number): number {
    const generation = this.#capacity.begin(request);
    if (!this.#capacity.hasRoomForKey(request.key)) this.#lanes.waiting.hold(request.key);
    this.#estimate.rate.begin(request.weight);
    this.#options.onBegin?.(waitedMs);
    return generation;
  }

  #end(request: Keyed, generation: number): void {
    this.#capacity.end(request, generation);
    if (this.#capacity.hasRoomForKey(request.key)) this.#lanes.waiting.release(request.key, this.#now());
    this.#estimate.rate.finish(request.weight);
    if (this.#lanes.waiting.hasNext) this.#letIn();
  }

  /** Starts one request of each queue in turn, while there is capacity. */
  #letIn(): void {
    const { waiting } = this.#lanes;
    while (this.#capacity.hasRoom()) {
      const now = this.#now();
      const request = waiting.takeNext(now);
      if (request === undefined) break;
      // Set here and not when the work resumes, so that no other request can start in between.
      request.begin(this.#begin(request, now - request.since));
    }
    if (waiting.hasNext) this.#estimate.rate.saturate();
    this.#watchForStall();
  }

  #watchForStall(): void {
    clearTimeout(this.#stallTimer);
    const look = (): void => {
      if (this.#capacity.isStalled()) this.#capacity.setStalledAside();
      this.#letIn();
    };
    const { stallTimeoutMs } = this.#options;
    this.#stallTimer = this.#lanes.waiting.hasNext ? setTimeout(look, stallTimeoutMs) : undefined;
  }
}

export type AdmissionQueueOptions = WaitEstimateOptions & {
  /** Largest weight that runs at once. */
  capacity: number;
  /** Smallest capacity, however slow the process is. */
  minCapacity: number;
  /** Largest weight of all queues: a bound on memory. */
  maxWaiting: number;
  /** Most requests in the queue of one key. */
  maxRequestsPerKey: number;
  /** When no request has ended for this long, running requests no longer count against the capacity. */
  stallTimeoutMs: number;
  /** Called for each request that begins, with the time it waited. */
  onBegin?: (waitedMs: number) => void;
  /** Milliseconds from any origin, monotonic as the default is. */
  now?: () => number;
};

type Keyed = { readonly key: string; readonly weight: number };

export type AdmissionRequest = Keyed & {
  signal?: () => AbortSignal;
};

type Waiting = Keyed & { readonly since: number; begin: (generation: number) => void };
