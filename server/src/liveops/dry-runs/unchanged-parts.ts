import { TIME_BASIS } from '../../decide/attributes/time-basis.js';
import { nodeNames } from '../../decide/compile/compile-flags-and-segments.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import {
  EVALUATED_PARTS,
  type EvaluatedPart,
  entriesNamed,
  evaluatedEntries,
  neededEntries,
} from '../../decide/decide/evaluated-parts.js';
import type { CompiledRule } from '../../decide/rules/rules.js';

/** What still has to be evaluated under the old document after the new document was evaluated. */
export type Comparison = Readonly<{
  /** Entries such as `segment:payer`, `flag:beta` and `offer:sale` that are the same for every player under both documents. */
  unchanged: ReadonlySet<string>;
  /** The old document without the unchanged entries, except for those that changed entries refer to. */
  rest: CompiledDocument;
}>;

/** Most changes are small. Entries that they do not touch are evaluated once instead of twice, which halves the work. */
export function compareDocuments(
  before: CompiledDocument,
  after: CompiledDocument,
  parts: readonly EvaluatedPart[] = EVALUATED_PARTS,
): Comparison {
  const former = evaluatedEntries(before, parts);
  const present = evaluatedEntries(after, parts);
  const areSameOff = [...before.predictionsOff].sort().join() === [...after.predictionsOff].sort().join();
  const isSameRule = (old: CompiledRule, rule: CompiledRule | undefined): boolean => {
    if (rule === undefined) return false;
    const needs = nodeNames(old);
    // The same rule may refer to an entry that has changed.
    return (
      old.expression === rule.expression &&
      (areSameOff || (old.basis & TIME_BASIS.predictions) === 0) &&
      ownKeysOf(before, old).join() === ownKeysOf(after, rule).join() &&
      needs.join() === nodeNames(rule).join() &&
      needs.every((need) => entriesNamed(before, need).every(isUnchanged))
    );
  };
  const known = new Map<string, boolean>();
  const isUnchanged = (name: string): boolean => {
    let isSame = known.get(name);
    if (isSame === undefined) {
      const [old, counterpart] = [former.get(name), present.get(name)];
      isSame =
        old !== undefined &&
        old.conditions === counterpart?.conditions &&
        old.rules.length === counterpart.rules.length &&
        old.rules.every((rule, index) => isSameRule(rule, counterpart.rules[index]));
      known.set(name, isSame);
    }
    return isSame;
  };
  const unchanged = new Set([...former.keys()].filter(isUnchanged));
  return { unchanged, rest: neededEntries(before, (name) => !unchanged.has(name), parts) };
}

/** The same text may name an own attribute that is defined in another way. */
function ownKeysOf({ attributes }: CompiledDocument, { reads }: CompiledRule): string[] {
  return reads
    .flatMap((path) => attributes.valueAt(path).factsOf(path.key ?? ''))
    .flatMap((source) => (source.of === 'own' ? source.key : []));
}
