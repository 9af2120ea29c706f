import { isObject } from '../is-object.js';
import type { Pattern } from '../patterns/pattern-machine.js';
import { show } from './assertion-keywords.js';
import {
  type Check,
  type Failure,
  type Keyword,
  type KeywordContext,
  namesOf,
  type SchemaNode,
  within,
} from './schema-check.js';

type Members = Record<string, unknown>;

const properties: Keyword = (value, context) => {
  const nodes = Object.keys(value as Members).map(
    (name) => [name, context.part('properties', name)] as const,
  );
  return (given, steps, seen) => {
    if (!isObject(given)) return undefined;
    steps.take(nodes.length);
    for (const [name, node] of nodes) {
      if (!Object.hasOwn(given, name)) continue;
      const failure = node.check(given[name], steps, undefined);
      if (failure !== undefined) return within(name, failure);
      seen?.add(name);
    }
    return undefined;
  };
};

const patternProperties: Keyword = (value, context) => {
  const nodes = Object.keys(value as Members).map(
    (source) => [context.pattern(source), context.part('patternProperties', source)] as const,
  );
  return (given, steps, seen) => {
    if (!isObject(given)) return undefined;
    for (const name of namesOf(given, steps)) {
      for (const [pattern, node] of nodes) {
        if (!pattern.test(name, steps)) continue;
        const failure = node.check(given[name], steps, undefined);
        if (failure !== undefined) return within(name, failure);
        seen?.add(name);
      }
    }
    return undefined;
  };
};

const additionalProperties: Keyword = (_, context) => {
  const { properties: named, patternProperties: matched } = context.schema as Record<
    string,
    Members | undefined
  >;
  const names = new Set(Object.keys(named ?? {}));
  const patterns = Object.keys(matched ?? {}).map((source) => context.pattern(source));
  return eachOther('additionalProperties', context, ({ name, steps }) => {
    return names.has(name) || patterns.some((pattern: Pattern) => pattern.test(name, steps));
  });
};

/** Runs when all other keywords of its schema have said what they have seen. */
export const unevaluatedProperties: Keyword = (_, context) =>
  eachOther('unevaluatedProperties', context, ({ name, seen }) => seen?.has(name) === true);

type Member = { name: string; steps: Parameters<Check>[1]; seen: Parameters<Check>[2] };

/** Checks the members that are not `known` by the keyword's schema. */
function eachOther(keyword: string, context: KeywordContext, known: (member: Member) => boolean): Check {
  const node = context.part(keyword);
  const message = keyword === 'additionalProperties' ? 'additional' : 'unevaluated';
  return (given, steps, seen) => {
    if (!isObject(given)) return undefined;
    for (const name of namesOf(given, steps)) {
      if (known({ name, steps, seen })) continue;
      if (context.schema[keyword] === false) {
        return context.fail(`must NOT have ${message} properties: ${show(name)}`);
      }
      const failure = node.check(given[name], steps, undefined);
      if (failure !== undefined) return within(name, failure);
      seen?.add(name);
    }
    return undefined;
  };
}

const propertyNames: Keyword = (_, context) => {
  const node = context.part('propertyNames');
  return (given, steps) => {
    if (!isObject(given)) return undefined;
    for (const name of namesOf(given, steps)) {
      const failure = node.check(name, steps, undefined);
      if (failure !== undefined)
        return { ...failure, message: `has the name ${show(name)}, which ${failure.message}` };
    }
    return undefined;
  };
};

const prefixItems: Keyword = (value, context) => {
  const nodes = (value as unknown[]).map((_, index) => context.part('prefixItems', index));
  return (given, steps, seen) => {
    if (!Array.isArray(given)) return undefined;
    for (let index = 0; index < Math.min(nodes.length, given.length); index++) {
      const failure = nodes[index]?.check(given[index], steps, undefined);
      if (failure !== undefined) return within(index, failure);
      seen?.add(index);
    }
    return undefined;
  };
};

const items: Keyword = (value, context) => {
  const node = context.part('items');
  const { prefixItems: prefix } = context.schema;
  const from = Array.isArray(prefix) ? prefix.length : 0;
  return (given, steps, seen) => {
    if (!Array.isArray(given)) return undefined;
    if (value === false && given.length > from) return context.fail(`must NOT have more than ${from} items`);
    return eachItem(given, node, { from, steps, seen });
  };
};

/** Runs when all other keywords of its schema have said what they have seen. */
export const unevaluatedItems: Keyword = (value, context) => {
  const node = context.part('unevaluatedItems');
  return (given, steps, seen) => {
    if (!Array.isArray(given)) return undefined;
    steps.take(given.length);
    if (value === false && given.some((_, index) => seen?.has(index) !== true)) {
      return context.fail('must NOT have unevaluated items');
    }
    return eachItem(given, node, { from: 0, steps, seen, isKnown: (index) => seen?.has(index) === true });
  };
};

type ItemRun = {
  from: number;
  steps: Parameters<Check>[1];
  seen: Parameters<Check>[2];
  isKnown?: (index: number) => boolean;
};

function eachItem(
  given: readonly unknown[],
  node: SchemaNode,
  { from, steps, seen, isKnown }: ItemRun,
): Failure | undefined {
  for (let index = from; index < given.length; index++) {
    if (isKnown?.(index) === true) continue;
    const failure = node.check(given[index], steps, undefined);
    if (failure !== undefined) return within(index, failure);
    seen?.add(index);
  }
  return undefined;
}

const contains: Keyword = (_, context) => {
  const node = context.part('contains');
  const { minContains, maxContains } = context.schema as { minContains?: number; maxContains?: number };
  const min = minContains ?? 1;
  const max = maxContains ?? Number.POSITIVE_INFINITY;
  const atMost = maxContains === undefined ? '' : ` and no more than ${maxContains}`;
  return (given, steps, seen) => {
    if (!Array.isArray(given)) return undefined;
    let found = 0;
    for (const [index, item] of given.entries()) {
      if (node.check(item, steps, undefined) !== undefined) continue;
      found += 1;
      seen?.add(index);
    }
    return found >= min && found <= max
      ? undefined
      : context.fail(`must contain at least ${min}${atMost} valid item(s)`);
  };
};

/** Keywords that check the members of an object or the items of an array by other schemas. */
export const MEMBER_KEYWORDS: Record<string, Keyword> = {
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  prefixItems,
  items,
  contains,
};
