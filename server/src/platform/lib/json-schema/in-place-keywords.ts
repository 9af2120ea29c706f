import { isObject } from '../is-object.js';
import { addSeen, type Check, type Keyword, ownSeen, type SchemaNode } from './schema-check.js';
import { SchemaError } from './schema-document.js';

function all(nodes: readonly SchemaNode[]): Check {
  return (given, steps, seen) => {
    for (const node of nodes) {
      const failure = node.check(given, steps, seen);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}

const reference: Keyword = (value, context) => all([context.reference(value as string)]);

const dynamicReference: Keyword = () => {
  throw new SchemaError('$dynamicRef and $recursiveRef are not supported. Use $ref.');
};

const allOf: Keyword = (value, context) =>
  all((value as unknown[]).map((_, index) => context.inPlace('allOf', index)));

/** How many of the nodes match, counted up to `enough`. What a matching one has seen counts. */
function countMatches(nodes: readonly SchemaNode[], enough: number): (...args: Parameters<Check>) => number {
  return (given, steps, seen) => {
    let matches = 0;
    for (const node of nodes) {
      const own = ownSeen(seen);
      if (node.check(given, steps, own) !== undefined) continue;
      addSeen(seen, own, steps);
      matches += 1;
      if (matches >= enough) break;
    }
    return matches;
  };
}

const anyOf: Keyword = (value, context) => {
  const nodes = (value as unknown[]).map((_, index) => context.inPlace('anyOf', index));
  const first = countMatches(nodes, 1);
  const every = countMatches(nodes, nodes.length);
  return (given, steps, seen) => {
    const matches = (seen === undefined ? first : every)(given, steps, seen);
    return matches > 0 ? undefined : context.fail('must match a schema in anyOf');
  };
};

const oneOf: Keyword = (value, context) => {
  const count = countMatches(
    (value as unknown[]).map((_, index) => context.inPlace('oneOf', index)),
    2,
  );
  return (given, steps, seen) =>
    count(given, steps, seen) === 1 ? undefined : context.fail('must match exactly one schema in oneOf');
};

const not: Keyword = (_, context) => {
  const node = context.inPlace('not');
  return (given, steps) =>
    node.check(given, steps, undefined) === undefined ? context.fail('must NOT be valid') : undefined;
};

const conditional: Keyword = (_, context) => {
  const condition = context.inPlace('if');
  const branch = (keyword: 'then' | 'else') =>
    context.schema[keyword] === undefined ? undefined : context.inPlace(keyword);
  const [then, otherwise] = [branch('then'), branch('else')];
  return (given, steps, seen) => {
    const own = ownSeen(seen);
    const holds = condition.check(given, steps, own) === undefined;
    if (holds) addSeen(seen, own, steps);
    return (holds ? then : otherwise)?.check(given, steps, seen);
  };
};

function dependentSchemasOf(keyword: 'dependentSchemas' | 'dependencies'): Keyword {
  return (value, context) => {
    const nodes = Object.entries(value as Record<string, unknown>)
      // `dependencies`, of an older draft, also holds lists of names.
      .filter(([, schema]) => !Array.isArray(schema))
      .map(([name]) => [name, context.inPlace(keyword, name)] as const);
    return (given, steps, seen) => {
      if (!isObject(given)) return undefined;
      steps.take(nodes.length);
      for (const [name, node] of nodes) {
        const failure = Object.hasOwn(given, name) ? node.check(given, steps, seen) : undefined;
        if (failure !== undefined) return failure;
      }
      return undefined;
    };
  };
}

/** Keywords that check the same value by other schemas. */
export const IN_PLACE_KEYWORDS: Record<string, Keyword> = {
  $ref: reference,
  $dynamicRef: dynamicReference,
  $recursiveRef: dynamicReference,
  if: conditional,
  allOf,
  anyOf,
  oneOf,
  not,
  dependentSchemas: dependentSchemasOf('dependentSchemas'),
  dependencies: dependentSchemasOf('dependencies'),
};
