import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a process may work before other work gets its turn: requests that arrive meanwhile wait for it. */
const TIME_SLICE_MS = 8;

/** Work in time slices. How much fits into one depends on the studio's rules, so it is measured by time. */
export class TimeSlice {
  readonly #clock: () => number;
  #began: number;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#began = clock();
  }

  get isOver(): boolean {
    return this.#clock() - this.#began >= TIME_SLICE_MS;
  }

  /** Lets others have their turn, and begins the next one. */
  async giveWay(): Promise<void> {
    await nextTurn();
    this.#began = this.#clock();
  }
}
