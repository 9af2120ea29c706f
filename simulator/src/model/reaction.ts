import { purchaseRate } from './purchase-rate.js';
import { randomFrom } from './random.js';
import { CASUAL, type Simulation } from './simulation.js';
import type { Traits } from './traits.js';

/** By which factors players change what they do. 1 is as before. */
export type Change = Readonly<{
  /** The share of players who pay. */
  conversion: number;
  /** What a purchase costs. */
  spend: number;
  /** The share of players who play on a day after the first one. */
  retention: number;
}>;

export const NO_CHANGE: Change = { conversion: 1, spend: 1, retention: 1 };

/** How the players of each arm react. Arms that are not listed change nothing. */
export type Reactions = Readonly<{ experimentId: string; changes: Readonly<Record<string, Change>> }>;

/** A player who knows an arm. */
export type Reacting = Readonly<{ sinceMs: number; change: Change }>;

const REACTION_KEY = 6;

/**
 * Purchases per session of a player who reacts. Each player has the same chance to become a payer, or to stop being one, so the share of
 * payers changes by exactly the factor, in every country. New payers are like the others.
 */
export function reactedPurchases(
  simulation: Simulation,
  index: number,
  { purchasesPerSession, wealth }: Traits,
  conversion: number,
): number {
  const habits = simulation.habits ?? CASUAL;
  const payers = habits.payerShare * wealth;
  if (conversion === 1) return purchasesPerSession;
  if (payers * conversion > 1) throw new RangeError('more than all players would pay');
  const random = randomFrom(simulation.seed, index, REACTION_KEY);
  const lot = random();
  if (purchasesPerSession > 0) return lot < conversion ? purchasesPerSession : 0;
  return lot < (payers * (conversion - 1)) / (1 - payers) ? purchaseRate(random, habits) : 0;
}

/** Rounded up or down by lot, so that the mean price changes by exactly the factor. */
export function reactedPrice(price: number, spend: number, lot: number): number {
  if (spend === 1) return price;
  return Math.floor(price * 100 * spend + lot) / 100;
}
