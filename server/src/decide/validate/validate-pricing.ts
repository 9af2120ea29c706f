import type { Suggest } from '../../platform/lib/nearest-name.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { attributesBehind, type Reading } from '../compile/price-basis.js';
import type { OfferEntry } from '../document/parts/offers.js';
import type { PricingSettings } from '../document/parts/pricing.js';
import type { Entry, ProblemList } from './document-problems.js';

/** No rule about a price reads an attribute that the game forbids, not even through segments and flags. */
export function validateForbidden(
  { forbiddenAttributes }: PricingSettings,
  offers: readonly Entry<OfferEntry>[],
  readings: ReadonlyMap<string, Reading>,
  attributes: AttributeRegistry,
  suggest: Suggest,
  problems: ProblemList,
): void {
  for (const [index, name] of forbiddenAttributes.entries()) {
    if (attributes.find(name) !== undefined) continue;
    const known = attributes.attributes.map((attribute) => attribute.name);
    problems.add(
      `/pricing/forbiddenAttributes/${index}`,
      `There is no attribute "${name}".${suggest(name, known)}`,
    );
  }
  for (const { entry, pointer } of offers) {
    const reading = readings.get(`offer:${entry.offerId}`);
    if (reading === undefined || !decidesPrices(entry, offers)) continue;
    const names = attributesBehind(reading, readings);
    const found = forbiddenAttributes.find((name) => names.has(name));
    if (found === undefined) continue;
    problems.add(
      `${pointer}/when`,
      `The rule of this offer decides about prices and reads ${found}${through(found, reading, readings)}, which the game forbids in rules about prices.`,
    );
  }
}

/** It has a price, or may keep a player from that of a later offer. */
function decidesPrices(offer: OfferEntry, offers: readonly Entry<OfferEntry>[]): boolean {
  if (offer.effect.price !== undefined) return true;
  if (offer.combine) return false;
  const later = offers.slice(offers.findIndex(({ entry }) => entry === offer) + 1);
  return later.some(
    ({ entry }) => entry.effect.price !== undefined && !entry.combine && overlap(offer.skus, entry.skus),
  );
}

function overlap(one: OfferEntry['skus'], other: OfferEntry['skus']): boolean {
  if (one === 'all' || other === 'all') return true;
  const ids = new Set(one);
  return other.some((skuId) => ids.has(skuId));
}

/** ` through segment "whales"` if the rule does not read it itself. */
function through(name: string, { reads, needs }: Reading, readings: ReadonlyMap<string, Reading>): string {
  if (reads.some((path) => path.name === name)) return '';
  const need = needs.find((id) => {
    const node = readings.get(id);
    return node !== undefined && attributesBehind(node, readings).has(name);
  });
  return need === undefined ? '' : ` through ${need.replace(':', ' "')}"`;
}
