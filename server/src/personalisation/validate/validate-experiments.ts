import { slotsOverlap } from '../compile/arms.js';
import type { ExperimentEntry } from '../document/parts/experiments.js';
import type { Entry, ProblemList } from './document-problems.js';

type Layered = Entry<ExperimentEntry> & Readonly<{ layer: NonNullable<ExperimentEntry['layer']> }>;

/** The experiments that run in one layer have slots of their own, and one seed: so they never share a player. */
export function validateExperiments(
  experiments: readonly Entry<ExperimentEntry>[],
  problems: ProblemList,
): void {
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
