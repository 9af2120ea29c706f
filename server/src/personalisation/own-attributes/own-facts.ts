import type { OwnState } from './own-state.js';

/**
 * The own attributes of a player as decisions know them. A key that is missing has not been worked out for the player yet. A player without
 * events has nothing to work out.
 */
export type OwnFacts = OwnState | 'no events';

export const NOTHING_WORKED_OUT: OwnState = Object.freeze({});

/** A rule needs an attribute that has not been worked out for the player yet: it does not match. */
export class NotWorkedOut extends Error {
  constructor(what: string) {
    super(`${what} is still being worked out for this player`);
  }
}
