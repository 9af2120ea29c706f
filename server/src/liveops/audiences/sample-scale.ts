import type { PlayerSample } from './sample-queries.js';

/** How what was counted of a sample stands for all players of a game. */
export type SampleScale = Readonly<{
  /** Of the game. */
  players: number;
  examined: number;
  /** Not all players were drawn: numbers are estimates. */
  isSampled: boolean;
  /** How many players each examined one stands for. */
  scale: number;
}>;

/** A player may be deleted after the draw. Where all players were drawn, the numbers of those who are left are still exact. */
export function scaleOf({ players, ids }: PlayerSample, examined: number): SampleScale {
  if (ids.length >= players) return { players: examined, examined, isSampled: false, scale: 1 };
  return { players, examined, isSampled: true, scale: examined === 0 ? 1 : players / examined };
}
