import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a process may work on before others get their turn: requests that come meanwhile wait for it. */
const TIME_SLICE_MS = 8;

/** Work in time slices, measured by time: how much of it fits into one depends on the rules that somebody wrote. */
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
