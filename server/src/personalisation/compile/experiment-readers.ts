import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { type ConfigDocument, DOCUMENT_REGISTRY } from '../document/document.js';
import { entriesOf, entryName, idOf } from '../document/document-part.js';
import { hasHoldout, offerHoldoutId } from '../document/offer-holdouts.js';
import { OFFERS } from '../document/parts/offers.js';
import { compileRule } from '../rules/rules.js';
import { nodeNames, scopeOf } from './compile-flags-and-segments.js';
import { experimentsBehind, type Reading } from './price-basis.js';

/**
 * What the arms of each experiment do: the entries whose rules read it, also through segments and flags, by their names such as
 * `value:jump_height`; of the hold-out of an offer the offer. While an experiment runs, a change of one of them changes an arm.
 */
export function experimentReaders(
  document: ConfigDocument,
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const scope = scopeOf(document, ATTRIBUTE_REGISTRY);
  const readings = new Map<string, Reading>();
  const entries = new Map<string, unknown>();
  for (const part of DOCUMENT_REGISTRY.lists) {
    for (const entry of entriesOf(document, part)) {
      const rules = (part.rulesOf?.(entry) ?? []).flatMap(({ expression }) => {
        const result = compileRule(expression, scope);
        return result.ok ? [result.rule] : [];
      });
      const name = entryName(part, idOf(part, entry));
      readings.set(name, {
        reads: rules.flatMap(({ reads }) => reads),
        needs: rules.flatMap(nodeNames),
      });
      entries.set(name, entry);
    }
  }
  const readers = new Map<string, Map<string, unknown>>(
    (document.experiments ?? []).map(({ experimentId }) => [experimentId, new Map()]),
  );
  for (const offer of document.offers.filter(hasHoldout)) {
    readers.set(offerHoldoutId(offer.offerId), new Map([[entryName(OFFERS, offer.offerId), offer]]));
  }
  for (const [name, reading] of readings) {
    for (const id of experimentsBehind(reading, readings)) readers.get(id)?.set(name, entries.get(name));
  }
  return readers;
}
