import type { SequenceOptions } from './confidence-sequence.js';
import type { Effect } from './effect.js';
import { mixtureRho } from './normal-mixture.js';

/**
 * A guardrail asks: is the arm not worse by more than a margin? Only one side matters, so its bounds are one-sided, and like those of the
 * metrics they may be looked at daily.
 */
export type Guardrail = Readonly<{
  state: 'safe' | 'breached' | 'not_proven';
  /** The effect is above this, and below that, each with probability 1 − alpha at all looks. */
  above: number;
  below: number;
}>;

export type GuardrailOptions = SequenceOptions & Readonly<{ margin: number; worse: 'lower' | 'higher' }>;

/** `margin` is at least 0, in the unit of the effect: 0.02 of a relative effect is 2%. */
export function checkGuardrail(effect: Effect, options: GuardrailOptions): Guardrail {
  const half = effect.standardError * oneSidedCriticalValue(effect.players, options);
  const [above, below] = [effect.value - half, effect.value + half];
  const { margin, worse } = options;
  const isSafe = worse === 'lower' ? above > -margin : below < margin;
  const isBreached = worse === 'lower' ? below < -margin : above > margin;
  return { state: isSafe ? 'safe' : isBreached ? 'breached' : 'not_proven', above, below };
}

/**
 * The one-sided asymptotic confidence sequence of arXiv 2103.06476 (equation 134 in version 7), in
 * standard errors. It is tuned as a two-sided one of 2 alpha is.
 */
export function oneSidedCriticalValue(players: number, { tunedTo, alpha = 0.05 }: SequenceOptions): number {
  const rho = mixtureRho(tunedTo, 2 * alpha);
  const growth = 1 + players / rho;
  return Math.sqrt(2 * (1 + rho / players) * Math.log1p(Math.sqrt(growth) / (2 * alpha)));
}
