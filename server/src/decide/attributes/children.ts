import { PREDICTION_NAMES, type PredictionName } from '../predict/artefact.js';
import type { PlayerFacts } from './player-facts.js';

/**
 * A child gets list prices and offers for everybody of a country and platform only, and no predictions. Everything that decides about players asks here.
 */
export function isChild({ ageGroup }: Pick<PlayerFacts, 'ageGroup'>): boolean {
  return ageGroup === 'child';
}

export const ALL_PREDICTIONS: ReadonlySet<PredictionName> = new Set(PREDICTION_NAMES);

/** The predictions that are not made for a player: those that the document switches off, for a child all of them. */
export function predictionsOffFor(
  facts: Pick<PlayerFacts, 'ageGroup'>,
  { predictionsOff }: Readonly<{ predictionsOff: ReadonlySet<PredictionName> }>,
): ReadonlySet<PredictionName> {
  return isChild(facts) ? ALL_PREDICTIONS : predictionsOff;
}
