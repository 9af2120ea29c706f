import type { Schemas } from '../api/client.js';
import type { ConfigDocument } from './document.js';
import { isAttributePath, readRule } from './rule.js';

type Usage = { usage: string; type: string; description: string };

/** How each attribute is written, with its fields and types: `spend["USD"].total`, `spend["USD"].last28d`. */
export function usagesOf(attributes: readonly Schemas['Attribute'][]): Map<string, string> {
  return new Map(listUsages(attributes).map(({ usage, type }) => [usage, type]));
}

/** What each of them means, the field included: money spent, in the last 28 days. */
export function descriptionsOf(attributes: readonly Schemas['Attribute'][]): Map<string, string> {
  return new Map(listUsages(attributes).map(({ usage, description }) => [usage, description]));
}

function listUsages(attributes: readonly Schemas['Attribute'][]): Usage[] {
  return attributes.flatMap(({ usage, type, meaning, fields }) => {
    if (fields.length === 0) return [{ usage, type, description: meaning }];
    const base = usage.replace(/\.\w+$/, '');
    return fields.map((field) => ({
      usage: `${base}.${field.name}`,
      type: field.type,
      description: `${meaning} ${field.name}: ${field.meaning}`,
    }));
  });
}

/** What can be written in a rule, with what it means: attributes, and the flags and segments of the document but `except` itself. */
export function ruleChoices(
  attributes: readonly Schemas['Attribute'][],
  { flags, segments }: Pick<ConfigDocument, 'flags' | 'segments'>,
  except?: string,
): Map<string, string> {
  return new Map([
    ...[...descriptionsOf(attributes)].filter(([usage]) => isAttributePath(usage)),
    ...flags.custom
      .filter(({ flagId }) => flagId !== except)
      .map(({ flagId, name }) => [`flags.${flagId}`, `Flag ${name}`] as const),
    ...segments
      .filter(({ segmentId }) => segmentId !== except)
      .map(({ segmentId, name }) => [`"${segmentId}" in segments`, `Players in segment ${name}`] as const),
  ]);
}

/** The description of each attribute by its usage; keys are left out: `events[""].total`. */
export function meaningsOf(
  attributes: readonly Schemas['Attribute'][],
): (path: string) => string | undefined {
  const meanings = new Map(attributes.map(({ name, meaning }) => [name, meaning]));
  return (path) => meanings.get(/^\w+/.exec(path)?.[0] ?? '');
}

/**
 * The usages that have the typed text in their name or description. Where it is the name of one, they are all listed, so
 * that another one can be chosen.
 */
export function matchingUsages(descriptions: ReadonlyMap<string, string>, typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const usages = [...descriptions.keys()];
  if (descriptions.has(typed.trim())) return usages;
  return usages.filter((usage) => `${usage} ${descriptions.get(usage)}`.toLowerCase().includes(wanted));
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
