import type { CompiledSchedule, ScheduleState } from '../schedules/windows.js';
import type { ScheduleTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';

/** What a schedule says to the player, for an explanation. */
export function traceSchedule(
  context: DecisionContext,
  schedule: CompiledSchedule,
  { window, since, until }: ScheduleState,
): ScheduleTrace {
  return {
    zone: schedule.zone ?? context.zone,
    isOpen: window !== null,
    since: textOf(since),
    until: textOf(until),
  };
}

function textOf(instant: number): string | null {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : null;
}
