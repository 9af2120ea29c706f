import type { Schemas } from '../api/client.js';
import type { ConfigDocument } from './document.js';
import { isAttributePath, readRule } from './rule.js';

type Attributes = readonly Schemas['Attribute'][];
type Usage = { usage: string; type: string; description: string };
/** The keys that this game has of an attribute: `eventType`, `currency`. Without them, the key of the example is listed. */
export type KnownKeys = Readonly<Record<string, readonly string[]>>;

/** How each attribute is written, with its fields and types: `spend["USD"].total`, `spend["USD"].last28d`. */
export function usagesOf(attributes: Attributes, keys: KnownKeys = {}): Map<string, string> {
  return new Map(listUsages(attributes, keys).map(({ usage, type }) => [usage, type]));
}

/** What each of them means, the field included: money spent, in the last 28 days. */
export function descriptionsOf(attributes: Attributes, keys: KnownKeys = {}): Map<string, string> {
  return new Map(listUsages(attributes, keys).map(({ usage, description }) => [usage, description]));
}

/** The type of an attribute with any key: that of `spend["EUR"].total` is that of `spend["USD"].total`. */
export function typeOf(attributes: Attributes, path: string): string | undefined {
  const wanted = withKey(path, '');
  return listUsages(attributes, {}).find(({ usage }) => withKey(usage, '') === wanted)?.type;
}

/** Flags and segments have conditions of their own. */
export function isComparable(usage: string): boolean {
  return isAttributePath(usage) && !usage.startsWith('flags.');
}

function listUsages(attributes: Attributes, keys: KnownKeys): Usage[] {
  return attributes.flatMap((attribute) => {
    const known = keys[attribute.key ?? ''] ?? [];
    return (
      known.length === 0 ? [attribute.usage] : known.map((key) => withKey(attribute.usage, key))
    ).flatMap((usage) => fieldUsages(attribute, usage));
  });
}

function fieldUsages({ type, meaning, fields }: Attributes[number], usage: string): Usage[] {
  if (fields.length === 0) return [{ usage, type, description: meaning }];
  // The example is written with one of the fields, whose name may have a dot: `predictions.churn.value`.
  const example = fields.find(({ name }) => usage.endsWith(`.${name}`))?.name ?? '';
  const base = usage.slice(0, usage.length - example.length - 1);
  return fields.map((field) => ({
    usage: `${base}.${field.name}`,
    type: field.type,
    description: `${meaning} ${field.name}: ${field.meaning}`,
  }));
}

function withKey(usage: string, key: string): string {
  return usage.replace(/\["[^"]*"\]/, () => `[${JSON.stringify(key)}]`);
}

/** What can be written in a rule, with what it means: attributes, and the flags, segments and experiments of the document but `except` itself. */
export function ruleChoices(
  attributes: Attributes,
  { flags, segments, experiments = [] }: Pick<ConfigDocument, 'flags' | 'segments' | 'experiments'>,
  keys: KnownKeys = {},
  except?: string,
): Map<string, string> {
  return new Map([
    ...[...descriptionsOf(attributes, keys)].filter(([usage]) => isAttributePath(usage)),
    ...flags.custom
      .filter(({ flagId }) => flagId !== except)
      .map(({ flagId, name }) => [`flags.${flagId}`, `Flag ${name}`] as const),
    ...segments
      .filter(({ segmentId }) => segmentId !== except)
      .map(({ segmentId, name }) => [`"${segmentId}" in segments`, `Players in segment ${name}`] as const),
    ...experiments
      .filter(({ experimentId }) => experimentId !== except)
      .flatMap(({ experimentId, name, variants }) =>
        variants.map(
          (variant) =>
            [
              `experiment("${experimentId}") == "${variant.variantId}"`,
              `Players in ${variant.name} of experiment ${name}`,
            ] as const,
        ),
      ),
  ]);
}

/** The description of each attribute by its usage; keys are left out: `events[""].total`. */
export function meaningsOf(attributes: Attributes): (path: string) => string | undefined {
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

/** The attributes that a rule reads, also through the segments it names, if the rule builder can show the rule. */
export function attributesRead(rule: string, { segments }: Pick<ConfigDocument, 'segments'>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (text: string) => {
    for (const condition of (readRule(text) ?? []).flat()) {
      if (condition.kind === 'compare' || condition.kind === 'oneOf') found.add(condition.attribute);
      if (condition.kind === 'flag') found.add(`flags.${condition.flagId}`);
      if (condition.kind !== 'segment' || seen.has(condition.segmentId)) continue;
      seen.add(condition.segmentId);
      visit(segments.find(({ segmentId }) => segmentId === condition.segmentId)?.rule ?? '');
    }
  };
  visit(rule);
  return [...found];
}
