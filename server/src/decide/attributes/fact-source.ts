import type { PlayerDay, PlayerFacts, ProfileMember } from './player-facts.js';

/** Facts that a column of the player's row holds, one each. */
export type PlayerFact =
  | Extract<
      keyof PlayerFacts,
      'createdAt' | 'lastEventAt' | 'eventCount' | 'purchaseCount' | 'lastPurchaseAt' | 'spend'
    >
  /** Of the history. */
  | 'firstDay';

/** What is added up over days. */
export type DaySource = Exclude<keyof PlayerDay, 'epochDay'>;

export type Window = 'last7d' | 'last28d';

/**
 * A stored fact that an attribute is computed from. Dry runs read the facts of the attributes that rules name, and nothing
 * else; `liveops/evaluations/fact-projections.ts` has the column of each.
 */
export type FactSource =
  | Readonly<{ of: 'player'; fact: PlayerFact }>
  | Readonly<{ of: 'profile'; member: ProfileMember }>
  /** How many events of a type there were over all time. */
  | Readonly<{ of: 'eventType'; eventType: string }>
  /** A sum over the days of a window. `key` is an event type or a currency. */
  | Readonly<{ of: 'days'; source: DaySource; key: string | null; window: Window }>
  /** An entry of the own attributes. */
  | Readonly<{ of: 'own'; key: string }>
  /** All that predictions are computed from, except the time of the first login. */
  | Readonly<{ of: 'history' }>;

/**
 * Events change every fact except the time of the first login. The day of the first event counts as unchanged, too: it matters
 * only if it is before the first login, and then the times of later events do not say when it became known.
 */
export function isChangedByEvents(source: FactSource): boolean {
  return source.of !== 'player' || (source.fact !== 'createdAt' && source.fact !== 'firstDay');
}
