import { type EventReader, eventReader, type FoldedEvent } from './event-value.js';
import { type Accumulator, createAccumulator, type OwnEntry } from './folds.js';
import { keyOf, type OwnDefinition } from './own-definition.js';

/**
 * The own attributes of a player by the keys of their definitions. Null: no event has said anything yet. `WORKED_OUT_AT` is a time in
 * milliseconds, of players who got attributes by the back-fill.
 */
export type OwnState = Readonly<Record<string, OwnEntry | null>>;

/** When the back-fill last gave the player an attribute. It has not the length of a key. */
export const WORKED_OUT_AT = 'at';

type KeyedDefinition = Readonly<{ place: number; definition: OwnDefinition; read: EventReader }>;

/** Definitions that are folded together. */
export type OwnSet = Readonly<{
  keys: readonly string[];
  byEventType: ReadonlyMap<string, readonly KeyedDefinition[]>;
}>;

export function ownSet(definitions: Iterable<OwnDefinition>): OwnSet {
  const byKey = new Map<string, OwnDefinition>();
  for (const definition of definitions) byKey.set(keyOf(definition), definition);
  const byEventType = new Map<string, KeyedDefinition[]>();
  const keys = [...byKey.keys()];
  for (const [place, definition] of [...byKey.values()].entries()) {
    const keyed = { place, definition, read: eventReader(definition) };
    const ofType = byEventType.get(definition.eventType);
    if (ofType === undefined) byEventType.set(definition.eventType, [keyed]);
    else ofType.push(keyed);
  }
  return { keys, byEventType };
}

/** The state of a player as events are folded into it. */
export class OwnFold {
  readonly #set: OwnSet;
  readonly #known: OwnState;
  /** Of the attributes that events have said something about, by their places in the set. */
  readonly #accumulators: (Accumulator | undefined)[];
  hasChanged = false;

  /** `state` may lack keys of the set: they begin without events. */
  constructor(set: OwnSet, state: OwnState) {
    this.#set = set;
    this.#known = state;
    this.#accumulators = new Array(set.keys.length);
  }

  /** Whether events of this type matter. Asked before the payload of an event is parsed. */
  reads(eventType: string): boolean {
    return this.#set.byEventType.has(eventType);
  }

  add(eventType: string, event: FoldedEvent): void {
    for (const { place, definition, read } of this.#set.byEventType.get(eventType) ?? []) {
      const value = read(event);
      if (value === undefined) continue;
      let accumulator = this.#accumulators[place];
      if (accumulator === undefined) {
        accumulator = createAccumulator(definition, this.#knownAt(place));
        this.#accumulators[place] = accumulator;
        this.hasChanged = true;
      }
      accumulator.add(value, event.atMs);
    }
  }

  #knownAt(place: number): OwnEntry | null {
    return this.#known[this.#set.keys[place] ?? ''] ?? null;
  }

  get state(): OwnState {
    const entries: [string, OwnEntry | null][] = this.#set.keys.map((key, place) => [
      key,
      this.#accumulators[place]?.entry() ?? this.#knownAt(place),
    ]);
    const workedOutAt = this.#known[WORKED_OUT_AT];
    if (workedOutAt !== undefined) entries.unshift([WORKED_OUT_AT, workedOutAt]);
    return Object.fromEntries(entries);
  }
}
