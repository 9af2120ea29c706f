import type { ConfigDocument } from '../../decide/document/document.js';
import type { ValueEntry } from '../../decide/document/parts/values.js';
import { type BoundedType, boundedType } from '../../decide/document/value-types.js';
import { canonicalJson } from '../../platform/lib/canonical-json.js';

/** A value that a build may miss after a publication. */
export type ValueLoss = Readonly<{
  key: string;
  /** Taken away from the document or from clients, or with a type that has fewer values. */
  change: 'removed' | 'hidden' | 'narrowed';
}>;

/** What builds that were made for the old document may miss under the new one. Only values for clients: servers are not builds. */
export function valueLosses(before: ConfigDocument, after: ConfigDocument): ValueLoss[] {
  const present = new Map((after.values ?? []).map((value) => [value.key, value]));
  return (before.values ?? [])
    .filter(({ visibleTo }) => visibleTo === 'clients')
    .flatMap((value) => {
      const change = lossOf(value, present.get(value.key));
      return change === undefined ? [] : [{ key: value.key, change }];
    });
}

function lossOf(before: ValueEntry, after: ValueEntry | undefined): ValueLoss['change'] | undefined {
  if (after === undefined) return 'removed';
  if (after.visibleTo !== 'clients') return 'hidden';
  return isNarrower(boundedType(before.type), boundedType(after.type)) ? 'narrowed' : undefined;
}

/**
 * Whether some value of the old type may not satisfy the new one. Another kind counts in any case: a build that reads a whole number cannot
 * read 1.5. Schemas are compared as text, so a reworded schema counts as well.
 */
function isNarrower(before: BoundedType, after: BoundedType): boolean {
  if (before.kind !== after.kind) return true;
  if (before.kind === 'json') return canonicalJson(before.schema) !== canonicalJson(after.schema);
  return (
    isAbove(after.minimum, before.minimum) ||
    isAbove(after.minLength, before.minLength) ||
    isBelow(after.maximum, before.maximum) ||
    isBelow(after.maxLength, before.maxLength) ||
    isSmaller(before.enum, after.enum)
  );
}

/** No bound is below and above all others. */
function isAbove(after = Number.NEGATIVE_INFINITY, before = Number.NEGATIVE_INFINITY): boolean {
  return after > before;
}

function isBelow(after = Number.POSITIVE_INFINITY, before = Number.POSITIVE_INFINITY): boolean {
  return after < before;
}

function isSmaller(before: BoundedType['enum'], after: BoundedType['enum']): boolean {
  if (after === undefined) return false;
  return before === undefined || before.some((each) => !after.includes(each));
}
