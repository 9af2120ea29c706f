import type { Pattern } from '../patterns/pattern-machine.js';
import type { StepLimit } from '../step-limit.js';
import type { SchemaObject } from './schema-document.js';

/**
 * Where a value does not match, by which keyword of the schema, and why. The path has the innermost name first, and becomes a text
 * only for the failure that is reported: many are not, such as those in `anyOf`.
 */
export type Failure = Readonly<{ path: (string | number)[]; rule: string; message: string }>;

/**
 * The names or indexes that some keyword has looked at, for `unevaluatedProperties` and `unevaluatedItems`. Undefined where no
 * keyword asks.
 */
export type Seen = Set<string | number> | undefined;

/** Takes steps in proportion to its work: one for each part of a value or of the schema that it looks at. */
export type Check = (value: unknown, steps: StepLimit, seen: Seen) => Failure | undefined;

/** A schema that can check values. Its `check` is complete when the whole document has been compiled. */
export type SchemaNode = {
  check: Check;
  /** The schemas that check the same value as part of this one. */
  readonly inPlace: SchemaNode[];
};

/** What a keyword needs to know of its surroundings. */
export type KeywordContext = {
  readonly schema: SchemaObject;
  fail(message: string): Failure;
  /** The schema at `path` below the keyword's own schema, for parts of the value. */
  part(...path: (string | number)[]): SchemaNode;
  /** Likewise, for the same value. */
  inPlace(...path: (string | number)[]): SchemaNode;
  reference(reference: string): SchemaNode;
  pattern(source: string): Pattern;
};

/** The check that a keyword with this value makes, or undefined if there is nothing to check. */
export type Keyword = (value: unknown, context: KeywordContext) => Check | undefined;

/** A failure in a member of a value is a failure of the value, at a longer path. */
export function within(name: string | number, failure: Failure | undefined): Failure | undefined {
  failure?.path.push(name);
  return failure;
}

/** Measured: the runtime takes about as long to list a name of a large object as for four other steps. */
const STEPS_PER_NAME = 4;

/** The names of an object's members. To list them is work, even if only the first one is looked at. */
export function namesOf(members: object, steps: StepLimit): string[] {
  const names = Object.keys(members);
  steps.take(STEPS_PER_NAME * names.length);
  return names;
}

export function addSeen(seen: Seen, more: Seen, steps: StepLimit): void {
  if (seen === undefined || more === undefined) return;
  steps.take(more.size);
  for (const name of more) seen.add(name);
}

/** A set of its own for a schema whose result may not count. */
export function ownSeen(seen: Seen): Seen {
  return seen === undefined ? undefined : new Set();
}
