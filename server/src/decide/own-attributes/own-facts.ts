import { type OwnState, WORKED_OUT_AT } from './own-state.js';

/**
 * The own attributes of a player as decisions know them. A key that is missing has not been worked out for the player yet. A player without
 * events has nothing to work out.
 */
export type OwnFacts = OwnState | 'no events';

export const NOTHING_WORKED_OUT: OwnState = Object.freeze({});

/** When the back-fill last gave the player an attribute; null if it never did. */
export function workedOutAt(own: OwnFacts): number | null {
  const at = own === 'no events' ? null : own[WORKED_OUT_AT];
  return typeof at === 'number' ? at : null;
}

/** A rule needs an attribute that has not been worked out for the player yet: it does not match. */
export class NotWorkedOut extends Error {
  constructor(what: string) {
    super(`${what} is still being worked out for this player`);
  }
}
