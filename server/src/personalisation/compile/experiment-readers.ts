import { runSteps } from '../../lib/steps.js';
import { type ConfigDocument, DOCUMENT_REGISTRY } from '../document/document.js';
import { entriesOf, entryName, idOf } from '../document/document-part.js';
import { hasHoldout, offerHoldoutId } from '../document/offer-holdouts.js';
import { OFFERS } from '../document/parts/offers.js';
import { experimentsBehind } from './price-basis.js';
import { ruleReadingSteps } from './rule-readings.js';

/**
 * What the arms of each experiment do: the entries whose rules read it, also through segments and flags, by their names such as
 * `value:jump_height`; of the hold-out of an offer the offer. While an experiment runs, a change of one of them changes an arm.
 */
export function experimentReaders(
  document: ConfigDocument,
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const readings = runSteps(ruleReadingSteps(document, DOCUMENT_REGISTRY.lists));
  const readers = new Map<string, Map<string, unknown>>(
    (document.experiments ?? []).map(({ experimentId }) => [experimentId, new Map()]),
  );
  for (const offer of document.offers.filter(hasHoldout)) {
    readers.set(offerHoldoutId(offer.offerId), new Map([[entryName(OFFERS, offer.offerId), offer]]));
  }
  for (const part of DOCUMENT_REGISTRY.lists) {
    for (const entry of entriesOf(document, part)) {
      const name = entryName(part, idOf(part, entry));
      const reading = readings.get(name);
      if (reading === undefined) continue;
      for (const id of experimentsBehind(reading, readings)) readers.get(id)?.set(name, entry);
    }
  }
  return readers;
}
