import { Environment } from '@marcbachmann/cel-js';
import { ATTRIBUTES } from './attributes.js';
import { Amounts, Counts, WindowCounts } from './day-windows.js';
import type { PlayerAttributes } from './player-attributes.js';

/** What a rule may be at the most. `rule-analysis.ts` bounds what it may cost. */
export const RULE_LIMITS = Object.freeze({
  length: 2000,
  /** Values, names and operations. */
  parts: 400,
  depth: 24,
  /** All countries of the world fit. */
  listElements: 256,
});

/** The CEL types that are objects of ours. Their fields are those of the attributes that have the type. */
const OBJECT_TYPES = { Counts, WindowCounts, Amounts };

/** Typed against the attributes. Building one takes milliseconds, so there is one for all rules. */
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
  for (const [name, ctor] of Object.entries(OBJECT_TYPES)) {
    const attribute = ATTRIBUTES.find(({ type }) => type === name || type === `map<string, ${name}>`);
    const fields = Object.fromEntries((attribute?.fields ?? []).map((field) => [field.name, field.type]));
    environment.registerType(name, { ctor, fields });
  }
  for (const { name, type, meaning } of ATTRIBUTES) {
    environment.registerVariable(name, type, { description: meaning });
  }
  // A macro and not a function, because only macros see what the rule is evaluated on.
  environment.registerFunction('segment(ast): bool', ({ args }: { args: { args: unknown }[] }) => ({
    segmentId: args[0]?.args,
    async: false,
    typeCheck: (checker: { getType(name: string): unknown }) => checker.getType('bool'),
    evaluate: (
      _evaluator: unknown,
      { segmentId }: { segmentId: string },
      context: { getValue(name: 'segments'): PlayerAttributes['segments'] },
    ) => context.getValue('segments').has(segmentId),
  }));
  return environment;
}
