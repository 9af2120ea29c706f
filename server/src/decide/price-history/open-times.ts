import type { Steps } from '../../platform/lib/steps.js';
import type { CompiledSchedule, Window } from '../schedules/windows.js';

export type Timed = Readonly<{ from: number; until: number; schedule: CompiledSchedule | null }>;

/** When something is open between two instants. */
export type OpenTimes = Readonly<{
  /** Equal keys mean equal times. */
  key: string;
  /** In order. */
  windows: readonly Window[];
  /** How often its schedule was asked about an instant. */
  asks: number;
}>;

const NEVER: OpenTimes = { key: '', windows: [], asks: 0 };
/** Of all times that are kept: some megabytes. */
const MAX_WINDOWS = 100_000;

/**
 * The times of offers and SKUs, each of which is worked out once: a thousand SKUs have the same offers, and two hundred offers may have the
 * same schedule.
 */
export class OpenTimesCache {
  readonly #known = new Map<string, OpenTimes>();
  #windows = 0;

  clear(): void {
    this.#known.clear();
    this.#windows = 0;
  }

  /** A step is one ask. A daily window of 90 days needs 182. */
  *of({ from, until, schedule }: Timed, span: Window, zone: string): Steps<OpenTimes> {
    const [begin, end] = [Math.max(from, span.from), Math.min(until, span.until)];
    if (begin >= end) return NEVER;
    const inZone = schedule?.zone ?? zone;
    const key = schedule === null ? `${begin} ${end}` : `${begin} ${end} ${inZone} ${schedule.key}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const whole = { from: begin, until: end };
    const times =
      schedule === null ? { windows: [whole], asks: 0 } : yield* scheduledTimes(schedule, whole, inZone);
    return this.#keep({ key, ...times });
  }

  #keep(times: OpenTimes): OpenTimes {
    if (this.#windows >= MAX_WINDOWS) this.clear();
    this.#known.set(times.key, times);
    // The key counts as well.
    this.#windows += times.windows.length + 1;
    return times;
  }
}

function* scheduledTimes(
  schedule: CompiledSchedule,
  { from, until }: Window,
  zone: string,
): Steps<Omit<OpenTimes, 'key'>> {
  const windows: Window[] = [];
  let asks = 0;
  for (let at = from; at < until; ) {
    const state = schedule.stateAt(at, zone);
    asks++;
    if (state.window !== null) windows.push({ from: at, until: Math.min(state.until, until) });
    at = state.until;
    yield;
  }
  return { windows, asks };
}

/** Says whether something is open, for instants in order. */
export class OpenTimesReader {
  readonly #windows: readonly Window[];
  #next = 0;

  constructor({ windows }: OpenTimes) {
    this.#windows = windows;
  }

  isOpenAt(instant: number): boolean {
    while ((this.#windows[this.#next]?.until ?? Number.POSITIVE_INFINITY) <= instant) this.#next++;
    return (this.#windows[this.#next]?.from ?? Number.POSITIVE_INFINITY) <= instant;
  }
}
