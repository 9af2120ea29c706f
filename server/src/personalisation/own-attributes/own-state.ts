import { type FoldedEvent, valueOfEvent } from './event-value.js';
import { entryOf, mergeEntries, type OwnEntry } from './folds.js';
import { keyOf, type OwnDefinition } from './own-definition.js';

/** The own attributes of a player by the keys of their definitions. Null: no event has said anything yet. */
export type OwnState = Readonly<Record<string, OwnEntry | null>>;

type KeyedDefinition = Readonly<{ key: string; definition: OwnDefinition }>;

/** Definitions that are folded together. */
export type OwnSet = Readonly<{
  keys: readonly string[];
  byEventType: ReadonlyMap<string, readonly KeyedDefinition[]>;
}>;

export function ownSet(definitions: Iterable<OwnDefinition>): OwnSet {
  const byKey = new Map<string, OwnDefinition>();
  for (const definition of definitions) byKey.set(keyOf(definition), definition);
  const byEventType = new Map<string, KeyedDefinition[]>();
  for (const [key, definition] of byKey) {
    const ofType = byEventType.get(definition.eventType);
    if (ofType === undefined) byEventType.set(definition.eventType, [{ key, definition }]);
    else ofType.push({ key, definition });
  }
  return { keys: [...byKey.keys()], byEventType };
}

/** Of a player without events. */
export function emptyState({ keys }: OwnSet): OwnState {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The state as events are folded into it. */
export class OwnFold {
  readonly #set: OwnSet;
  readonly #state: Map<string, OwnEntry | null>;
  hasChanged = false;

  /** `state` may lack keys of the set: they begin without events. */
  constructor(set: OwnSet, state: OwnState) {
    this.#set = set;
    this.#state = new Map(set.keys.map((key) => [key, state[key] ?? null]));
  }

  /** Whether events of this type matter. Asked before the payload of an event is parsed. */
  reads(eventType: string): boolean {
    return this.#set.byEventType.has(eventType);
  }

  add(eventType: string, event: FoldedEvent): void {
    for (const { key, definition } of this.#set.byEventType.get(eventType) ?? []) {
      const value = valueOfEvent(definition, event);
      if (value === undefined) continue;
      const known = this.#state.get(key) ?? null;
      const added = entryOf(definition, value, event.atMs);
      this.#state.set(key, known === null ? added : mergeEntries(definition.fold, known, added));
      this.hasChanged = true;
    }
  }

  get state(): OwnState {
    return Object.fromEntries(this.#state);
  }
}
