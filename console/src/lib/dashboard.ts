import type { Schemas } from '../api/client.js';

type Day = Schemas['DashboardDay'];

/** A number of a day: what it is called, what it means, where it leads, and its colour on all pages. */
export type Measure = {
  id: string;
  name: string;
  definition: string;
  /** Null where it is not known yet. Of revenue, in the reporting currency. */
  numberOf: (day: Day) => number | null;
  colour: number;
  /** Where it stands among the headline figures, if it is one. */
  figure?: 'first' | 'last';
  to: '/$studio/$game/players' | '/$studio/$game/store' | '/$studio/$game/events';
};

export const MEASURES: readonly Measure[] = [
  {
    id: 'activePlayers',
    name: 'Active players',
    definition: 'Players with at least one event on this UTC day',
    numberOf: (day) => day.activePlayers,
    colour: 0,
    figure: 'first',
    to: '/$studio/$game/players',
  },
  {
    id: 'weeklyActivePlayers',
    name: 'Active in 7 days',
    definition:
      'Players with at least one event on the 7 UTC days that end with this one, each counted once; summed every few minutes',
    numberOf: (day) => day.weeklyActivePlayers,
    colour: 0,
    to: '/$studio/$game/players',
  },
  {
    id: 'monthlyActivePlayers',
    name: 'Active in 30 days',
    definition:
      'Players with at least one event on the 30 UTC days that end with this one, each counted once; summed every few minutes',
    numberOf: (day) => day.monthlyActivePlayers,
    colour: 0,
    to: '/$studio/$game/players',
  },
  {
    id: 'newPlayers',
    name: 'New players',
    definition: 'Players whose first login was on this UTC day',
    numberOf: (day) => day.newPlayers,
    colour: 2,
    figure: 'first',
    to: '/$studio/$game/players',
  },
  {
    id: 'payingPlayers',
    name: 'Payers',
    definition: 'Players with at least one purchase on this UTC day that was not refunded',
    numberOf: (day) => day.payingPlayers,
    colour: 1,
    figure: 'first',
    to: '/$studio/$game/players',
  },
  {
    id: 'revenue',
    name: 'Revenue',
    definition:
      'Prices of the purchases of this UTC day, refunds taken off, at the exchange rates of the day',
    numberOf: (day) => (day.reported === null ? null : Number(day.reported.revenue)),
    colour: 3,
    figure: 'first',
    to: '/$studio/$game/store',
  },
  {
    id: 'events',
    name: 'Events',
    definition: 'All events of this UTC day, by their own time',
    numberOf: (day) => day.events,
    colour: 4,
    figure: 'last',
    to: '/$studio/$game/events',
  },
  {
    id: 'adImpressions',
    name: 'Ad impressions',
    definition: 'Ad_Impression events of this UTC day',
    numberOf: (day) => day.adImpressions,
    colour: 5,
    figure: 'last',
    to: '/$studio/$game/events',
  },
  {
    id: 'conversion',
    name: 'Daily conversion',
    definition: 'Payers of this UTC day divided by its active players',
    numberOf: (day) => day.conversion ?? 0,
    colour: 1,
    to: '/$studio/$game/players',
  },
];

/** `currency`: of the originals; null for revenue in the reporting currency. */
export function figureOf(day: Day, measure: Measure, currency: string | null): number | null {
  return measure.id === 'revenue' && currency !== null
    ? Number(day.revenue[currency] ?? 0)
    : measure.numberOf(day);
}

/** The time ranges of the page, in days, as the address has them. */
export const SPANS: readonly string[] = ['7', '30', '90'];

export function todayUtc(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

export function daysBefore(day: string, count: number): string {
  return todayUtc(Date.parse(`${day}T00:00:00Z`) - count * 86_400_000);
}
