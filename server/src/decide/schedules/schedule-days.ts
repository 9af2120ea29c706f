import { dateOfDay, weekdayOf } from './calendar-days.js';
import type { ScheduleDays } from './schedule.js';

/** Whether a date is one of the days. `firstDay` is that of the schedule, from which weeks are counted. */
export function isScheduledDay(days: ScheduleDays, day: number, firstDay: number | null): boolean {
  switch (days.every) {
    case 'day':
      return true;
    case 'week': {
      if (!days.weekdays.includes(weekdayOf(day))) return false;
      const everyWeeks = days.everyWeeks ?? 1;
      return everyWeeks === 1 || (weekOf(day) - weekOf(firstDay ?? 0)) % everyWeeks === 0;
    }
    case 'month':
      return days.day === 'last' ? dateOfDay(day + 1).day === 1 : dateOfDay(day).day === days.day;
  }
}

/** Weeks begin on Monday. */
function weekOf(day: number): number {
  return Math.floor((day + 3) / 7);
}
