import { slotsOverlap } from '../compile/arms.js';
import { experimentReading } from '../compile/compile-experiments.js';
import { experimentsBehind, type Reading } from '../compile/price-basis.js';
import type { ExperimentEntry } from '../document/parts/experiments.js';
import type { Entry, ProblemList } from './document-problems.js';

type Layered = Entry<ExperimentEntry> & Readonly<{ layer: NonNullable<ExperimentEntry['layer']> }>;

/**
 * The experiments that run in one layer have slots of their own, and one seed: so they never share a player. Who may enter does not depend
 * on an experiment. Returns what each entry with rules reads, with the experiments.
 */
export function validateExperiments(
  experiments: readonly Entry<ExperimentEntry>[],
  rules: ReadonlyMap<string, Reading>,
  problems: ProblemList,
): ReadonlyMap<string, Reading> {
  const readings = new Map(rules);
  for (const { entry } of experiments) {
    const name = `experiment:${entry.experimentId}`;
    readings.set(name, { ...experimentReading(null, entry.state), ...rules.get(name) });
  }
  for (const { entry, pointer } of experiments) {
    const rule = rules.get(`experiment:${entry.experimentId}`);
    const [read] = rule === undefined ? [] : experimentsBehind(rule, readings);
    if (read === undefined) continue;
    problems.add(`${pointer}/when`, `Who may enter depends on the experiment "${read}", and must not.`);
  }
  validateLayers(experiments, problems);
  return readings;
}

function validateLayers(experiments: readonly Entry<ExperimentEntry>[], problems: ProblemList): void {
  const layers = new Map<string, Layered[]>();
  for (const { entry, pointer } of experiments) {
    const { layer, state } = entry;
    if (layer === undefined || state !== 'running') continue;
    const before = layers.get(layer.layerId) ?? [];
    const placed = { entry, pointer, layer };
    for (const other of before) compare(placed, other, problems);
    layers.set(layer.layerId, [...before, placed]);
  }
}

function compare(one: Layered, other: Layered, problems: ProblemList): void {
  const { layerId } = one.layer;
  const name = other.entry.experimentId;
  if (one.entry.seed !== other.entry.seed) {
    problems.add(
      `${one.pointer}/seed`,
      `"${name}" runs in the layer "${layerId}", too, with the seed "${other.entry.seed}": a layer has one seed.`,
    );
  }
  if (!slotsOverlap(slotOf(one), slotOf(other))) return;
  const { fromPercent, toPercent } = other.layer;
  problems.add(
    `${one.pointer}/layer`,
    `"${name}" runs in ${fromPercent} to ${toPercent} percent of the layer "${layerId}": the slots overlap.`,
  );
}

function slotOf({ layer: { fromPercent, toPercent } }: Layered) {
  return { from: fromPercent, to: toPercent };
}
