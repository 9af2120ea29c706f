import type { Offer } from './document.js';

/** An offer that holds nobody out does not have the member. */
export function withHoldout(offer: Offer, percent: number): Offer {
  const { holdoutPercent: _, ...rest } = offer;
  return percent === 0 ? rest : { ...rest, holdoutPercent: percent };
}
