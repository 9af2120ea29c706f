import { describe, expect, it } from 'vitest';
import { daysOfMonth, isZone, monthAfter, monthOf, windowInWords, windowsInWords } from '../src/lib/month.js';
import {
  daysOf,
  everyOf,
  NEW_SCHEDULE,
  readDates,
  scheduleInWords,
  withSchedule,
} from '../src/lib/schedule-form.js';

describe('a schedule in the form', () => {
  it('is told in words', () => {
    expect(scheduleInWords(NEW_SCHEDULE)).toBe('Every day, 18:00 to 20:00, in the player’s zone');
    const { to: _, ...open } = NEW_SCHEDULE;
    const weekend = { every: 'week' as const, weekdays: [7, 6], everyWeeks: 2 };
    expect(scheduleInWords({ ...open, days: weekend, lengthMinutes: 90, zone: 'studio' })).toBe(
      'Sat and Sun of every other week, 18:00 for 90 minutes, in the studio’s zone',
    );
    const days = { every: 'month' as const, day: 'last' as const };
    expect(scheduleInWords({ ...NEW_SCHEDULE, days, zone: 'Asia/Tokyo' })).toBe(
      'Last day of the month, 18:00 to 20:00, Asia/Tokyo',
    );
  });

  it('keeps its days whatever is chosen', () => {
    for (const every of ['day', 'week', 'month', 'last'] as const) expect(everyOf(daysOf(every))).toBe(every);
  });

  it('reads dates once all of them are', () => {
    expect(readDates(' 2026-12-24, 2026-12-25 ')).toEqual(['2026-12-24', '2026-12-25']);
    expect(readDates('')).toEqual([]);
    expect(readDates('2026-12-24 2026-1')).toBeUndefined();
  });

  it('is set and taken away', () => {
    const entry: { name: string; schedule?: typeof NEW_SCHEDULE } = { name: 'a' };
    expect(withSchedule(entry, NEW_SCHEDULE)).toEqual({ name: 'a', schedule: NEW_SCHEDULE });
    expect(withSchedule({ ...entry, schedule: NEW_SCHEDULE }, undefined)).toEqual(entry);
  });
});

describe('a month', () => {
  it('is that of the address, or of now in the zone', () => {
    const now = Date.parse('2026-11-30T20:00:00Z');
    expect(monthOf('2026-02', now, 'UTC')).toBe('2026-02');
    expect(monthOf('2026-13', now, 'UTC')).toBe('2026-11');
    expect(monthOf(undefined, now, 'Asia/Tokyo')).toBe('2026-12');
  });

  it('has days and neighbours', () => {
    expect(daysOfMonth('2028-02')).toEqual({ from: '2028-02-01', to: '2028-02-29', days: 29 });
    expect(daysOfMonth('2026-12').days).toBe(31);
    expect(monthAfter('2026-12', 1)).toBe('2027-01');
    expect(monthAfter('2026-01', -1)).toBe('2025-12');
  });

  it('tells windows in the zone', () => {
    const window = { from: '2026-11-21T09:00:00.000Z', until: '2026-11-21T11:00:00.000Z' };
    expect(windowInWords(window, 'Asia/Tokyo')).toMatch(/18:00 – 20:00$/);
    expect(windowInWords({ from: null, until: null }, 'UTC')).toBe('always – open end');
    expect(windowsInWords([window, window, window, window], 'UTC')).toMatch(/; and 1 more$/);
  });

  it('knows zones', () => {
    expect(isZone('Europe/Berlin')).toBe(true);
    for (const name of ['', '+01:00', 'Mars/Base']) expect(isZone(name), name).toBe(false);
  });
});
