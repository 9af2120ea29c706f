import type { CompiledOffer } from '../../decide/compile/compiled-document.js';
import { mayApply, mayGain } from './audience-changes.js';
import type { PricingOffer } from './priced-document.js';

/** An offer that conflicts with another one, and where it did so before, if it did. */
export type ConflictingOffer = Readonly<{ running: PricingOffer; former: PricingOffer | undefined }>;

/** The offers that may raise the price of a SKU when they apply together with `successor`. */
export function conflictsOf(
  successor: PricingOffer,
  running: PricingOffer,
  before: ReadonlyMap<string, PricingOffer>,
  after: ReadonlyMap<string, PricingOffer>,
): ConflictingOffer[] {
  const conflicts: ConflictingOffer[] = [];
  for (const other of after.values()) {
    if (other === successor || !isInTheWay(other, successor) || !mayApply(other.audience)) continue;
    const former = before.get(other.offer.offerId);
    const wasThere =
      former !== undefined &&
      isInTheWay(former, running) &&
      former.position < running.position === other.position < successor.position &&
      former.offer.combine === other.offer.combine &&
      running.offer.combine === successor.offer.combine &&
      // Players who had both offers before have seen that price; the offer is also checked by itself.
      !mayGain(former.audience, other.audience);
    conflicts.push({ running: other, former: wasThere ? former : undefined });
  }
  return conflicts;
}

/**
 * Of two offers that do not combine the first wins. Where both apply, discounts only lower a price, but a set price may raise
 * it.
 */
function isInTheWay({ offer, position }: PricingOffer, other: PricingOffer): boolean {
  if (!offer.combine && !other.offer.combine) return position < other.position;
  return offer.setTo !== null;
}

/** A SKU seldom has more offers at once. Beyond that number, the catalogue's price is assumed for all of them. */
const MAX_CONFLICTS = 4;

/** The offers that a player of `successor` may get for a SKU, in order; each list is one combination. */
export function chainsOf(
  successor: PricingOffer,
  conflicts: readonly ConflictingOffer[],
  skuId: string,
): CompiledOffer[][] {
  const chains = [[successor.offer]];
  for (const { running, former } of conflicts) {
    if (!running.skuIds.has(skuId) || former?.skuIds.has(skuId) === true) continue;
    if (chains.length > MAX_CONFLICTS) return [...chains, []];
    chains.push(
      running.position < successor.position
        ? [running.offer, successor.offer]
        : [successor.offer, running.offer],
    );
  }
  return chains;
}
