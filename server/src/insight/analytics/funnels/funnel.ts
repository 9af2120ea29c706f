/** Types of events that players go through one after the other, within a time that is counted from the first. */
export type Funnel = Readonly<{
  /** Two to six types; a type may stand in several steps. */
  steps: readonly string[];
  windowHours: number;
}>;

/** How far one player came. */
export type Passage = Readonly<{
  /** How many steps the player completed; 0 without the first step. */
  depth: number;
  /** The first step of the attempt that came this far, of several the earliest; in microseconds. */
  enteredAt: number;
}>;

const HOUR_US = 3_600_000_000;

/**
 * Follows one player through a funnel: `add` the events of the steps in the order of their times. Each step must be later than the
 * one before, and all of them at most the window later than the first. Every first step is an attempt; the furthest one counts.
 *
 * For each step only the latest attempt that has completed it is remembered: what an earlier attempt could still reach in time, a
 * later one can reach, too. So the memory does not depend on the number of events.
 */
export function createPassage({ steps, windowHours }: Funnel, endUs: number) {
  const windowUs = windowHours * HOUR_US;
  /** By step: when the latest attempt that has completed it began. */
  const starts: (number | undefined)[] = steps.map(() => undefined);
  let best: Passage = { depth: 0, enteredAt: 0 };
  /** Events of one instant are taken together, because none of them is later than another. */
  let instant = { at: Number.NEGATIVE_INFINITY, types: new Set<string>() };

  const settle = () => {
    const { at, types } = instant;
    // From the last step to the first, so that no event counts for two steps.
    for (let step = steps.length - 1; step > 0; step--) {
      const start = starts[step - 1];
      if (!types.has(steps[step] ?? '') || start === undefined || at - start > windowUs) continue;
      starts[step] = start;
      if (step + 1 > best.depth) best = { depth: step + 1, enteredAt: start };
    }
    // Attempts begin within the span of the funnel; later steps may come after it.
    if (at >= endUs || !types.has(steps[0] ?? '')) return;
    starts[0] = at;
    if (best.depth === 0) best = { depth: 1, enteredAt: at };
  };

  return {
    add(eventType: string, atUs: number): void {
      if (atUs !== instant.at) {
        settle();
        instant = { at: atUs, types: new Set() };
      }
      instant.types.add(eventType);
    },
    end(): Passage {
      settle();
      return best;
    },
  };
}
