import type { Schemas } from '../api/client.js';
import { daysBefore } from './dashboard.js';

type Day = Schemas['DashboardDay'];
type Cohort = Schemas['RetentionCohort'];

/** The figures that span several days, with the same of the time before, and their line. */
export type SpanFigure = {
  value: number | null;
  before: number | null;
  /** Oldest first; days of which it is not known yet are left out. */
  line: number[];
};

/** Of the days of the line. */
const LINE_DAYS = 14;

/** Cohorts whose day is over, seven at a time, so that no weekday counts more than another. */
export function retentionFigure(cohorts: readonly Cohort[], after: '1' | '7'): SpanFigure {
  const over = cohorts.filter(({ players, retention }) => players > 0 && retention[after] != null);
  const share = (group: readonly Cohort[]) => {
    const players = group.reduce((sum, cohort) => sum + cohort.players, 0);
    const retained = group.reduce((sum, { retention }) => sum + (retention[after] ?? 0), 0);
    return players === 0 ? null : retained / players;
  };
  return {
    value: share(over.slice(-7)),
    before: over.length > 7 ? share(over.slice(-14, -7)) : null,
    line: over.slice(-LINE_DAYS).map((cohort) => share([cohort]) ?? 0),
  };
}

const INSTALL_DAYS = 30;

/** Revenue of 30 days that are over, divided by the new players of the same days. Null without a reporting currency. */
export function revenuePerInstall(days: readonly Day[], today: string): SpanFigure {
  const endingOn = (last: string): number | null => {
    const first = daysBefore(last, INSTALL_DAYS - 1);
    const span = days.filter(({ day }) => day >= first && day <= last);
    const installs = span.reduce((sum, { newPlayers }) => sum + newPlayers, 0);
    const reported = span.flatMap((each) => each.reported ?? []);
    if (installs === 0 || reported.length === 0) return null;
    return reported.reduce((sum, { revenue }) => sum + Number(revenue), 0) / installs;
  };
  const yesterday = daysBefore(today, 1);
  const line = Array.from({ length: LINE_DAYS }, (_, index) =>
    endingOn(daysBefore(yesterday, LINE_DAYS - 1 - index)),
  );
  return {
    value: endingOn(yesterday),
    before: endingOn(daysBefore(yesterday, 7)),
    line: line.filter((value) => value !== null),
  };
}

/** Payers of 30 days divided by the active players of these days. */
export function conversionFigure(days: readonly Day[], today: string): SpanFigure {
  const known = days.filter(({ monthlyConversion }) => monthlyConversion !== null);
  const on = (day: string) => known.find((each) => each.day === day)?.monthlyConversion ?? null;
  const newest = known.at(-1);
  return {
    value: newest?.monthlyConversion ?? null,
    before: newest === undefined ? null : on(daysBefore(newest.day, 7)),
    line: known
      .filter(({ day }) => day > daysBefore(today, LINE_DAYS))
      .map(({ monthlyConversion }) => monthlyConversion ?? 0),
  };
}

/** `+12%`, `−3%`, `±0%`; null where there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : now / before - 1;
}

/** The line of a daily figure: the last days that are over. */
export function lineOf(days: readonly Day[], today: string, of: (day: Day) => number | null): number[] {
  return days
    .filter(({ day }) => day < today && day >= daysBefore(today, LINE_DAYS))
    .map((day) => of(day) ?? 0);
}
