import type { Steps } from '../../lib/steps.js';
import { compilationSteps } from '../../personalisation/compile/compile-document.js';
import type { CompiledOffer, CompiledSku } from '../../personalisation/compile/compiled-document.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { type Audience, audienceReader } from './offer-audience.js';

/** An offer that runs now or later. */
export type PricingOffer = Readonly<{
  offer: CompiledOffer;
  position: number;
  audience: Audience;
  /** Those it is about, by their ids. */
  skus: ReadonlyMap<string, CompiledSku>;
}>;

/** What decides about the prices of a document. */
export type PricedDocument = Readonly<{
  holdoutPercent: number;
  skus: ReadonlyMap<string, CompiledSku>;
  offers: readonly PricingOffer[];
}>;

/** In steps, one for each offer. */
export function* pricedDocumentSteps(source: ConfigDocument, now: number): Steps<PricedDocument> {
  const document = yield* compilationSteps(source, { version: 0, publishedAt: 0 });
  const audienceOf = audienceReader(document);
  const offers: PricingOffer[] = [];
  for (const [position, offer] of document.offers.entries()) {
    if (offer.until <= now || offer.sharePercent === 0) continue;
    const about = offer.skus.flatMap((index) => document.skus[index] ?? []);
    const skus = new Map(about.map((sku) => [sku.skuId, sku]));
    offers.push({ offer, position, audience: audienceOf(offer), skus });
    yield;
  }
  const { holdoutPercent } = document;
  return { holdoutPercent, skus: new Map(document.skus.map((sku) => [sku.skuId, sku])), offers };
}

/** The offers that run at an instant, by their ids. */
export function offersAt({ offers }: PricedDocument, atMs: number): ReadonlyMap<string, PricingOffer> {
  const running = offers.filter(
    ({ offer }) => offer.from <= atMs && atMs < offer.until && isOpen(offer.schedule, atMs),
  );
  return new Map(running.map((each) => [each.offer.offerId, each]));
}

/** Windows in the player's zone may be open for somebody at any time. */
function isOpen(schedule: CompiledOffer['schedule'], atMs: number): boolean {
  return schedule === null || schedule.zone === null || schedule.stateAt(atMs, schedule.zone).window !== null;
}
