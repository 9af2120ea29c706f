/**
 * Work that may take long, divided into steps: it yields after each of them, and whoever runs it may let other work run in between.
 * One step is short, however large the work is.
 */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps without a break. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
