import { type Static, Type } from 'typebox';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';
import { dayOfDate } from './calendar-days.js';
import { isTimeZone } from './zone-time.js';

const strict = { additionalProperties: false } as const;

/**
 * When something is open again and again, as data: on which days, from when to when, and in whose time. The entries that take one are
 * open in its windows only, and only within their own beginning and end.
 */
const Days = Type.Union([
  Type.Object({ every: Type.Literal('day') }, strict),
  Type.Object(
    {
      every: Type.Literal('week'),
      /** ISO 8601: 1 is Monday, 7 is Sunday. */
      weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7 }),
      /** 2: every other week, counted from the week of `firstDate`. Weeks begin on Monday. Left out: 1. */
      everyWeeks: Type.Optional(Type.Integer({ minimum: 1, maximum: 52 })),
    },
    strict,
  ),
  Type.Object(
    {
      every: Type.Literal('month'),
      /** A month without this day is left out. */
      day: Type.Union([Type.Integer({ minimum: 1, maximum: 31 }), Type.Literal('last')]),
    },
    strict,
  ),
]);

/** Minutes of a week. A window ends at the latest where the next one begins. */
const MAX_LENGTH_MINUTES = 7 * 24 * 60;

const LocalTime = Type.String({ pattern: TEXT_FORMS.time.pattern });
const LocalDate = Type.String({ pattern: TEXT_FORMS.day.pattern });

export const Schedule = Type.Object(
  {
    days: Days,
    /** Local time. 00:00 is the start of the local day, also where there is no midnight. */
    from: LocalTime,
    /** Local time; not after `from`: on the next day. Either this or a length. */
    to: Type.Optional(LocalTime),
    lengthMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LENGTH_MINUTES })),
    /** `player`, `studio`, or the name of a zone such as Europe/Berlin. */
    zone: Type.String({ minLength: 1, maxLength: 64 }),
    firstDate: Type.Union([LocalDate, Type.Null()]),
    lastDate: Type.Union([LocalDate, Type.Null()]),
    /** Dates on which no window begins. */
    except: Type.Array(LocalDate, { maxItems: 100 }),
  },
  { ...strict, title: 'Schedule' },
);

export type Schedule = Static<typeof Schedule>;
export type ScheduleDays = Schedule['days'];

/** Takes up what is wrong. */
type Problems = Readonly<{ add(pointer: string, message: string): void }>;

/** What must be right within a schedule, besides its schema. */
export function checkSchedule(schedule: Schedule, pointer: string, problems: Problems): void {
  const { days, to, lengthMinutes, zone, firstDate, lastDate, except } = schedule;
  if ((to === undefined) === (lengthMinutes === undefined)) {
    problems.add(`${pointer}/to`, 'Say either to, a local time, or lengthMinutes.');
  }
  if (zone !== 'player' && zone !== 'studio' && !isTimeZone(zone)) {
    problems.add(
      `${pointer}/zone`,
      `"${zone}" is not a time zone: write player, studio, or a name such as Europe/Berlin.`,
    );
  }
  const [first, last] = [checkDate(firstDate, 'firstDate'), checkDate(lastDate, 'lastDate')];
  for (const [index, date] of except.entries()) checkDate(date, `except/${index}`);
  if (first !== undefined && last !== undefined && last < first) {
    problems.add(`${pointer}/lastDate`, 'The last date is before the first.');
  }
  if (days.every === 'week' && (days.everyWeeks ?? 1) > 1 && firstDate === null) {
    problems.add(`${pointer}/firstDate`, 'Weeks are counted from the week of the first date: give one.');
  }

  function checkDate(date: string | null, member: string): number | undefined {
    if (date === null) return undefined;
    const day = dayOfDate(date);
    if (day === undefined) problems.add(`${pointer}/${member}`, `There is no date ${date}.`);
    return day;
  }
}
