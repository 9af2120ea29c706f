import type { Steps } from '../../platform/lib/steps.js';
import type { ConfigDocument } from '../document/document.js';
import { entryName, type ListPart } from '../document/document-part.js';
import { EXPERIMENTS } from '../document/parts/experiments.js';
import { FLAGS } from '../document/parts/flags.js';
import { SEGMENTS } from '../document/parts/segments.js';
import { experimentsBehind } from './price-basis.js';
import { ruleReadingSteps } from './rule-readings.js';

/** Each that a player is in is stored with every first exposure of the player: usually some 16 bytes. */
export const EXPOSURE_SEGMENTS = 50;

const READERS: readonly ListPart[] = [FLAGS, SEGMENTS, EXPERIMENTS];

/**
 * The segments by which players of the experiments of a document can be grouped: those of the highest priority whose members no arm decides
 * about. A segment that reads an experiment, also through other segments and flags, is an effect of its arms. Null: there is nothing to store.
 */
export function* exposureSegmentSteps(document: ConfigDocument): Steps<readonly string[] | null> {
  const { experiments = [], segments } = document;
  if (!experiments.some(({ state }) => state === 'running')) return null;
  const readings = yield* ruleReadingSteps(document, READERS);
  const ids = [...segments]
    .sort((a, b) => b.priority - a.priority)
    .map(({ segmentId }) => segmentId)
    .filter((id) => experimentsBehind({ reads: [], needs: [entryName(SEGMENTS, id)] }, readings).length === 0)
    .slice(0, EXPOSURE_SEGMENTS);
  return ids.length === 0 ? null : ids;
}
