import { Environment } from '@marcbachmann/cel-js';
import type { AttributeField } from '../attributes/attribute.js';
import { type AttributeRegistry, objectTypeOf } from '../attributes/attribute-registry.js';

/** What a rule may be at most. `rule-analysis.ts` bounds what it may cost. */
export const RULE_LIMITS = Object.freeze({
  length: 2000,
  /** Values, names and operations. */
  parts: 400,
  depth: 24,
  /** All countries of the world fit. */
  listElements: 256,
});

const environments = new WeakMap<AttributeRegistry, Environment>();

/** Parses rules and checks their types against the attributes. Building one takes milliseconds, so it is kept. */
export function environmentOf(attributes: AttributeRegistry): Environment {
  let environment = environments.get(attributes);
  if (environment === undefined) {
    environment = createEnvironment(attributes);
    environments.set(attributes, environment);
  }
  return environment;
}

function createEnvironment({ attributes }: AttributeRegistry): Environment {
  const environment = new Environment({
    limits: {
      maxAstNodes: RULE_LIMITS.parts,
      maxDepth: RULE_LIMITS.depth,
      maxListElements: RULE_LIMITS.listElements,
      maxCallArguments: 4,
    },
  });
  const types = new Map(attributes.map((attribute) => [objectTypeOf(attribute), attribute.fields]));
  for (const [type, fields] of types) if (fields.length > 0) registerType(environment, type, fields);
  for (const { name, type, description } of attributes) {
    environment.registerVariable(name, type, { description });
  }
  // For the types only: rules are evaluated by the closures that `closureOf` makes of them.
  environment.registerFunction('segment(string): bool', () => false);
  environment.registerFunction('experiment(string): string', () => '');
  return environment;
}

type NamedType = Pick<AttributeField, 'name' | 'type'>;

/** An object type, and those of its members that have fields themselves: `churn` of `churn.value` and `churn.band`. */
function registerType(environment: Environment, type: string, fields: readonly NamedType[]): void {
  const members = new Map<string, string>();
  const nested = new Map<string, NamedType[]>();
  for (const field of fields) {
    const [member = '', ...rest] = field.name.split('.');
    const inner = `${type}_${member}`;
    members.set(member, rest.length === 0 ? field.type : inner);
    if (rest.length > 0) {
      nested.set(inner, [...(nested.get(inner) ?? []), { name: rest.join('.'), type: field.type }]);
    }
  }
  for (const [inner, innerFields] of nested) registerType(environment, inner, innerFields);
  environment.registerType(type, { fields: Object.fromEntries(members) });
}
