import type { Steps } from '../../lib/steps.js';
import type { CompiledSchedule, Window } from '../schedules/windows.js';

export type Timed = Readonly<{ from: number; until: number; schedule: CompiledSchedule | null }>;

/** What a timeline may still cost. One schedule is asked about one instant, or one offer is applied once. */
export type Allowance = { asks: number; applications: number };

/** When something is open between two instants, in order; null: that takes too many asks. A step is one ask. */
export function* openTimes(
  { from, until, schedule }: Timed,
  span: Window,
  zone: string,
  allowance: Allowance,
): Steps<readonly Window[] | null> {
  const [begin, end] = [Math.max(from, span.from), Math.min(until, span.until)];
  if (begin >= end) return [];
  if (schedule === null) return [{ from: begin, until: end }];
  const times: Window[] = [];
  for (let at = begin; at < end; ) {
    if (allowance.asks-- <= 0) return null;
    const state = schedule.stateAt(at, schedule.zone ?? zone);
    if (state.window !== null) times.push({ from: at, until: Math.min(state.until, end) });
    at = state.until;
    yield;
  }
  return times;
}

export function isOpenAt(times: readonly Window[], instant: number): boolean {
  return times.some(({ from, until }) => from <= instant && instant < until);
}
