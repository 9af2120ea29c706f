import { logNormal, type Random } from './random.js';
import type { Habits } from './simulation.js';

/** Purchases per session of a payer. */
export function purchaseRate(random: Random, { purchasesPerSession }: Habits): number {
  return Math.min(1.5, logNormal(random, purchasesPerSession, 0.9));
}
