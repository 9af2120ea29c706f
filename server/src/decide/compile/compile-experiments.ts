import type { ConfigDocument } from '../document/document.js';
import type { ExperimentEntry } from '../document/parts/experiments.js';
import type { RuleScope } from '../rules/rule-paths.js';
import type { CompiledRule } from '../rules/rules.js';
import { armRanges, armSalt, type Range } from './arms.js';
import { compileOrNever, nodeNames, type OnUnusable } from './compile-flags-and-segments.js';
import type { CompiledExperiment } from './compiled-document.js';
import type { Reading } from './price-basis.js';

/** Prepares the experiments of a document, by id. */
export function compileExperiments(
  { experiments = [] }: ConfigDocument,
  scope: RuleScope,
  onUnusable: OnUnusable,
): Map<string, CompiledExperiment> {
  // Who may enter cannot depend on an experiment: there would be no order in which to decide.
  const own = { ...scope, experiments: new Map() };
  return new Map(
    experiments.map((entry) => {
      const part = `experiment:${entry.experimentId}`;
      const rule = entry.when === null ? null : compileOrNever(entry.when, own, part, onUnusable);
      return [entry.experimentId, compileExperiment(entry, rule)];
    }),
  );
}

function compileExperiment(entry: ExperimentEntry, rule: CompiledRule | null): CompiledExperiment {
  const { experimentId, seed, layer, variants, coveragePercent, state, winner } = entry;
  const slot = layer === undefined ? WHOLE : slotOf(layer);
  const weights = variants.map(({ weight }) => weight);
  return {
    experimentId,
    seed,
    state,
    rule,
    variantIds: variants.map(({ variantId }) => variantId),
    salt: armSalt({ id: layer?.layerId ?? experimentId, seed }),
    slot,
    coveragePercent,
    ranges: armRanges(weights, coveragePercent / 100, slot),
    winner: winner ?? null,
    isAboutOffers: false,
  };
}

const WHOLE: Range = { from: 0, to: 1 };

function slotOf({ fromPercent, toPercent }: NonNullable<ExperimentEntry['layer']>): Range {
  return { from: fromPercent / 100, to: toPercent / 100 };
}

/** What an experiment means for rules that read it, as of a flag or segment. Once it is decided, nobody is drawn by lot any more. */
export function experimentReading(
  rule: Pick<CompiledRule, 'reads' | 'segments' | 'flags' | 'experiments'> | null,
  state: ExperimentEntry['state'],
): Reading {
  return {
    reads: rule?.reads ?? [],
    needs: rule === null ? [] : nodeNames(rule),
    also: state === 'decided' ? [] : ['experiments'],
  };
}

/** The experiments with those marked that decide about offers. Children are left out of them. */
export function markAboutOffers(
  experiments: ReadonlyMap<string, CompiledExperiment>,
  ofOffers: ReadonlySet<string>,
): ReadonlyMap<string, CompiledExperiment> {
  return new Map(
    [...experiments].map(([id, experiment]) => [id, { ...experiment, isAboutOffers: ofOffers.has(id) }]),
  );
}
