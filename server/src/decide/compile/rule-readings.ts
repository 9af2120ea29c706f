import type { Steps } from '../../platform/lib/steps.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { withOwnAttributes } from '../attributes/own-attribute.js';
import type { ConfigDocument } from '../document/document.js';
import { entriesOf, entryName, idOf, type ListPart } from '../document/document-part.js';
import { compileRule } from '../rules/rules.js';
import { nodeNames, scopeOf } from './compile-flags-and-segments.js';
import type { Reading } from './price-basis.js';

/** What the rules of each entry of some parts read and need, by names such as `value:jump_height`. A rule that cannot be used reads nothing. */
export function* ruleReadingSteps(
  document: ConfigDocument,
  parts: readonly ListPart[],
): Steps<ReadonlyMap<string, Reading>> {
  const scope = scopeOf(document, withOwnAttributes(ATTRIBUTE_REGISTRY, document.attributes ?? []));
  const readings = new Map<string, Reading>();
  for (const part of parts) {
    for (const entry of entriesOf(document, part)) {
      const rules = (part.rulesOf?.(entry) ?? []).flatMap(({ expression }) => {
        const result = compileRule(expression, scope);
        return result.ok ? [result.rule] : [];
      });
      readings.set(entryName(part, idOf(part, entry)), {
        reads: rules.flatMap(({ reads }) => reads),
        needs: rules.flatMap(nodeNames),
      });
      yield;
    }
  }
  return readings;
}
