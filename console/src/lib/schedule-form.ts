import type { Offer } from './document.js';

/** A schedule as the form shows it. */
export type Schedule = NonNullable<Offer['schedule']>;
export type ScheduleDays = Schedule['days'];

export const NEW_SCHEDULE: Schedule = {
  days: { every: 'day' },
  from: '18:00',
  to: '20:00',
  zone: 'player',
  firstDate: null,
  lastDate: null,
  except: [],
};

/** The entry with another schedule, or without one. */
export function withSchedule<Entry extends { schedule?: Schedule }>(
  { schedule: _, ...entry }: Entry,
  schedule: Schedule | undefined,
): Omit<Entry, 'schedule'> & { schedule?: Schedule } {
  return schedule === undefined ? entry : { ...entry, schedule };
}

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

export const EVERY = [
  { value: 'day', label: 'every day' },
  { value: 'week', label: 'on days of the week' },
  { value: 'month', label: 'on a day of the month' },
  { value: 'last', label: 'on the last day of the month' },
] as const;
export type Every = (typeof EVERY)[number]['value'];

export function everyOf(days: ScheduleDays): Every {
  return days.every === 'month' && days.day === 'last' ? 'last' : days.every;
}

export function daysOf(every: Every): ScheduleDays {
  switch (every) {
    case 'day':
      return { every: 'day' };
    case 'week':
      return { every: 'week', weekdays: [6, 7] };
    case 'month':
      return { every: 'month', day: 1 };
    case 'last':
      return { every: 'month', day: 'last' };
  }
}

/** `Sat and Sun, 18:00 to 20:00, in the player's zone`. */
export function scheduleInWords({ days, from, to, lengthMinutes, zone }: Schedule): string {
  const end = to === undefined ? `for ${lengthMinutes ?? 0} minutes` : `to ${to}`;
  return `${daysInWords(days)}, ${from} ${end}, ${zoneInWords(zone)}`;
}

function daysInWords(days: ScheduleDays): string {
  switch (days.every) {
    case 'day':
      return 'Every day';
    case 'week': {
      const names = [...days.weekdays].sort((a, b) => a - b).map((day) => WEEKDAYS[day - 1] ?? '');
      const weeks = days.everyWeeks ?? 1;
      return `${listed(names)}${weeks === 1 ? '' : ` of every ${ordinal(weeks)} week`}`;
    }
    case 'month':
      return days.day === 'last' ? 'Last day of the month' : `Day ${days.day} of the month`;
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function ordinal(n: number): string {
  return n === 2
    ? 'other'
    : `${n}${['th', 'st', 'nd', 'rd'][n % 100 > 10 && n % 100 < 14 ? 0 : n % 10] ?? 'th'}`;
}

function zoneInWords(zone: string): string {
  if (zone === 'player') return 'in the player’s zone';
  return zone === 'studio' ? 'in the studio’s zone' : zone;
}

/** Dates one after another, as they are typed; undefined while one of them is no date. */
export function readDates(text: string): string[] | undefined {
  const dates = text.split(/[\s,;]+/).filter((each) => each !== '');
  return dates.every((date) => /^\d{4}-\d{2}-\d{2}$/.test(date)) ? dates : undefined;
}
