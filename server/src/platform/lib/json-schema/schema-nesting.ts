import type { SchemaNode } from './schema-check.js';
import { SchemaError } from './schema-document.js';

/** Each level takes some of the stack, again for each level of the value. */
const MAX_LEVELS = 80;

/** More schemas than people write for one value; references that double forty times would be a trillion. */
const MAX_SCHEMAS = 2_000;

export const ENDLESS = 'The schema refers to itself without end.';

type Measure = { levels: number; schemas: number };

/** Refuses schemas that check one value endlessly, too deeply, or by too many schemas with their references expanded. */
export function checkNesting(nodes: readonly SchemaNode[]): void {
  const known = new Map<SchemaNode, Measure | 'open'>();

  const measure = (node: SchemaNode, level: number): Measure => {
    const before = known.get(node);
    if (before === 'open') throw new SchemaError(ENDLESS);
    if (before !== undefined) return before;
    known.set(node, 'open');
    const sum = { levels: 1, schemas: 1 };
    for (const inner of node.inPlace) {
      if (level > MAX_LEVELS) break;
      const { levels, schemas } = measure(inner, level + 1);
      sum.levels = Math.max(sum.levels, levels + 1);
      sum.schemas += schemas;
    }
    if (level > MAX_LEVELS || sum.levels > MAX_LEVELS) {
      throw new SchemaError(`More than ${MAX_LEVELS} schemas, one within another, would check one value.`);
    }
    if (sum.schemas > MAX_SCHEMAS) {
      throw new SchemaError(
        `More than ${MAX_SCHEMAS} schemas would check one value: each reference counts with all that it refers to.`,
      );
    }
    known.set(node, sum);
    return sum;
  };
  for (const node of nodes) measure(node, 1);
}
