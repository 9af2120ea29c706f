import { DAY_MS } from '../../platform/lib/day.js';
import { lastActAt, lastTimeChange, TIME_BASIS } from '../attributes/time-basis.js';
import { tellsLowestPrice } from '../compile/price-basis.js';
import { workedOutAt } from '../own-attributes/own-facts.js';
import { DEPENDENCE, type Dependence } from '../rules/dependence.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import { countryOf } from './available-skus.js';
import { eachFlagInstant } from './decide-flags-and-segments.js';
import type { DecisionContext } from './decision-context.js';

/**
 * The last instants at which something about a player has changed that a store may depend on. The former store is not kept,
 * so these functions depend on what is read and not on its outcome: the result is never too early for events that arrive in
 * time, and later events can only raise it.
 */

/** The last change of what offers with this dependence read. */
export function lastFactChange(context: DecisionContext, dependence: Dependence): number {
  const { document, facts, models, now } = context;
  let last = lastTimeChange(dependence, facts, now);
  if (dependence & DEPENDENCE.events) last = Math.max(last, context.atMostNow(lastActAt(facts)));
  if (dependence & DEPENDENCE.own) last = Math.max(last, context.atMostNow(workedOutAt(facts.own) ?? last));
  if (dependence & TIME_BASIS.predictions) last = Math.max(last, context.atMostNow(models.since));
  if (dependence & DEPENDENCE.flags) {
    if (facts.overridesAt !== null) last = Math.max(last, context.atMostNow(facts.overridesAt));
    for (const { kind, until } of facts.pins) {
      if (kind === 'variant' && until !== null && until <= now) last = Math.max(last, until);
    }
    eachFlagInstant(document, facts, (flagId, instant) => {
      // A refund reverses the last purchase. Where an offer depends on it, the refund itself is the last change.
      if (flagId === 'isPayer' && !(dependence & DEPENDENCE.events)) return;
      if (document.offerFlags.has(flagId) && instant <= now) last = Math.max(last, instant);
    });
    for (const schedule of document.offerFlagSchedules)
      last = Math.max(last, lastScheduleChange(context, schedule));
  }
  return last;
}

/** The last change of the age group, which decides about offers that are not for everybody. */
export function lastAgeGroupChange(context: DecisionContext): number {
  const { ageGroupAt } = context.facts;
  return ageGroupAt === null ? Number.NEGATIVE_INFINITY : context.atMostNow(ageGroupAt);
}

/** The last instant at which what a schedule says to the player can have changed. The next one is noted. */
export function lastScheduleChange(context: DecisionContext, schedule: CompiledSchedule): number {
  const { since } = context.stateOf(schedule);
  return schedule.zone === null ? Math.max(since, lastZoneChange(context)) : since;
}

/** The last report of the player's zone, which may have been of another one. */
function lastZoneChange(context: DecisionContext): number {
  const zone = context.facts.profile.timeZone;
  return zone === undefined ? Number.NEGATIVE_INFINITY : context.atMostNow(zone.t);
}

/**
 * The last change of the language and the currency, where the catalogue has several; of the country, where notices depend on it; and where
 * lowest prices are told, of the country, the zone and the day.
 */
export function lastProfileChange(context: DecisionContext): number {
  const { document, facts } = context;
  const { locale, currency, paidCurrency, country } = facts.profile;
  let last = Number.NEGATIVE_INFINITY;
  if (document.locales.size > 0 && locale !== undefined) last = locale.t;
  if (document.hasCurrencies) {
    for (const known of [currency, paidCurrency]) if (known !== undefined) last = Math.max(last, known.t);
  }
  const { pricing } = document;
  const tellsSome = pricing !== null && pricing.lowestPriceCountries.size > 0;
  const hasNotices = pricing !== null && pricing.personal.size > 0;
  if ((hasNotices || tellsSome) && country !== undefined) last = Math.max(last, country.t);
  if (tellsSome && tellsLowestPrice(pricing, countryOf(facts)))
    last = Math.max(last, lastZoneChange(context), Math.floor(context.now / DAY_MS) * DAY_MS);
  return context.atMostNow(last);
}
