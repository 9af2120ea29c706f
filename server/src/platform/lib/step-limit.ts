/** Thrown by `StepLimit` when the work takes more steps than it may. */
export class TooManySteps extends Error {
  constructor() {
    super('the work takes more steps than it may');
  }
}

/**
 * Counts the steps of some work and ends the work when it has taken too many. Steps do not depend on the machine or its load, so
 * the same work ends at the same place everywhere.
 */
export class StepLimit {
  #left: number;
  #more: (() => number) | undefined;

  /** `more` is asked once, when `steps` are used up: what it costs to know is paid only by work that needs it. */
  constructor(steps: number, more?: () => number) {
    this.#left = steps;
    this.#more = more;
  }

  get left(): number {
    return this.#left;
  }

  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#extend();
  }

  #extend(): void {
    const more = this.#more;
    this.#more = undefined;
    this.#left += more?.() ?? 0;
    if (this.#left < 0) throw new TooManySteps();
  }
}
