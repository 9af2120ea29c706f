import { describe, expect, it } from 'vitest';
import { checkSchedule, type Schedule } from '../../../src/decide/schedules/schedule.js';
import { compileSchedule } from '../../../src/decide/schedules/windows.js';
import { instantOf, isTimeZone, localDayAt } from '../../../src/decide/schedules/zone-time.js';
import { runs } from '../../support/property-runs.js';
import { compareSchedules } from './compare-schedules.js';

const DAY_MS = 86_400_000;
const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

const schedule = (changes: Partial<Schedule> = {}): Schedule => ({
  days: { every: 'day' },
  from: '18:00',
  ...(changes.lengthMinutes === undefined ? { to: '20:00' } : {}),
  zone: 'player',
  firstDate: null,
  lastDate: null,
  except: [],
  ...changes,
});

/** The windows that are met from an instant on, by going from boundary to boundary. */
function windows(entry: Schedule, zone: string, from: string, count: number): string[] {
  const { stateAt } = compileSchedule(entry, 'UTC');
  const found: string[] = [];
  let at = Date.parse(from);
  while (found.length < count && Number.isFinite(at)) {
    const { window, until } = stateAt(at, zone);
    if (window !== null)
      found.push([window.from, window.until].map((each) => new Date(each).toISOString()).join(' '));
    at = until;
  }
  return found;
}

describe('a local time', () => {
  it.each([
    ['a gap', '2026-03-29', '02:30', 'Europe/Berlin', '2026-03-29T01:30Z'],
    ['a double hour', '2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30Z'],
    ['a gap of 30 minutes', '2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03T15:45Z'],
    ['a midnight that does not exist', '2026-04-24', '00:00', 'Africa/Cairo', '2026-04-23T22:00Z'],
    ['a midnight that does not exist', '2026-03-29', '00:00', 'Asia/Beirut', '2026-03-28T22:00Z'],
    ['a day that does not exist', '2011-12-30', '12:00', 'Pacific/Apia', '2011-12-30T22:00Z'],
    ['quarters of an hour', '2026-07-01', '09:00', 'Asia/Kathmandu', '2026-07-01T03:15Z'],
    ['the earliest zone', '2026-07-01', '09:00', 'Pacific/Kiritimati', '2026-06-30T19:00Z'],
  ])('is found in %s: %s %s %s', (_what, date, time, zone, utc) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    expect(instantOf(dayOf(date), hour * 60 + minute, zone).epochMs).toBe(Date.parse(utc));
  });

  it('has a date by its zone', () => {
    const instant = Date.parse('2026-07-01T11:00Z');
    expect(localDayAt(instant, 'Pacific/Kiritimati')).toBe(dayOf('2026-07-02'));
    expect(localDayAt(instant, 'Pacific/Pago_Pago')).toBe(dayOf('2026-07-01'));
  });
});

describe('zones', () => {
  it('are names of the IANA database', () => {
    for (const name of ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
      expect(isTimeZone(name), name).toBe(true);
    }
    for (const name of ['', '+01:00', 'Berlin', 'Europe/Atlantis', 'player', 'Europe/Berlin\n']) {
      expect(isTimeZone(name), name).toBe(false);
    }
  });
});

describe('windows', () => {
  it('that begin in a gap keep their length', () => {
    expect(
      windows(schedule({ from: '02:30', to: '04:00' }), 'Europe/Berlin', '2026-03-29T00:00Z', 2),
    ).toEqual([
      '2026-03-29T01:30:00.000Z 2026-03-29T03:00:00.000Z',
      '2026-03-30T00:30:00.000Z 2026-03-30T02:00:00.000Z',
    ]);
    expect(
      windows(schedule({ from: '02:15', to: '02:45' }), 'Europe/Berlin', '2026-03-29T00:00Z', 1),
    ).toEqual(['2026-03-29T01:15:00.000Z 2026-03-29T01:45:00.000Z']);
  });

  it('run once in a double hour', () => {
    expect(
      windows(schedule({ from: '02:15', to: '02:45' }), 'Europe/Berlin', '2026-10-24T22:00Z', 2),
    ).toEqual([
      '2026-10-25T00:15:00.000Z 2026-10-25T00:45:00.000Z',
      '2026-10-26T01:15:00.000Z 2026-10-26T01:45:00.000Z',
    ]);
  });

  it('of whole days meet each other, also where midnight does not exist', () => {
    const wholeDay = schedule({ from: '00:00', to: '00:00' });
    expect(windows(wholeDay, 'Africa/Cairo', '2026-04-23T12:00Z', 3)).toEqual([
      '2026-04-22T22:00:00.000Z 2026-04-23T22:00:00.000Z',
      '2026-04-23T22:00:00.000Z 2026-04-24T21:00:00.000Z',
      '2026-04-24T21:00:00.000Z 2026-04-25T21:00:00.000Z',
    ]);
  });

  it.each<[string, Partial<Schedule>, string[]]>([
    ['weekends', { days: { every: 'week', weekdays: [6, 7] } }, ['11-21', '11-22', '11-28', '11-29']],
    [
      'every other Friday',
      { days: { every: 'week', weekdays: [5], everyWeeks: 2 }, firstDate: '2026-11-16' },
      ['11-20', '12-04', '12-18'],
    ],
    ['the 31st', { days: { every: 'month', day: 31 } }, ['12-31', '01-31', '03-31']],
    ['the last of a month', { days: { every: 'month', day: 'last' } }, ['11-30', '12-31', '01-31', '02-28']],
    ['dates between two', { firstDate: '2026-11-20', lastDate: '2026-11-21' }, ['11-20', '11-21']],
    [
      'days but for some',
      { except: ['2026-11-19', '2026-11-20'], lastDate: '2026-11-21' },
      ['11-18', '11-21'],
    ],
  ])('open on %s', (_what, changes, dates) => {
    const found = windows(schedule(changes), 'UTC', '2026-11-18T00:00Z', dates.length);
    expect(found.map((each) => each.slice(5, 10))).toEqual(dates);
  });

  it('may reach into the next day, and end where the next one begins', () => {
    expect(windows(schedule({ from: '22:00', to: '02:00' }), 'UTC', '2026-11-18T00:00Z', 2)).toEqual([
      '2026-11-17T22:00:00.000Z 2026-11-18T02:00:00.000Z',
      '2026-11-18T22:00:00.000Z 2026-11-19T02:00:00.000Z',
    ]);
    expect(windows(schedule({ lengthMinutes: 3000 }), 'UTC', '2026-11-18T00:00Z', 1)).toEqual([
      '2026-11-17T18:00:00.000Z 2026-11-18T18:00:00.000Z',
    ]);
  });

  it('end for good after the last date', () => {
    const { stateAt } = compileSchedule(schedule({ lastDate: '2026-11-18' }), 'UTC');
    expect(stateAt(Date.parse('2026-11-18T20:00Z'), 'UTC')).toEqual({
      window: null,
      since: Date.parse('2026-11-18T20:00Z'),
      until: Number.POSITIVE_INFINITY,
      isOpenNext: false,
    });
  });

  // The whole of it, over all zones, is `npm run bench -- schedules`.
  it('are those of the slow, obvious way', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const some = [...zones.filter((_, n) => n % 150 === 0), 'Australia/Lord_Howe', 'Africa/Cairo'];
    const { triples, differences } = compareSchedules(some, 1, { schedules: runs(6), instants: 20 });
    expect(differences.slice(0, 5)).toEqual([]);
    expect(triples).toBe(some.length * runs(6) * 20);
  });
});

describe('mistakes', () => {
  const problems = (changes: Partial<Schedule>) => {
    const found: string[] = [];
    checkSchedule(schedule(changes), '', { add: (pointer, message) => found.push(`${pointer} ${message}`) });
    return found;
  };
  it('are told', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ lengthMinutes: 5, to: '20:00' })).toEqual([
      '/to Say either to, a local time, or lengthMinutes.',
    ]);
    expect(problems({ zone: 'Mars/Base' })).toEqual([
      '/zone "Mars/Base" is not a time zone: write player, studio, or a name such as Europe/Berlin.',
    ]);
    expect(problems({ firstDate: '2026-02-30' })).toEqual(['/firstDate There is no date 2026-02-30.']);
    expect(problems({ firstDate: '2026-02-03', lastDate: '2026-02-02' })).toEqual([
      '/lastDate The last date is before the first.',
    ]);
    expect(problems({ days: { every: 'week', weekdays: [1], everyWeeks: 2 } })).toEqual([
      '/firstDate Weeks are counted from the week of the first date: give one.',
    ]);
  });
});
