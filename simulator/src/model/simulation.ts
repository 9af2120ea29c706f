/** What all lives of a simulation follow from. */
export type Simulation = Readonly<{
  seed: number;
  /** How many players have installed the game by the end. */
  players: number;
  /** How many UTC days there are, the last of them the one of the end. */
  days: number;
  /** The present of the simulation, in epoch milliseconds: nothing happens after it. */
  endMs: number;
}>;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The start of the first day. */
export function firstDayMs({ days, endMs }: Simulation): number {
  return startOfDay(endMs) - (days - 1) * DAY_MS;
}

export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}
