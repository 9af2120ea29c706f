import type { Artefact } from './artefact.js';
import { ALL_TRUSTED, type DistrustedModels } from './score.js';
import { train } from './train.js';

/** What the predictions of a game are made with at a moment. */
export type ModelsInForce = Readonly<{
  artefact: Artefact;
  distrusted: DistrustedModels;
  /** Since when, in epoch milliseconds: a store that depends on predictions may have changed then. */
  since: number;
}>;

/** Nothing has been trained yet: what is told are the averages that every game begins with. */
export const UNTRAINED: Artefact = train({ day: 0, currency: null, origins: [] }, 0, null).artefact;

export const UNTRAINED_MODELS: ModelsInForce = Object.freeze({
  artefact: UNTRAINED,
  distrusted: ALL_TRUSTED,
  since: Number.NEGATIVE_INFINITY,
});
