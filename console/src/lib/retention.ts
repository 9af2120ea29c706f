import type { Schemas } from '../api/client.js';
import { daysBefore } from './dashboard.js';

type Cohort = Pick<Schemas['RetentionCohort'], 'day' | 'players' | 'retention'>;

export const RETENTION_DAYS = ['1', '7', '28', '30'] as const;
type RetentionDay = (typeof RETENTION_DAYS)[number];

/** The players whose first login was on one day, or on the seven days of a week. */
export type RetentionRow = {
  from: string;
  to: string;
  players: number;
  /** How many of them came back; null until that day is over for all of them. */
  retained: Record<RetentionDay, number | null>;
};

/** Whole weeks before the single days: on any weekday, day 30 is over for at least four of them. */
const WEEKS = 8;

/** The first cohort to ask for. It does not depend on the time range of the page: day 30 is over after a month at the earliest. */
export function firstCohortDay(today: string): string {
  return daysBefore(firstSingleDay(today), 7 * WEEKS);
}

/** The newest first: this week and the last one day by day, then week by week. Days without a new player are left out. */
export function retentionRows(cohorts: readonly Cohort[], today: string): RetentionRow[] {
  const firstSingle = firstSingleDay(today);
  const groups = new Map<string, Cohort[]>();
  for (const cohort of cohorts) {
    if (cohort.players === 0) continue;
    const from = cohort.day >= firstSingle ? cohort.day : mondayOf(cohort.day);
    groups.set(from, [...(groups.get(from) ?? []), cohort]);
  }
  return [...groups]
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .map(([from, group]) => ({
      from,
      to: from >= firstSingle ? from : daysBefore(from, -6),
      players: group.reduce((sum, { players }) => sum + players, 0),
      retained: {
        '1': retainedOf(group, '1'),
        '7': retainedOf(group, '7'),
        '28': retainedOf(group, '28'),
        '30': retainedOf(group, '30'),
      },
    }));
}

/** Counts are added up, so a larger cohort weighs more in the share of its week. */
function retainedOf(cohorts: readonly Cohort[], after: RetentionDay): number | null {
  let sum = 0;
  for (const { retention } of cohorts) {
    const count = retention[after] ?? null;
    if (count === null) return null;
    sum += count;
  }
  return sum;
}

function firstSingleDay(today: string): string {
  return daysBefore(mondayOf(today), 7);
}

function mondayOf(day: string): string {
  return daysBefore(day, (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7);
}
