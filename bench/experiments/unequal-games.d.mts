import type { SimulatedArm } from './simulated-arms.mjs';

export type UnequalGame = {
  share: number;
  players: number;
  perDay: number;
  whales: number;
  isHoldout: boolean;
  inSmall?: number;
  inLarge?: number;
};
export const WITHOUT_EFFECT: [name: string, game: UnequalGame][];
export const WITH_EFFECT: [name: string, game: UnequalGame][];
export function playGame(options: {
  game: UnequalGame;
  seed: number;
  days: number;
  bucketOf: (value: number) => number;
  onLook: (arms: [small: SimulatedArm, large: SimulatedArm], day: number) => boolean | undefined;
}): void;
