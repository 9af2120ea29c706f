import type { Schemas } from '../api/client.js';
import type { KnownKeys } from './attribute-usages.js';
import { readRule, textOfLiteral } from './rule.js';

/** Values that this game has had, most frequent first. `isComplete`: there are no others. */
export type Known = Readonly<{ values: readonly string[]; isComplete: boolean }>;
/** By the attribute that has the value, or by the kind of key: `country`, `os`, `eventType`, `currency`. */
export type KnownValues = Readonly<Record<string, Known>>;

/** As many are listed where a value is not among them. */
const MAX_LISTED = 8;
/** More types would bury the other attributes in the list of completions. */
const MAX_KEYS = 30;

/** What a breakdown tells about values. Nothing while nothing is summed. */
export function knownOf(values: readonly Schemas['BreakdownValue'][] | undefined): Known {
  const told = (values ?? []).flatMap(({ kind, value }) =>
    kind === 'value' && value !== null ? [value] : [],
  );
  return { values: told, isComplete: told.length > 0 && !values?.some(({ kind }) => kind === 'other') };
}

/** Those that players have paid in come first. Before they are known, a currency that is not in the catalogue may be among them. */
export function knownCurrencies(
  paid: readonly string[] | null | undefined,
  ofCatalogue: readonly string[],
): Known {
  const values = [...new Set([...(paid ?? []), ...ofCatalogue])];
  return { values, isComplete: paid != null && values.length > 0 };
}

/** The keys for completions. */
export function keysOf(known: KnownValues): KnownKeys {
  const keys = ['eventType', 'currency'].map(
    (kind) => [kind, known[kind]?.values.slice(0, MAX_KEYS) ?? []] as const,
  );
  return Object.fromEntries(keys);
}

/** Sentences about values of a rule that no player has had: a name of a country instead of its two letters, a misspelt event type. */
export function unseenValues(rule: string, known: KnownValues): string[] {
  const asked = (readRule(rule) ?? []).flat().flatMap((condition): [string, string][] => {
    if (condition.kind !== 'compare' && condition.kind !== 'oneOf') return [];
    const { attribute } = condition;
    const literals = condition.kind === 'compare' ? [condition.literal] : condition.literals;
    const [, name, key] = /^(events|spend)\["(.*?)"\]/.exec(attribute) ?? [];
    if (key !== undefined) return [[name === 'spend' ? 'currency' : 'eventType', key]];
    return literals.map((literal) => [attribute, textOfLiteral(literal)]);
  });
  const unseen = new Map(asked.map((pair) => [pair.join(' '), pair]));
  return [...unseen.values()].flatMap(([kind, value]) => {
    const of = known[kind];
    const isSeen = of === undefined || !of.isComplete || value === '' || of.values.includes(value);
    return isSeen ? [] : [sentence(kind, value, of.values)];
  });
}

const SENTENCES: Readonly<Record<string, (value: string) => string>> = {
  eventType: (value) => `No event of type “${value}” came lately`,
  currency: (value) => `Nobody has paid in “${value}”, and no SKU has a price in it`,
};

function sentence(kind: string, value: string, values: readonly string[]): string {
  const what = SENTENCES[kind]?.(value) ?? `No active player of the last 30 days has ${kind} “${value}”`;
  const rest = values.length > MAX_LISTED ? ', …' : '';
  return `${what}. There are ${values.slice(0, MAX_LISTED).join(', ')}${rest}.`;
}
