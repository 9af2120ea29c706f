import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import { firstSeenAt } from '../../decide/attributes/time-basis.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** The facts of a player as people read them. */
export function playerResponse(facts: PlayerFacts) {
  const profile = Object.entries(facts.profile).map(([name, { v, t }]) => [
    name,
    { value: v, at: toTime(t) },
  ]);
  return {
    playerId: facts.userId,
    createdAt: toTime(facts.createdAt),
    firstSeenAt: toTime(firstSeenAt(facts)),
    lastEventAt: toTime(facts.lastEventAt),
    eventCount: facts.eventCount,
    eventCounts: facts.eventCounts,
    purchaseCount: facts.purchaseCount,
    lastPurchaseAt: toTime(facts.lastPurchaseAt),
    spend: facts.spend,
    profile: Object.fromEntries(profile),
    days: facts.days
      .toSorted((a, b) => b.epochDay - a.epochDay)
      .map(({ epochDay, ...day }) => ({ day: toTime(epochDay * DAY_MS).slice(0, 10), ...day })),
    promoPurchases: facts.promoPurchases,
  };
}
