import type { FactSource } from './fact-source.js';
import type { AttributeReader } from './player-attributes.js';
import type { TimeBasis } from './time-basis.js';

export type ValueType = 'int' | 'double' | 'string' | 'bool';

/** What an attribute is looked up by, in quotes. */
export type AttributeKey = 'eventType' | 'currency' | 'flagId' | 'segmentId' | 'experimentId';

/** A value that a rule can read: an attribute without fields, or a field of one. */
export type AttributeValueDefinition = Readonly<{
  type: ValueType;
  /** When the value changes with time alone. This decides how long a cached response holds. */
  basis: TimeBasis;
  /** It never falls, but for refunds: whoever has too much of it will not come below a threshold again. */
  onlyGrows?: boolean;
  /** Whether reading it can fail: `NotWorkedOut`. */
  canFail?: boolean;
  /** Cost of computing the value, once per player, besides reading it. In the units of `rule-analysis.ts`. */
  workCost: number;
  /** How to read the value. Asked when a rule is compiled. `key` is empty for attributes without one. */
  readerOf: (key: string) => AttributeReader;
  /** The stored facts that the reader looks at. */
  factsOf: (key: string) => readonly FactSource[];
}>;

/** `name` may be nested: the field `churn.value` of `predictions` is written `predictions.churn.value`. */
export type AttributeField = AttributeValueDefinition & Readonly<{ name: string; description: string }>;

/** Something that a rule can ask about a player. Rules, validation, explain, dry runs and documentation derive from it. */
export type Attribute = Readonly<{
  name: string;
  /** How it is written in a rule. */
  usage: string;
  /** Its CEL type. Attributes of one object type have the same fields. */
  type: string;
  description: string;
  key: AttributeKey | null;
  /** Empty if the attribute is a value itself. */
  fields: readonly AttributeField[];
  /** Null if the attribute has fields. */
  value: AttributeValueDefinition | null;
}>;

/** A value a rule reads: `country`, `purchases.total`, `events["Win"].last7d`, `flags.isPayer`. */
export type AttributePath = Readonly<{ name: string; key: string | null; field: string | null }>;

export function writePath({ name, key, field }: AttributePath): string {
  const keyed = key === null ? name : `${name}[${JSON.stringify(key)}]`;
  return field === null ? keyed : `${keyed}.${field}`;
}
