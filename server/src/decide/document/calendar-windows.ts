import type { Steps } from '../../platform/lib/steps.js';
import type { Schedule } from '../schedules/schedule.js';
import { type ScheduleCompiler, scheduleCompiler } from '../schedules/schedule-compiler.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import { DOCUMENT_REGISTRY } from './document.js';
import { type EntryTimes, entriesOf, idOf } from './document-part.js';
import type { DocumentRegistry } from './document-registry.js';

/** When an entry of a document runs, for players of one zone. */
export type CalendarEntry = Readonly<{
  /** The name of its part: `offers`. */
  part: string;
  id: string;
  /** Which of several times of the entry: `rule 2`. Empty: the entry itself. */
  label: string;
  /** In order. An end of a window that is open is infinite. */
  windows: readonly CalendarWindow[];
}>;

export type CalendarWindow = Readonly<{ from: number; until: number }>;

export type CalendarSpan = Readonly<{
  fromMs: number;
  toMs: number;
  /** Of the players whose calendar it is. */
  zone: string;
  studioZone: string;
}>;

export type CalendarWindows = Readonly<{
  entries: readonly CalendarEntry[];
  /** Entries that were left out because there are more than the limit. */
  leftOut: number;
}>;

/** More than anybody reads; the catalogue may have a thousand SKUs, each with a schedule of its own. */
export const MAX_CALENDAR_ENTRIES = 300;

/** What runs when, in the order of the document. In steps, one for each entry. */
export function* calendarWindowSteps(
  document: unknown,
  span: CalendarSpan,
  { lists }: DocumentRegistry = DOCUMENT_REGISTRY,
): Steps<CalendarWindows> {
  const compileSchedule = scheduleCompiler(span.studioZone);
  const entries: CalendarEntry[] = [];
  let leftOut = 0;
  for (const part of lists) {
    for (const entry of part.timesOf === undefined ? [] : entriesOf(document, part)) {
      for (const times of part.timesOf?.(entry) ?? []) {
        const windows = windowsWithin(times, compileSchedule, span);
        if (windows.length === 0) continue;
        if (entries.length >= MAX_CALENDAR_ENTRIES) leftOut++;
        else entries.push({ part: part.name, id: idOf(part, entry), label: times.label ?? '', windows });
      }
      yield;
    }
  }
  return { entries, leftOut };
}

/** Null for a schedule of a draft that cannot be published as it is. */
function usable(schedule: Schedule, compileSchedule: ScheduleCompiler): CompiledSchedule | null {
  try {
    return compileSchedule(schedule);
  } catch {
    return null;
  }
}

/** At most one window begins on each day, so there are not many in a span. */
function windowsWithin(
  times: EntryTimes,
  compileSchedule: ScheduleCompiler,
  { fromMs, toMs, zone }: CalendarSpan,
): CalendarWindow[] {
  const begin = times.from === null ? Number.NEGATIVE_INFINITY : Date.parse(times.from);
  const end = times.until === null ? Number.POSITIVE_INFINITY : Date.parse(times.until);
  if (begin >= toMs || end <= fromMs) return [];
  if (times.schedule === undefined) return [{ from: begin, until: end }];
  const schedule = usable(times.schedule, compileSchedule);
  if (schedule === null) return [];
  const windows: CalendarWindow[] = [];
  let at = Math.max(fromMs, begin);
  while (at < Math.min(toMs, end)) {
    const { window, until } = schedule.stateAt(at, schedule.zone ?? zone);
    if (window !== null)
      windows.push({ from: Math.max(window.from, begin), until: Math.min(window.until, end) });
    at = until;
  }
  return windows;
}
