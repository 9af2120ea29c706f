import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the process may work before it lets other work run: requests that arrive meanwhile wait. */
const TIME_SLICE_MS = 8;

/** Divides work into time slices. How many players fit into one depends on the rules, so the time is measured. */
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

  /** Lets other work run, and begins the next time slice. */
  async giveWay(): Promise<void> {
    await nextTurn();
    this.#began = this.#clock();
  }
}
