import type { Steps } from '../../lib/steps.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { withOwnAttributes } from '../attributes/own-attribute.js';
import type { ConfigDocument } from '../document/document.js';
import { entriesOf, entryName, idOf, type ListPart } from '../document/document-part.js';
import { EXPERIMENTS } from '../document/parts/experiments.js';
import { FLAGS } from '../document/parts/flags.js';
import { SEGMENTS } from '../document/parts/segments.js';
import { compileRule } from '../rules/rules.js';
import { nodeNames, scopeOf } from './compile-flags-and-segments.js';
import { experimentsBehind, type Reading } from './price-basis.js';

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
  const scope = scopeOf(document, withOwnAttributes(ATTRIBUTE_REGISTRY, document.attributes ?? []));
  const readings = new Map<string, Reading>();
  for (const part of READERS) {
    for (const entry of entriesOf(document, part)) {
      const rules = (part.rulesOf?.(entry) ?? []).map(({ expression }) => compileRule(expression, scope));
      const usable = rules.flatMap((result) => (result.ok ? [result.rule] : []));
      readings.set(entryName(part, idOf(part, entry)), {
        reads: usable.flatMap(({ reads }) => reads),
        needs: usable.flatMap(nodeNames),
      });
      yield;
    }
  }
  const ids = [...segments]
    .sort((a, b) => b.priority - a.priority)
    .map(({ segmentId }) => segmentId)
    .filter((id) => experimentsBehind({ reads: [], needs: [entryName(SEGMENTS, id)] }, readings).length === 0)
    .slice(0, EXPOSURE_SEGMENTS);
  return ids.length === 0 ? null : ids;
}
