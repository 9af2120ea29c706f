import { OVERHEAD } from './limits.js';

const BEAT_MS = OVERHEAD.lagBeatMs;

/**
 * How long something waits now before the event loop comes round to it: what the process cannot see otherwise of requests that
 * wait in their sockets. The larger of how late the last beat was and how late the next one already is.
 */
export class LoopLag {
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #lastBeat: number;
  #lateMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#lastBeat = now();
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  get ms(): number {
    return Math.max(this.#lateMs, this.#now() - this.#lastBeat - BEAT_MS, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = this.#now();
    this.#lateMs = now - this.#lastBeat - BEAT_MS;
    this.#lastBeat = now;
  }
}
