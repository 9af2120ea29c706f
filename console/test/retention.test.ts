import { describe, expect, it } from 'vitest';
import { daysBefore } from '../src/lib/dashboard.js';
import { firstCohortDay, retentionRows } from '../src/lib/retention.js';

const MONDAY = '2026-11-16';
const SUNDAY = '2026-11-22';

/** As the service has it: a number of a later day is there once that day is over. */
function cohort(day: string, today: string, players = 10, share = 0.5) {
  const ageDays = (Date.parse(today) - Date.parse(day)) / 86_400_000;
  const after = (days: number) => (ageDays > days ? players * share : null);
  return { day, players, retention: { '1': after(1), '7': after(7), '28': after(28), '30': after(30) } };
}

function cohortsSince(day: string, today: string) {
  const count = (Date.parse(today) - Date.parse(day)) / 86_400_000 + 1;
  return Array.from({ length: count }, (_, n) => cohort(daysBefore(today, count - 1 - n), today));
}

describe('the rows of retention', () => {
  it.each([
    [MONDAY, 8],
    [SUNDAY, 14],
  ])('on %s are %i single days and eight whole weeks, the newest first', (today, singleDays) => {
    const rows = retentionRows(cohortsSince(firstCohortDay(today), today), today);
    expect(rows.slice(0, singleDays).map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: singleDays }, (_, n) => [daysBefore(today, n), daysBefore(today, n)]),
    );
    const weeks = rows.slice(singleDays);
    expect(weeks.map(({ from, to, players }) => [from, to, players])).toEqual(
      Array.from({ length: 8 }, (_, n) => [
        daysBefore('2026-11-02', 7 * n),
        daysBefore('2026-11-08', 7 * n),
        70,
      ]),
    );
  });

  it.each([MONDAY, SUNDAY])('have day 30 of at least four weeks on %s', (today) => {
    const rows = retentionRows(cohortsSince(firstCohortDay(today), today), today);
    const known = rows.filter(({ retained }) => retained['30'] !== null);
    expect(known.length).toBeGreaterThanOrEqual(4);
    expect(known.every(({ retained, players }) => retained['30'] === players / 2)).toBe(true);
  });

  it('weigh the days of a week by their players', () => {
    const rows = retentionRows(
      [cohort('2026-10-05', MONDAY, 300, 0.1), cohort('2026-10-11', MONDAY, 100, 0.5)],
      MONDAY,
    );
    expect(rows).toMatchObject([{ from: '2026-10-05', players: 400, retained: { '30': 80 } }]);
  });

  it('have no number of a week until the day is over for all of its players', () => {
    const lastOfWeek = (day: string) =>
      retentionRows([cohort('2026-10-12', MONDAY), cohort(day, MONDAY)], MONDAY)[0]?.retained;
    expect(lastOfWeek('2026-10-18')).toEqual({ '1': 10, '7': 10, '28': 10, '30': null });
    expect(lastOfWeek('2026-10-17')).toMatchObject({ '30': null });
    expect(lastOfWeek('2026-10-16')).toMatchObject({ '30': 10 });
  });

  it('leave out days without a new player, which would hold back their week', () => {
    const nobody = cohort('2026-10-18', MONDAY, 0);
    expect(retentionRows([cohort('2026-10-12', MONDAY), nobody], MONDAY)).toMatchObject([
      { players: 10, retained: { '30': 5 } },
    ]);
    expect(retentionRows([nobody], MONDAY)).toEqual([]);
  });
});
