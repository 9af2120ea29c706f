import { DAY_MS } from '../../platform/lib/day.js';
import type { ConfigDocument } from './document.js';
import type { ExperimentEntry } from './parts/experiments.js';
import type { OfferEntry } from './parts/offers.js';

/**
 * The hold-out of an offer is measured as an experiment with two arms: players whom the offer would apply to, and who get it or do not. So its
 * report has the same gates, intervals and words.
 */

export const HELD_OUT = 'held_out';
export const OFFERED = 'offered';

const HOLDOUT = 'offer:';

/** No experiment of a document has a colon in its id. */
export function offerHoldoutId(offerId: string): string {
  return `${HOLDOUT}${offerId}`;
}

export function isOfferHoldout(experimentId: string): boolean {
  return experimentId.startsWith(HOLDOUT);
}

/** Another share begins anew. */
export function offerHoldoutSeed(holdoutPercent: number): string {
  return String(holdoutPercent);
}

export function hasHoldout(offer: OfferEntry): boolean {
  return (offer.holdoutPercent ?? 0) > 0;
}

/** What an offer changed shows in the weeks after it. Later days only blur the comparison. */
const DAYS_AFTER_OFFER = 28;

/** Whether a hold-out needs no sums of this day any more. */
export function isHoldoutOver(offers: readonly OfferEntry[], experimentId: string, day: string): boolean {
  const until = offers.find(({ offerId }) => offerHoldoutId(offerId) === experimentId)?.until ?? null;
  return until !== null && Date.parse(until) < Date.parse(day) - DAYS_AFTER_OFFER * DAY_MS;
}

/** Weights are whole numbers. */
const FINE = 10_000;

export function offerHoldout({ offerId, name, holdoutPercent = 0 }: OfferEntry): ExperimentEntry {
  const scale = Number.isInteger(holdoutPercent) ? 1 : FINE;
  const heldOut = Math.max(1, Math.round(holdoutPercent * scale));
  return {
    experimentId: offerHoldoutId(offerId),
    name,
    hypothesis: '',
    when: null,
    coveragePercent: 100,
    seed: offerHoldoutSeed(holdoutPercent),
    variants: [
      { variantId: HELD_OUT, name: 'Held out', weight: heldOut },
      { variantId: OFFERED, name, weight: 100 * scale - heldOut },
    ],
    metrics: {
      primary: { kind: 'share', of: 'converted' },
      secondary: [{ kind: 'sum', sum: { of: 'revenue', currency: null } }],
      guardrails: [],
    },
    plan: null,
    state: 'running',
  };
}

type Measured = Pick<ConfigDocument, 'experiments' | 'offers'>;

/** All that is measured with arms: the experiments of a document, and the hold-outs of its offers. An offer without a share is for nobody. */
export function measuredExperiments({ experiments = [], offers }: Measured): ExperimentEntry[] {
  return [
    ...experiments,
    ...offers.filter((offer) => hasHoldout(offer) && offer.sharePercent > 0).map(offerHoldout),
  ];
}
