import type { Schedule } from './schedule.js';
import { type CompiledSchedule, compileSchedule } from './windows.js';

/** Null for an entry without a schedule. Throws for a schedule that `checkSchedule` would refuse. */
export type ScheduleCompiler = (schedule: Schedule | undefined) => CompiledSchedule | null;

/** Equal schedules of a document are one: its state is computed once for all entries that have it. */
export function scheduleCompiler(studioZone: string): ScheduleCompiler {
  const compiled = new Map<string, CompiledSchedule>();
  return (schedule) => {
    if (schedule === undefined) return null;
    const key = JSON.stringify(schedule);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = compileSchedule(schedule, studioZone);
    compiled.set(key, made);
    return made;
  };
}
