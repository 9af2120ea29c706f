import type { OwnEntry } from '../own-attributes/folds.js';
import { isWindowed, keyOf, type NamedDefinition, type OwnType } from '../own-attributes/own-definition.js';
import { NotWorkedOut, type OwnFacts } from '../own-attributes/own-facts.js';
import { type OwnWindow, plainValueOf, WINDOWS, windowValueOf } from '../own-attributes/own-value.js';
import type { Attribute, AttributeField, ValueType } from './attribute.js';
import { AttributeRegistry } from './attribute-registry.js';
import type { PlayerAttributes } from './player-attributes.js';
import { TIME_BASIS } from './time-basis.js';

const OWN = 'own';
/** Reading 28 days of an entry takes 1 to 2 µs. */
const WINDOW_COST = 20;

const TYPES: Readonly<Record<OwnType, ValueType>> = {
  boolean: 'bool',
  integer: 'int',
  number: 'double',
  string: 'string',
};

/** What a game defines itself: `own.level >= 10`, `own.boss_kills.last7d > 3`. */
function ownAttribute(definitions: readonly NamedDefinition[]): Attribute {
  const fields = definitions.flatMap(fieldsOf);
  return {
    name: OWN,
    usage: `own.${fields[0]?.name ?? 'level'}`,
    type: 'Own',
    description: 'What the game defines itself, from its events.',
    key: null,
    value: null,
    fields,
  };
}

const WINDOW_TEXTS: Readonly<Record<OwnWindow, string>> = {
  total: 'of all time',
  last7d: 'today and the 6 days before, in UTC',
  last28d: 'today and the 27 days before, in UTC',
};

function fieldsOf(definition: NamedDefinition): AttributeField[] {
  const { attributeId, eventType, member, fold, type } = definition;
  const key = keyOf(definition);
  const what = `${fold} of ${member === null ? eventType : `${member} of ${eventType}`}`;
  const factsOf = () => [{ of: 'own', key } as const];
  const entryOf = entryReader(key, attributeId);
  if (!isWindowed(definition)) {
    const read = (attributes: PlayerAttributes) => plainValueOf(definition, entryOf(attributes));
    const basis = TIME_BASIS.never;
    const common = { basis, workCost: 0, canFail: true, readerOf: () => read, factsOf };
    return [{ ...common, name: attributeId, type: TYPES[type], description: what }];
  }
  return (['total', ...(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[])] as const).map((window) => ({
    name: `${attributeId}.${window}`,
    type: TYPES[type],
    description: `${what}, ${WINDOW_TEXTS[window]}`,
    basis: window === 'total' ? TIME_BASIS.never : TIME_BASIS.midnight,
    workCost: window === 'total' ? 0 : WINDOW_COST,
    canFail: true,
    readerOf: () => (attributes: PlayerAttributes) =>
      windowValueOf(definition, entryOf(attributes), window, attributes.now),
    factsOf,
  }));
}

/** Throws where the attribute is not worked out for the player yet. */
function entryReader(key: string, attributeId: string): (attributes: PlayerAttributes) => OwnEntry | null {
  // Made once: a stack trace would cost more than the rest of the evaluation.
  const notWorkedOut = new NotWorkedOut(`own.${attributeId}`);
  return ({ facts }) => {
    const entry = entryIn(facts.own, key);
    if (entry === undefined) throw notWorkedOut;
    return entry;
  };
}

function entryIn(own: OwnFacts, key: string): OwnEntry | null | undefined {
  if (own === 'no events') return null;
  return Object.hasOwn(own, key) ? (own[key] ?? null) : undefined;
}

/** A registry costs an environment of its own, which takes milliseconds to build. */
const MAX_REGISTRIES = 200;
const registries = new WeakMap<AttributeRegistry, Map<string, AttributeRegistry>>();

/** What rules of a document with these definitions may ask. */
export function withOwnAttributes(
  base: AttributeRegistry,
  definitions: readonly NamedDefinition[],
): AttributeRegistry {
  if (definitions.length === 0) return base;
  let ofBase = registries.get(base);
  if (ofBase === undefined) {
    ofBase = new Map();
    registries.set(base, ofBase);
  }
  const text = JSON.stringify(
    definitions.map(({ attributeId, eventType, member, fold, type }) => [
      attributeId,
      eventType,
      member,
      fold,
      type,
    ]),
  );
  let registry = ofBase.get(text);
  if (registry === undefined) {
    registry = new AttributeRegistry([...base.attributes, ownAttribute(definitions)]);
    const [oldest] = ofBase.keys();
    if (ofBase.size >= MAX_REGISTRIES && oldest !== undefined) ofBase.delete(oldest);
    ofBase.set(text, registry);
  }
  return registry;
}
