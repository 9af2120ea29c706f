/** What all lives of a simulation follow from. */
export type Simulation = Readonly<{
  seed: number;
  /** How many players have installed the game by the end. */
  players: number;
  /** How many UTC days there are, the last of them the one of the end. */
  days: number;
  /** The present of the simulation, in epoch milliseconds: nothing happens after it. */
  endMs: number;
  /** Default: those of a casual game. */
  habits?: Habits;
}>;

/** What players of a game are like on average. Pairs are the parameters of a Beta distribution. */
export type Habits = Readonly<{
  /** Plays on a day, given that the player has not left for good. */
  playsDaily: readonly [number, number];
  /** Leaves for good on a day. */
  leavesDaily: readonly [number, number];
  sessionsPerDay: number;
  /** Share of the players who ever pay, before the wealth of their country. */
  payerShare: number;
  /** Of payers. */
  purchasesPerSession: number;
}>;

/** Fitted to casual games: about 45% play on the next day, 20% after a week, 10% after four. */
export const CASUAL: Habits = {
  playsDaily: [1.8, 1.2],
  leavesDaily: [0.6, 1.6],
  sessionsPerDay: 1.4,
  payerShare: 0.035,
  purchasesPerSession: 0.12,
};

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
