import { Environment } from '@marcbachmann/cel-js';
import { ATTRIBUTES } from '../attributes/attributes.js';

/** What a rule may be at the most. `rule-analysis.ts` bounds what it may cost. */
export const RULE_LIMITS = Object.freeze({
  length: 2000,
  /** Values, names and operations. */
  parts: 400,
  depth: 24,
  /** All countries of the world fit. */
  listElements: 256,
});

/** Parses rules and checks their types against the attributes. Building one takes milliseconds, so there is one for all. */
export const RULE_ENVIRONMENT = createEnvironment();

function createEnvironment(): Environment {
  const environment = new Environment({
    limits: {
      maxAstNodes: RULE_LIMITS.parts,
      maxDepth: RULE_LIMITS.depth,
      maxListElements: RULE_LIMITS.listElements,
      maxCallArguments: 4,
    },
  });
  for (const name of ['Counts', 'WindowCounts', 'Amounts']) {
    const attribute = ATTRIBUTES.find(({ type }) => type === name || type === `map<string, ${name}>`);
    const fields = (attribute?.fields ?? []).map((field) => [field.name, field.type]);
    environment.registerType(name, { fields: Object.fromEntries(fields) });
  }
  for (const { name, type, meaning } of ATTRIBUTES) {
    environment.registerVariable(name, type, { description: meaning });
  }
  // For the types only: rules are evaluated by the closures that `closureOf` makes of them.
  environment.registerFunction('segment(string): bool', () => false);
  return environment;
}
