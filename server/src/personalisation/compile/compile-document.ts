import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { TIME_BASIS } from '../attributes/time-basis.js';
import { DEFAULT_PREDICTIONS } from '../document/default-document.js';
import type { ConfigDocument } from '../document/document.js';
import { toBasisPoints } from '../document/prices.js';
import { compileOffer, compileSku } from './compile-catalogue.js';
import {
  compileFlagsAndSegments,
  compileOrNever,
  nodeNames,
  type OnUnusable,
  scopeOf,
} from './compile-flags-and-segments.js';
import type { CompiledDocument, CompiledSegment } from './compiled-document.js';

export type Publication = Readonly<{
  version: number;
  publishedAt: number;
  /** Segment → the number of its present rule; 1 for those not listed. */
  segmentVersions?: Readonly<Record<string, number>>;
}>;

/**
 * Prepares a document for deciding. It was validated when it was published, but perhaps by an older version of this
 * service, and a game must not be without a store because of one entry: a rule that cannot be compiled is never true, and
 * any other unusable entry is left out. Each is reported.
 */
export function compileDocument(
  document: ConfigDocument,
  { version, publishedAt, segmentVersions = {} }: Publication,
  onUnusable: OnUnusable = () => {},
  attributes: AttributeRegistry = ATTRIBUTE_REGISTRY,
): CompiledDocument {
  const scope = scopeOf(document, attributes);
  const flagsAndSegments = compileFlagsAndSegments(document, segmentVersions, scope, onUnusable);

  const largestDiscount = toBasisPoints(document.store.largestDiscountPercent);
  const skus = document.catalogue
    .filter(({ active }) => active)
    .flatMap((entry) => orReport(`sku:${entry.skuId}`, onUnusable, () => compileSku(entry, largestDiscount)));
  const skuIndexes = new Map(skus.map(({ skuId }, index) => [skuId, index]));

  const offerFlags = new Set<string>();
  const offers = document.offers.flatMap((entry) => {
    const part = `offer:${entry.offerId}`;
    const rule = entry.when === null ? null : compileOrNever(entry.when, scope, part, onUnusable);
    let dependence = rule?.dependence ?? 0;
    for (const id of rule === null ? [] : nodeNames(rule)) {
      for (const flagId of flagsAndSegments.flagsBehind.get(id) ?? []) offerFlags.add(flagId);
      dependence |= flagsAndSegments.dependences.get(id) ?? 0;
    }
    return orReport(part, onUnusable, () => compileOffer(entry, rule, dependence, skuIndexes));
  });

  const rules = [...flagsAndSegments.nodes, ...offers].map(({ rule }) => rule);
  const { visibleToClients, off } = document.predictions ?? DEFAULT_PREDICTIONS;
  return Object.freeze({
    version,
    publishedAt,
    attributes,
    flagsAndSegments: flagsAndSegments.nodes,
    segments: byPriority(
      document,
      flagsAndSegments.nodes.filter((node) => node.kind === 'segment'),
    ),
    payerForDays: document.flags.isPayer.payerForDays,
    flagsAndSegmentsBasis: flagsAndSegments.nodes.reduce((union, { rule }) => union | (rule?.basis ?? 0), 0),
    visiblePredictions: new Set(visibleToClients),
    predictionsOff: new Set(off),
    usesPredictions: rules.some((rule) => rule !== null && (rule.basis & TIME_BASIS.predictions) !== 0),
    skus,
    inactiveSkuIds: document.catalogue.filter(({ active }) => !active).map(({ skuId }) => skuId),
    skuBoundaries: skus
      .flatMap(({ from, until }) => [from, until])
      .filter(Number.isFinite)
      .sort((a, b) => a - b),
    locales: new Set(skus.flatMap(({ texts }) => [...texts.keys()])),
    hasCurrencies: skus.some(({ skuPrices }) => skuPrices.size > 1),
    offers,
    offerFlags,
    holdoutPercent: document.store.holdoutPercent,
    sendFallback: document.store.sendFallback,
  });
}

function orReport<T>(part: string, onUnusable: OnUnusable, compile: () => T): T[] {
  try {
    return [compile()];
  } catch (error) {
    onUnusable(part, (error as Error).message);
    return [];
  }
}

function byPriority({ segments }: ConfigDocument, compiled: readonly CompiledSegment[]): CompiledSegment[] {
  const byId = new Map(compiled.map((segment) => [segment.listed.segmentId, segment]));
  return [...segments]
    .sort((a, b) => b.priority - a.priority)
    .flatMap(({ segmentId }) => byId.get(segmentId) ?? []);
}
