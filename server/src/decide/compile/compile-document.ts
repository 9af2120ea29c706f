import { runSteps, type Steps } from '../../platform/lib/steps.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { withOwnAttributes } from '../attributes/own-attribute.js';
import { TIME_BASIS } from '../attributes/time-basis.js';
import type { ConfigDocument } from '../document/document.js';
import { DEFAULT_STUDIO_ZONE } from '../document/parts/calendar.js';
import { DEFAULT_PREDICTIONS } from '../document/parts/predictions.js';
import type { RuleScope } from '../rules/rule-paths.js';
import type { CompiledRule } from '../rules/rules.js';
import { type ScheduleCompiler, scheduleCompiler } from '../schedules/schedule-compiler.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import { compileOffer, compileSku, type SkuCompiler } from './compile-catalogue.js';
import { compileExperiments, experimentReading, markAboutOffers } from './compile-experiments.js';
import {
  compileFlagsAndSegments,
  compileOrNever,
  type FlagOrSegment,
  nodeNames,
  type OnUnusable,
  orReport,
  scopeOf,
} from './compile-flags-and-segments.js';
import { compileSkus } from './compile-skus.js';
import { compileValue } from './compile-values.js';
import type {
  CompiledDocument,
  CompiledExperiment,
  CompiledOffer,
  CompiledSegment,
  CompiledValue,
} from './compiled-document.js';
import {
  attributesBehind,
  compilePricing,
  experimentsBehind,
  type LowestPriceBefore,
  type Reading,
  variesBy,
} from './price-basis.js';

export type Publication = Readonly<{
  version: number;
  publishedAt: number;
  /** Segment → the number of its present rule; 1 for those not listed. */
  segmentVersions?: Readonly<Record<string, number>>;
  /** As they were stored when it was published. */
  exposureSegments?: readonly string[] | null;
  /** From this version and those before it, where players are told. */
  lowestPriceBefore?: LowestPriceBefore | null;
  /** One that remembers the SKUs of the version before, or that compiles each of them. */
  skuCompiler?: SkuCompiler;
}>;

/**
 * Prepares a document for deciding. It was validated when it was published, but perhaps by an older version of this
 * service, and a game must not be without a store because of one entry: a rule that cannot be compiled is never true, and
 * any other unusable entry is left out. Each is reported.
 */
export function compileDocument(
  document: ConfigDocument,
  publication: Publication,
  onUnusable?: OnUnusable,
  attributes?: AttributeRegistry,
): CompiledDocument {
  return runSteps(compilationSteps(document, publication, onUnusable, attributes));
}

/** The same in steps, one for each entry of the document. */
export function* compilationSteps(
  document: ConfigDocument,
  {
    version,
    publishedAt,
    segmentVersions = {},
    exposureSegments = null,
    lowestPriceBefore = null,
    skuCompiler = compileSku,
  }: Publication,
  onUnusable: OnUnusable = () => {},
  registry: AttributeRegistry = ATTRIBUTE_REGISTRY,
): Steps<CompiledDocument> {
  const attributes = withOwnAttributes(registry, document.attributes ?? []);
  const scope = scopeOf(document, attributes);
  const experiments = compileExperiments(document, scope, onUnusable);
  const studioZone = document.calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
  const compileSchedule = scheduleCompiler(studioZone);
  const flagsAndSegments = yield* compileFlagsAndSegments(
    document,
    segmentVersions,
    scope,
    { experiments, compileSchedule },
    onUnusable,
  );
  const pricing = document.pricing === undefined ? null : compilePricing(document.pricing);
  const skus = yield* compileSkus(
    document,
    pricing?.list ?? null,
    { compileSchedule, skuCompiler },
    onUnusable,
  );
  const skuIndexes = new Map(skus.map(({ skuId }, index) => [skuId, index]));

  const readings = readingsOf(flagsAndSegments.nodes, experiments);
  const offerExperiments = new Set<string>();
  const offerFlags = new Set<string>();
  const offers: CompiledOffer[] = [];
  for (const entry of document.offers) {
    const part = `offer:${entry.offerId}`;
    const rule = entry.when === null ? null : compileOrNever(entry.when, scope, part, onUnusable);
    let dependence = rule?.dependence ?? 0;
    for (const id of rule === null ? [] : nodeNames(rule)) {
      for (const flagId of flagsAndSegments.flagsBehind.get(id) ?? []) offerFlags.add(flagId);
      dependence |= flagsAndSegments.dependences.get(id) ?? 0;
    }
    if (rule !== null)
      for (const id of experimentsBehind(readingOf(rule), readings)) offerExperiments.add(id);
    const varies = variesBy(
      entry,
      rule === null ? NO_ATTRIBUTES : attributesBehind(readingOf(rule), readings),
    );
    offers.push(
      ...orReport(part, onUnusable, () =>
        compileOffer(entry, rule, dependence, varies, skuIndexes, compileSchedule),
      ),
    );
    yield;
  }

  const values = yield* compileValues(document, scope, compileSchedule, onUnusable);
  const ruled = [
    ...flagsAndSegments.nodes,
    ...experiments.values(),
    ...offers,
    ...values.flatMap((value) => value.rules),
  ];
  const rules = ruled.map(({ rule }) => rule);
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
    exposureSegments: exposureSegments && new Set(exposureSegments),
    payerForDays: document.flags.isPayer.payerForDays,
    flagsAndSegmentsBasis: [...flagsAndSegments.nodes, ...experiments.values()].reduce(
      (union, { rule }) => union | (rule?.basis ?? 0),
      0,
    ),
    visiblePredictions: new Set(visibleToClients),
    predictionsOff: new Set(off),
    usesPredictions: rules.some((rule) => rule !== null && (rule.basis & TIME_BASIS.predictions) !== 0),
    skus,
    inactiveSkuIds: document.catalogue.filter(({ active }) => !active).map(({ skuId }) => skuId),
    skuBoundaries: skus
      .flatMap(({ from, until }) => [from, until])
      .filter(Number.isFinite)
      .sort((a, b) => a - b),
    skuSchedules: [...new Set(skus.flatMap(({ schedule }) => schedule ?? []))],
    locales: new Set(skus.flatMap(({ texts }) => [...texts.keys()])),
    hasCurrencies: skus.some(({ skuPrices }) => skuPrices.size > 1),
    offers,
    offerFlags,
    offerFlagSchedules: flagSchedules(flagsAndSegments.nodes, offerFlags),
    storeSize: offers.reduce((sum, offer) => sum + offer.skus.length, skus.length),
    values,
    experiments: markAboutOffers(experiments, offerExperiments),
    holdoutPercent: document.store.holdoutPercent,
    sendFallback: document.store.sendFallback,
    studioZone,
    pricing,
    lowestPriceBefore,
  });
}

const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

function readingOf(rule: CompiledRule): Reading {
  return { reads: rule.reads, needs: nodeNames(rule) };
}

function flagSchedules(
  nodes: readonly FlagOrSegment[],
  flagIds: ReadonlySet<string>,
): readonly CompiledSchedule[] {
  const schedules = nodes.flatMap((node) =>
    node.kind === 'flag' && flagIds.has(node.flagId) ? (node.schedule ?? []) : [],
  );
  return [...new Set(schedules)];
}

function readingsOf(
  nodes: readonly FlagOrSegment[],
  experiments: ReadonlyMap<string, CompiledExperiment>,
): ReadonlyMap<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const node of nodes) {
    const id = node.kind === 'flag' ? `flag:${node.flagId}` : `segment:${node.listed.segmentId}`;
    if (node.rule !== null) readings.set(id, readingOf(node.rule));
  }
  for (const [id, { rule, state }] of experiments) {
    readings.set(`experiment:${id}`, experimentReading(rule, state));
  }
  return readings;
}

/** A value that cannot be used is left out: games then use the default that they were built with. */
function* compileValues(
  { values = [] }: ConfigDocument,
  scope: RuleScope,
  compileSchedule: ScheduleCompiler,
  onUnusable: OnUnusable,
): Steps<CompiledValue[]> {
  const compiled: CompiledValue[] = [];
  for (const entry of values) {
    const part = `value:${entry.key}`;
    const rules = entry.rules.map(({ when }) =>
      when === null ? null : compileOrNever(when, scope, part, onUnusable),
    );
    compiled.push(...orReport(part, onUnusable, () => compileValue(entry, rules, compileSchedule)));
    yield;
  }
  return compiled;
}

function byPriority({ segments }: ConfigDocument, compiled: readonly CompiledSegment[]): CompiledSegment[] {
  const byId = new Map(compiled.map((segment) => [segment.listed.segmentId, segment]));
  return [...segments]
    .sort((a, b) => b.priority - a.priority)
    .flatMap(({ segmentId }) => byId.get(segmentId) ?? []);
}
