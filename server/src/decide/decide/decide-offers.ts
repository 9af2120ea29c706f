import { isChild } from '../attributes/children.js';
import { numberIn } from '../attributes/player-facts.js';
import { bucketOf, isInShare, userIdBytes } from '../compile/bucket.js';
import type { CompiledOffer } from '../compile/compiled-document.js';
import { isPersonal } from '../compile/price-basis.js';
import { HELD_OUT, OFFERED } from '../document/offer-holdouts.js';
import type { Dependence } from '../rules/dependence.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import type { OfferOutcome, OfferTrace, RuleTrace, ScheduleTrace } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { lastScheduleChange } from './last-change.js';
import { traceSchedule } from './trace-schedule.js';

/** Decides which offers apply to one player. */
export class OfferEvaluator {
  /** The latest past beginning or end of an offer of the player's share. */
  lastBoundary = Number.NEGATIVE_INFINITY;
  /** What can change whether the running offers apply. */
  dependence: Dependence = 0;
  /** Whether one of the running offers is not for everybody of a country and platform. */
  isPersonal = false;
  readonly #context: DecisionContext;
  readonly #userId: Uint8Array;
  #rule: RuleTrace | null = null;
  #schedule: ScheduleTrace | null = null;
  #holdout: Pick<OfferTrace, 'holdout'> = {};

  constructor(context: DecisionContext) {
    this.#context = context;
    this.#userId = userIdBytes(context.facts.userId);
  }

  applies(offer: CompiledOffer): boolean {
    const { facts, trace } = this.#context;
    const { offerId, sharePercent, limitPerPlayer, promoId } = offer;
    // A share of 100 includes every player, but an explanation names the bucket all the same.
    const bucket = sharePercent >= 100 && trace === null ? 0 : bucketOf(offer.salt, this.#userId);
    const purchases =
      limitPerPlayer === null || promoId === null ? null : numberIn(facts.promoPurchases, promoId);
    this.#rule = null;
    this.#schedule = null;
    this.#holdout = {};
    const outcome = this.#evaluate(offer, bucket, purchases);
    const schedule = this.#schedule;
    trace?.offers.push({
      offerId,
      outcome,
      sharePercent,
      place: bucket * 100,
      ...this.#holdout,
      purchases,
      schedule,
      rule: this.#rule,
    });
    return outcome === 'applies';
  }

  #evaluate(offer: CompiledOffer, bucket: number, purchases: number | null): OfferOutcome {
    if (!isInShare(bucket, offer.sharePercent)) return 'outside_share';
    const when = this.#passed(offer);
    if (when === 'running' && isPersonal(offer)) {
      this.isPersonal = true;
      if (isChild(this.#context.facts)) return 'not_for_children';
    }
    if (purchases !== null && purchases >= (offer.limitPerPlayer ?? 0)) return 'limit_reached';
    if (when !== 'running') return when;
    if (!this.#matches(offer)) return 'rule_false';
    return this.#isHeldOut(offer) ? 'held_out_of_offer' : 'applies';
  }

  /** Drawn last: only players whom the offer would apply to are compared. Children are not, as with the hold-out of the game. */
  #isHeldOut({ holdout }: CompiledOffer): boolean {
    const { facts, holdouts } = this.#context;
    if (holdout === null) return false;
    this.isPersonal = true;
    if (isChild(facts)) return false;
    const { experimentId, seed, percent, salt } = holdout;
    const bucket = bucketOf(salt, this.#userId);
    const isHeldOut = isInShare(bucket, percent);
    const isStored = facts.exposures.some((each) => each.experimentId === experimentId && each.seed === seed);
    const variantId = isHeldOut ? HELD_OUT : OFFERED;
    holdouts.push({ experimentId, seed, variantId, isStored, isPinned: false });
    this.#holdout = { holdout: { percent, place: bucket * 100 } };
    return isHeldOut;
  }

  /**
   * Boundaries count whether or not the offer applies: a rule that is false now may have been true then, and the last change
   * that a player was told must not move back.
   */
  #passed({
    from,
    until,
    schedule,
    rule,
    dependence,
  }: CompiledOffer): 'not_started' | 'running' | 'closed' | 'ended' {
    const context = this.#context;
    if (!context.noteBoundary(from)) return 'not_started';
    if (context.noteBoundary(until)) {
      if (until > this.lastBoundary) this.lastBoundary = until;
      return 'ended';
    }
    if (from > this.lastBoundary) this.lastBoundary = from;
    if (schedule !== null && !this.#isOpen(schedule)) return 'closed';
    this.dependence |= dependence;
    // The flags and segments that it refers to are decided in any case, and counted there.
    if (rule !== null) context.basis |= rule.basis;
    return 'running';
  }

  #isOpen(schedule: CompiledSchedule): boolean {
    const context = this.#context;
    const state = context.stateOf(schedule);
    this.lastBoundary = Math.max(this.lastBoundary, lastScheduleChange(context, schedule));
    if (context.trace !== null) this.#schedule = traceSchedule(context, schedule, state);
    return state.window !== null;
  }

  #matches({ offerId, rule }: CompiledOffer): boolean {
    if (rule === null) return true;
    const result = this.#context.test(rule, 'offer', offerId);
    if (this.#context.trace !== null) this.#rule = this.#context.traceOf(rule, result);
    return result === true;
  }
}
