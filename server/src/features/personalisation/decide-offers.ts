import { bucketOf, type Hash64, isInShare } from './bucket.js';
import type { CompiledOffer } from './compiled-document.js';
import type { Deciding } from './deciding.js';
import type { OfferOutcome, RuleTrace } from './decision.js';
import { numberIn } from './player-facts.js';

/** Decides which offers apply to one player. */
export class OfferJudge {
  /** The latest passed moment that this player can have noticed. */
  lastChange: number;
  readonly #deciding: Deciding;
  readonly #player: Hash64;
  #rule: RuleTrace | null = null;

  constructor(deciding: Deciding, player: Hash64, lastChange: number) {
    this.#deciding = deciding;
    this.#player = player;
    this.lastChange = lastChange;
  }

  applies(offer: CompiledOffer): boolean {
    const { facts, trace } = this.#deciding;
    const { offerId, sharePercent, limitPerPlayer, promoId } = offer;
    // Everybody is in a share of 100, but an explanation names the place all the same.
    const place = sharePercent >= 100 && trace === null ? 0 : bucketOf(offer.hash, this.#player);
    const purchases =
      limitPerPlayer === null || promoId === null ? null : numberIn(facts.promoPurchases, promoId);
    this.#rule = null;
    const outcome = this.#judge(offer, place, purchases);
    trace?.offers.push({ offerId, outcome, sharePercent, place: place * 100, purchases, rule: this.#rule });
    return outcome === 'applies';
  }

  #judge(offer: CompiledOffer, place: number, purchases: number | null): OfferOutcome {
    if (!isInShare(place, offer.sharePercent)) return 'outside_share';
    if (purchases !== null && purchases >= (offer.limitPerPlayer ?? 0)) return 'limit_reached';
    if (!this.#deciding.passes(offer.from)) return 'not_started';
    if (!this.#deciding.passes(offer.until)) {
      if (!this.#matches(offer)) return 'rule_false';
      this.lastChange = Math.max(this.lastChange, offer.from);
      return 'applies';
    }
    // An offer of the past matters only if its end may be the last thing that the player noticed.
    if (offer.until > this.lastChange && this.#matches(offer)) this.lastChange = offer.until;
    return 'ended';
  }

  #matches({ offerId, rule }: CompiledOffer): boolean {
    if (rule === null) return true;
    // What it refers to is decided in any case, and counted there.
    this.#deciding.basis |= rule.basis;
    const result = this.#deciding.test(rule, 'offer', offerId);
    if (this.#deciding.trace !== null) this.#rule = this.#deciding.traceOf(rule, result);
    return result === true;
  }
}
