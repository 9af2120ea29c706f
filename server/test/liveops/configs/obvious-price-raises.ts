import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import type {
  CompiledDocument,
  CompiledOffer,
  CompiledSku,
  CompiledSkuPrice,
} from '../../../src/decide/compile/compiled-document.js';
import { applyOffer, type SkuChange } from '../../../src/decide/decide/sku-change.js';
import { comingInstants } from '../../../src/decide/document/coming-instants.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { DEFAULT_STUDIO_ZONE } from '../../../src/decide/document/parts/calendar.js';
import { formatMinorUnits } from '../../../src/decide/document/prices.js';
import type { CompiledRule } from '../../../src/decide/rules/rules.js';
import { mayLose } from '../../../src/liveops/configs/audience-changes.js';
import type { Audience } from '../../../src/liveops/configs/offer-audience.js';
import { chainsOf, conflictsOf } from '../../../src/liveops/configs/offer-conflicts.js';
import type { PriceRaise } from '../../../src/liveops/configs/price-raises.js';
import { offersAt, offersSeenAt } from '../../../src/liveops/configs/priced-document.js';

/** The search for price raises without any shortcut: whole documents are compiled, and every price is worked out at every instant. */
export function obviousPriceRaises(
  current: ConfigDocument,
  next: ConfigDocument,
  now: number,
  most = 1_000,
): PriceRaise[] {
  const [before, after] = [pricedDocument(current, now), pricedDocument(next, now)];
  const found: PriceRaise[] = [];
  const highest = new Map<string, bigint>();
  const instants = comingInstants([current, next], now).instants.map(({ atMs }) => atMs);
  for (const atMs of [now, ...instants]) {
    const [was, is] = [offersAt(before, atMs), offersAt(after, atMs)];
    for (const [offerId, running] of was) {
      if (!offersSeenAt(before, now).has(offerId)) continue;
      const same = is.get(offerId);
      const isHeldOutMore = after.holdoutPercent > before.holdoutPercent;
      const isKept = same !== undefined && !isHeldOutMore && !mayLose(running.audience, same.audience);
      for (const skuId of running.skuIds) {
        const [sku, skuAfter] = [before.skuOf(skuId), after.skuOf(skuId)];
        if (sku === undefined || skuAfter === undefined) continue;
        const chains =
          isKept && same.skuIds.has(skuId)
            ? chainsOf(same, conflictsOf(same, running, was, is), skuId)
            : [[]];
        for (const price of sku.skuPrices.values()) {
          const priceAfter = skuAfter.skuPrices.get(price.currency);
          const from = priceBy([running.offer], sku, price);
          if (priceAfter === undefined || from === null) continue;
          const all = chains.map((chain) => priceBy(chain, skuAfter, priceAfter)).filter((to) => to !== null);
          const to = all.reduce((dearest, each) => (each > dearest ? each : dearest), from);
          const key = `${offerId} ${skuId} ${price.currency}`;
          if (to <= (highest.get(key) ?? from) || found.length === most) continue;
          highest.set(key, to);
          found.push({
            offerId,
            skuId,
            currency: price.currency,
            from: formatMinorUnits(from, price.decimals),
            to: formatMinorUnits(to, price.decimals),
            at: atMs === now ? null : new Date(atMs).toISOString(),
            pointer: `/offers/${current.offers.findIndex((offer) => offer.offerId === offerId)}`,
          });
        }
      }
    }
  }
  return found;
}

function pricedDocument(source: ConfigDocument, now: number) {
  const document = compileDocument(source, { version: 0, publishedAt: 0 });
  const skus = new Map(document.skus.map((sku) => [sku.skuId, sku]));
  const offers = document.offers.map((offer, position) => ({
    offer,
    position,
    audience: audienceOf(offer, document),
    skuIds: new Set(offer.skus.flatMap((index) => document.skus[index]?.skuId ?? [])),
  }));
  return {
    holdoutPercent: document.holdoutPercent,
    studioZone: source.calendar?.studioZone ?? DEFAULT_STUDIO_ZONE,
    skuOf: (skuId: string) => skus.get(skuId),
    offers: offers.filter(({ offer }) => offer.until > now && offer.sharePercent > 0),
  };
}

/** The rules of these documents ask for no predictions and no experiments. */
function audienceOf(
  { rule, sharePercent, holdout, limitPerPlayer, promoId }: CompiledOffer,
  { flagsAndSegments, payerForDays }: CompiledDocument,
): Audience {
  const texts = new Set<string>();
  const add = (each: CompiledRule) => {
    texts.add(each.expression);
    for (const node of flagsAndSegments) {
      const isMeant =
        node.kind === 'flag'
          ? each.flags.includes(node.flagId)
          : each.segments.includes(node.listed.segmentId);
      if (!isMeant) continue;
      const name = node.kind === 'flag' ? `${node.flagId} ${node.defaultValue}` : node.listed.segmentId;
      const days = node.kind === 'flag' && node.isPayer ? payerForDays : null;
      texts.add(`${name} ${days} ${node.rule?.expression}`);
      if (node.rule !== null) add(node.rule);
    }
  };
  if (rule !== null) add(rule);
  return {
    rules: [...texts].sort().join('\n'),
    sharePercent,
    holdoutPercent: holdout?.percent ?? 0,
    limit: limitPerPlayer ?? Number.POSITIVE_INFINITY,
    counted: limitPerPlayer === null ? null : promoId,
    armRule: null,
  };
}

function priceBy(
  offers: readonly CompiledOffer[],
  sku: CompiledSku,
  skuPrice: CompiledSkuPrice,
): bigint | null {
  let change: SkuChange | undefined;
  for (const offer of offers)
    change = applyOffer(offer, { sku, text: sku.defaultText, skuPrice }, change, false);
  if (change === undefined) return sku.hidden ? null : skuPrice.offer;
  return change.isVisible ? change.price : null;
}
