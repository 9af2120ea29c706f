import { runSteps } from '../../platform/lib/steps.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { withOwnAttributes } from '../attributes/own-attribute.js';
import { type ConfigDocument, DOCUMENT_REGISTRY } from '../document/document.js';
import { entriesOf, entryName, idOf } from '../document/document-part.js';
import { hasHoldout, offerHoldoutId } from '../document/offer-holdouts.js';
import { OFFERS } from '../document/parts/offers.js';
import { compileRule } from '../rules/rules.js';
import { scopeOf } from './compile-flags-and-segments.js';
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

/**
 * The ids of running experiments that no rule reads. Whatever reads one through a segment or a flag needs a rule that reads it itself, so only
 * rules that have the word are compiled: views ask this of large documents, too.
 */
export function unreadExperiments(document: ConfigDocument): string[] {
  const running = (document.experiments ?? []).filter(({ state }) => state === 'running');
  if (running.length === 0) return [];
  const scope = scopeOf(document, withOwnAttributes(ATTRIBUTE_REGISTRY, document.attributes ?? []));
  const read = new Set(
    DOCUMENT_REGISTRY.lists
      .flatMap((part) => entriesOf(document, part).flatMap((entry) => part.rulesOf?.(entry) ?? []))
      .filter(({ expression }) => expression.includes('experiment'))
      .flatMap(({ expression }) => {
        const result = compileRule(expression, scope);
        return result.ok ? result.rule.experiments : [];
      }),
  );
  return running.map(({ experimentId }) => experimentId).filter((id) => !read.has(id));
}

/** `Nothing reads it: no rule asks for experiment("price"), so nobody can be exposed.` */
export function unreadSentence(experimentId: string, { subject = 'it', hasPlayers = false } = {}): string {
  const nobody = hasPlayers ? 'nobody else' : 'nobody';
  return `Nothing reads ${subject}: no rule asks for experiment("${experimentId}"), so ${nobody} can be exposed.`;
}
