import type { PlayerFacts } from './player-facts.js';
import { BLANK_HISTORY } from './player-history.js';

/** A player of whom only the first login is known. */
export function blankFacts(userId: string, createdAt: number): PlayerFacts {
  return {
    userId,
    createdAt,
    lastEventAt: null,
    eventCount: 0,
    eventCounts: {},
    purchaseCount: 0,
    lastPurchaseAt: null,
    spend: {},
    profile: {},
    days: [],
    promoPurchases: {},
    overrides: [],
    pins: [],
    overridesAt: null,
    stays: [],
    exposures: [],
    ageGroup: null,
    ageGroupAt: null,
    history: BLANK_HISTORY,
    own: 'no events',
  };
}
