import type { Schemas } from '../api/client.js';
import type { ConfigDocument } from './document.js';
import { readRule } from './rule.js';

/** How each attribute is written, with its fields and types: `spend["USD"].total`, `spend["USD"].last28d`. */
export function usagesOf(attributes: readonly Schemas['Attribute'][]): Map<string, string> {
  const usages = new Map<string, string>();
  for (const { usage, type, fields } of attributes) {
    if (fields.length === 0) usages.set(usage, type);
    const base = usage.replace(/\.\w+$/, '');
    for (const field of fields) usages.set(`${base}.${field.name}`, field.type);
  }
  return usages;
}

/** The description of each attribute by its usage; keys are left out: `events[""].total`. */
export function meaningsOf(
  attributes: readonly Schemas['Attribute'][],
): (path: string) => string | undefined {
  const meanings = new Map(attributes.map(({ name, meaning }) => [name, meaning]));
  return (path) => meanings.get(/^\w+/.exec(path)?.[0] ?? '');
}

/** The attributes that a rule reads, also through the segments it names, if the rule is a list of conditions that all have to hold. */
export function attributesRead(rule: string, { segments }: Pick<ConfigDocument, 'segments'>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (text: string) => {
    for (const condition of readRule(text) ?? []) {
      if (condition.kind === 'compare') found.add(condition.attribute);
      if (condition.kind === 'flag') found.add(`flags.${condition.flagId}`);
      if (condition.kind !== 'segment' || seen.has(condition.segmentId)) continue;
      seen.add(condition.segmentId);
      visit(segments.find(({ segmentId }) => segmentId === condition.segmentId)?.rule ?? '');
    }
  };
  visit(rule);
  return [...found];
}
