import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import type { ArmMove } from '../../decide/rules/rule-changes.js';
import { canonicalJson } from '../../platform/lib/canonical-json.js';

/** An experiment as a document has it. */
export type ReadExperiment = Readonly<{
  entry: ExperimentEntry;
  /** Its `when` and all rules that it refers to, as a text. */
  mayEnter: string;
}>;

/**
 * The arms that one player may have before and after a publication, in pairs; '' is for a player who is not in the experiment.
 * Undefined for an experiment that the document does not have. Players who are pinned to a variant do not count: those are test devices.
 */
export function armMoves(before: ReadExperiment | undefined, after: ReadExperiment | undefined): ArmMove[] {
  if (before !== undefined && after !== undefined) {
    const hasSameAudience = before.mayEnter === after.mayEnter;
    if (isDrawnAlike(before.entry, after.entry)) {
      // Whoever has seen an arm has it stored and keeps it. Nobody is thrown out, but others may come in.
      const mayComeIn = !hasSameAudience || after.entry.coveragePercent > before.entry.coveragePercent;
      const arms = variantsOf(before.entry);
      return [
        ['', ''],
        ...arms.map((arm): ArmMove => [arm, arm]),
        ...(mayComeIn ? arms.map((arm): ArmMove => ['', arm]) : []),
      ];
    }
    if (before.entry.state === 'decided' && after.entry.state === 'decided' && hasSameAudience) {
      // The same players have the old winner and the new one.
      const [former, next] = [armsOf(before), armsOf(after)];
      return former.map((arm, index): ArmMove => [arm, next[index] ?? '']);
    }
  }
  return armsOf(before).flatMap((arm) => armsOf(after).map((next): ArmMove => [arm, next]));
}

function isDrawnAlike(before: ExperimentEntry, after: ExperimentEntry): boolean {
  const draw = ({ state, seed, layer, variants }: ExperimentEntry) =>
    canonicalJson([
      ...[state, seed, layer ?? null],
      variants.map(({ variantId, weight }) => [variantId, weight]),
    ]);
  return before.state === 'running' && draw(before) === draw(after);
}

function armsOf(experiment: ReadExperiment | undefined): string[] {
  if (experiment === undefined) return [''];
  const { state, when, winner = '' } = experiment.entry;
  if (state === 'running') return ['', ...variantsOf(experiment.entry)];
  if (state === 'decided') return when === null ? [winner] : [winner, ''];
  return [''];
}

function variantsOf({ variants }: ExperimentEntry): string[] {
  return variants.map(({ variantId }) => variantId);
}
