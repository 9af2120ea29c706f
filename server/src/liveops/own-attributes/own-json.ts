import { type Static, Type } from 'typebox';
import { cutText } from '../../decide/own-attributes/event-value.js';
import { entryOfWindows, type OwnEntry } from '../../decide/own-attributes/folds.js';
import { isWindowed, keyOf, type NamedDefinition } from '../../decide/own-attributes/own-definition.js';
import type { OwnFacts } from '../../decide/own-attributes/own-facts.js';
import { plainValueOf, windowValueOf } from '../../decide/own-attributes/own-value.js';

const Windows = Type.Object(
  { total: Type.Number(), last7d: Type.Number(), last28d: Type.Number() },
  { additionalProperties: false },
);

const OwnValueJson = Type.Union([
  Type.Boolean(),
  Type.Number(),
  Type.String({ maxLength: 64 }),
  Windows,
  Type.Null(),
]);

/** The own attributes of a player by their ids in the explained document. */
export const OwnJson = Type.Record(Type.String({ maxLength: 32 }), OwnValueJson, {
  description:
    'What the document defines in `attributes`: attribute → value, or its windows. Null: not worked out for the player yet.',
  examples: [{ level: 12, boss_kills: { total: 40, last7d: 3, last28d: 11 } }],
});
export type OwnJson = Static<typeof OwnJson>;
type OwnValueJson = Static<typeof OwnValueJson>;

export function toOwnJson(own: OwnFacts, attributes: readonly NamedDefinition[], atMs: number): OwnJson {
  return Object.fromEntries(
    attributes.map((definition) => [definition.attributeId, shown(own, definition, atMs)]),
  );
}

function shown(own: OwnFacts, definition: NamedDefinition, atMs: number): OwnValueJson {
  const entry = own === 'no events' ? null : own[keyOf(definition)];
  if (entry === undefined) return null;
  if (!isWindowed(definition)) return plainValueOf(definition, entry);
  return {
    total: windowValueOf(definition, entry, 'total', atMs),
    last7d: windowValueOf(definition, entry, 'last7d', atMs),
    last28d: windowValueOf(definition, entry, 'last28d', atMs),
  };
}

/** The own attributes of a hypothetical player. Those that are left out are as for a player without events. */
export function readOwn(
  json: OwnJson,
  attributes: readonly NamedDefinition[],
  atMs: number,
  wrong: string[],
): OwnFacts {
  const own: Record<string, OwnEntry | null> = {};
  for (const definition of attributes) {
    const { attributeId } = definition;
    const given = Object.hasOwn(json, attributeId) ? json[attributeId] : undefined;
    if (given === null) continue;
    const entry = given === undefined ? null : entryOfGiven(definition, given, atMs);
    if (entry === undefined) wrong.push(`own.${attributeId} must be ${expected(definition)}.`);
    else own[keyOf(definition)] = entry;
  }
  const ids = new Set(attributes.map(({ attributeId }) => attributeId));
  for (const id of Object.keys(json)) {
    if (!ids.has(id)) wrong.push(`The document defines no attribute "${id}".`);
  }
  return own;
}

function entryOfGiven(
  definition: NamedDefinition,
  given: NonNullable<OwnValueJson>,
  atMs: number,
): OwnEntry | undefined {
  const { fold, type } = definition;
  if (isWindowed(definition)) {
    const isRight = typeof given === 'object' && areWindows(definition, given);
    return isRight ? entryOfWindows(definition, given, atMs) : undefined;
  }
  if (typeof given === 'object' || !isOfType(type, given)) return undefined;
  const value = typeof given === 'string' ? cutText(given) : given;
  return fold === 'last' || fold === 'first' ? [value, atMs] : (value as number);
}

function isOfType(type: NamedDefinition['type'], given: boolean | number | string): boolean {
  if (type === 'integer') return Number.isSafeInteger(given);
  return typeof given === type;
}

/** Counts are whole and not negative, and a shorter window has no more than a longer one. */
function areWindows(
  { fold, type }: NamedDefinition,
  { total, last7d, last28d }: Static<typeof Windows>,
): boolean {
  const numbers = [total, last7d, last28d];
  if (fold === 'sum') return type === 'number' || numbers.every(Number.isSafeInteger);
  return numbers.every(Number.isSafeInteger) && last7d >= 0 && last7d <= last28d && last28d <= total;
}

function expected(definition: NamedDefinition): string {
  const { type } = definition;
  if (!isWindowed(definition)) return `of the type ${type}`;
  return 'an object with total, last7d and last28d';
}
