import type { ASTNode } from '@marcbachmann/cel-js';
import { currencyDecimals } from '../../platform/lib/currencies.js';
import type { Suggest } from '../../platform/lib/nearest-name.js';
import type { Attribute, AttributePath, ValueType } from '../attributes/attribute.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import type { TimeBasis } from '../attributes/time-basis.js';

/** The ids of experiments, each with those of its variants. */
export type KnownExperiments = ReadonlyMap<string, readonly string[]>;

/** The names a rule may refer to. */
export type RuleScope = Readonly<{
  attributes: AttributeRegistry;
  segments: ReadonlySet<string>;
  flags: ReadonlySet<string>;
  experiments: KnownExperiments;
}>;

/** What is wrong with a rule, and at which character. */
export type RuleFinding = Readonly<{ message: string; offset: number }>;

export type ResolvedPath = Readonly<{ path: AttributePath; type: ValueType; basis: TimeBasis }>;

type Step = Readonly<{ name: string | null; offset: number }>;

const MAX_EVENT_TYPE_LENGTH = 128;
const NO_SUGGESTION: Suggest = () => '';

/** Reads `events["Win"].last7d`, `purchases.total` or `country` as the attribute it means. */
export function resolvePath(
  node: ASTNode,
  scope: RuleScope,
  suggest: Suggest = NO_SUGGESTION,
): ResolvedPath | RuleFinding {
  const steps: Step[] = [];
  let root = node;
  while (root.op === '.' || root.op === '[]') {
    const [left, right] = root.args;
    // The position of a field is its own, that of an index is where the whole begins.
    if (typeof right === 'string') steps.unshift({ name: right, offset: root.pos });
    else steps.unshift({ name: textOf(right), offset: right.pos });
    root = left;
  }
  if (root.op !== 'id') return { message: 'Only attributes have members.', offset: root.pos };

  const attribute = scope.attributes.find(root.args);
  if (attribute === undefined && root.args === 'own') {
    return { message: 'The document defines no "attributes", so there is no "own".', offset: root.pos };
  }
  if (attribute === undefined) {
    const names = scope.attributes.attributes.map(({ name }) => name);
    const nearest = suggest(root.args, [...names, 'true', 'false']);
    // A name alone may be a text that lacks its quotes.
    const quotes = nearest === '' && steps.length === 0 ? ` A text stands in quotes: "${root.args}".` : '';
    return { message: `There is no attribute "${root.args}".${nearest}${quotes}`, offset: root.pos };
  }
  return resolveSteps(attribute, steps, { scope, suggest, offset: root.pos });
}

function resolveSteps(
  attribute: Attribute,
  steps: readonly Step[],
  { scope, suggest, offset }: { scope: RuleScope; suggest: Suggest; offset: number },
): ResolvedPath | RuleFinding {
  const { name, usage, value } = attribute;
  const isKeyed = attribute.key !== null;
  const lengths = stepCounts(attribute);
  const isWrittenOtherwise = attribute.key === 'segmentId' || attribute.key === 'experimentId';
  if (!lengths.includes(steps.length) || isWrittenOtherwise) {
    const longest = Math.max(...lengths);
    const shape = longest === 0 ? `"${name}" has no members` : `"${name}" is no value by itself`;
    return { message: `${shape}: write ${usage}.`, offset: steps[longest]?.offset ?? offset };
  }

  const key = isKeyed ? steps[0] : undefined;
  if (key !== undefined) {
    const wrong =
      key.name === null
        ? `"${name}" is looked up by a text in quotes: write ${usage}.`
        : checkKey(attribute, key.name, scope, suggest);
    if (wrong !== undefined) return { message: wrong, offset: key.offset };
  }
  const keyName = key?.name ?? null;
  if (value !== null) {
    return { path: { name, key: keyName, field: null }, type: value.type, basis: value.basis };
  }

  const fieldSteps = steps.slice(isKeyed ? 1 : 0);
  const written = fieldSteps.map((step) => step.name ?? '').join('.');
  const field = attribute.fields.find((candidate) => candidate.name === written);
  if (field === undefined) {
    const names = attribute.fields.map((candidate) => candidate.name);
    const message = `"${name}" has no "${written}", but ${listed(names)}.${name === 'own' ? suggest(written, names) : ''}`;
    return { message, offset: fieldSteps.at(-1)?.offset ?? offset };
  }
  return { path: { name, key: keyName, field: field.name }, type: field.type, basis: field.basis };
}

/** A game can define 150 values of its own. */
const MAX_LISTED = 30;

function listed(names: readonly string[]): string {
  return names.length <= MAX_LISTED
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and others`;
}

/** How many steps lead from the name of an attribute to one of its values. */
function stepCounts({ key, fields, value }: Attribute): number[] {
  const ofKey = key === null ? 0 : 1;
  return value === null ? fields.map(({ name }) => ofKey + name.split('.').length) : [ofKey];
}

function checkKey({ key }: Attribute, name: string, scope: RuleScope, suggest: Suggest): string | undefined {
  if (key === 'flagId' && !scope.flags.has(name)) {
    return `There is no flag "${name}".${suggest(name, scope.flags)}`;
  }
  if (key === 'currency' && currencyDecimals(name) === undefined) {
    return `"${name}" is not a currency of ISO 4217, such as USD.`;
  }
  if (key === 'eventType' && (name === '' || name.length > MAX_EVENT_TYPE_LENGTH)) {
    return `An event type has 1 to ${MAX_EVENT_TYPE_LENGTH} characters.`;
  }
  return undefined;
}

function textOf(node: ASTNode): string | null {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : null;
}
