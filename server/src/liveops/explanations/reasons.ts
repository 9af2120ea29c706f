import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { FlagTrace, OfferTrace, SegmentTrace, Trace } from '../../decide/decide/decision.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { OfferEntry } from '../../decide/document/parts/offers.js';
import { nearMissSentence } from '../../decide/rules/near-miss.js';
import { experimentReason } from './experiment-reason.js';
import type { NearMisses } from './near-misses.js';
import { closedWindow, evaluationOf, inShare, openWindow, rounded } from './reason-words.js';
import { skuReason } from './sku-reason.js';
import { valueReason } from './value-reason.js';

/** The input of the sentences. */
export type ReasonSources = Readonly<{
  document: ConfigDocument;
  facts: PlayerFacts;
  at: number;
  trace: Trace;
  nearMisses: NearMisses;
}>;

export type Reasons = Readonly<{
  flags: readonly string[];
  segments: readonly string[];
  offers: readonly string[];
  skus: readonly string[];
  values: readonly string[];
  experiments: readonly string[];
}>;

/** The reasons of a decision, in a sentence for each flag, segment, offer, SKU, value and experiment. */
export function reasonsOf({ document, facts, at, trace, nearMisses }: ReasonSources): Reasons {
  const { payerForDays } = document.flags.isPayer;
  const offers = new Map(document.offers.map((offer) => [offer.offerId, offer]));
  const experiments = new Map((document.experiments ?? []).map((entry) => [entry.experimentId, entry]));
  const skus = new Map(document.catalogue.map((sku) => [sku.skuId, sku]));
  return {
    flags: trace.flags.map((flag) => flagReason(flag, facts, payerForDays, at)),
    segments: trace.segments.map((segment) => segmentReason(segment, nearMisses)),
    offers: trace.offers.map((offer) => offerReason(offer, offers.get(offer.offerId))),
    skus: trace.skus.map((sku) => skuReason(sku, skus.get(sku.skuId), document.pricing !== undefined)),
    values: trace.values.map(valueReason),
    experiments: trace.experiments.map((arm) => experimentReason(arm, experiments.get(arm.experimentId))),
  };
}

function flagReason(
  { flagId, value, because: reason, schedule, rule }: FlagTrace,
  facts: PlayerFacts,
  payerForDays: number | null,
  at: number,
): string {
  const says = `Flag ${flagId} is ${value}`;
  const bought = facts.lastPurchaseAt === null ? '' : new Date(facts.lastPurchaseAt).toISOString();
  switch (reason) {
    case 'override':
      return `${says}: an override says so${overrideSpan(flagId, facts, at)}.`;
    case 'purchase':
      return payerForDays === null
        ? `${says}: the last purchase was at ${bought}.`
        : `${says}: the last purchase was at ${bought} and counts for ${days(payerForDays)}.`;
    case 'purchase_expired':
      return `${says}: the last purchase was at ${bought} and counted for ${days(payerForDays ?? 0)}.`;
    case 'rule':
      return `${says}: ${evaluationOf(rule)}${openWindow(schedule)}.`;
    case 'closed':
      return `${says}, its default: its schedule is closed${closedWindow(schedule)}.`;
    case 'default':
      if (rule !== null) return `${says}, its default: ${evaluationOf(rule)}.`;
      return flagId === 'isPayer'
        ? `${says}: there is no purchase.`
        : `${says}, its default: it has no rule.`;
  }
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

/** The span of the override in force, which is the one that was set last. */
function overrideSpan(flagId: string, { overrides }: PlayerFacts, at: number): string {
  const inForce = overrides.filter(
    (each) => each.flagId === flagId && each.setAt <= at && (each.until === null || at < each.until),
  );
  const last = inForce.sort((a, b) => a.setAt - b.setAt).at(-1);
  if (last === undefined) return '';
  const until = last.until === null ? '' : `, until ${new Date(last.until).toISOString()}`;
  return `, since ${new Date(last.setAt).toISOString()}${until}`;
}

function segmentReason({ segmentId, member, rule, stay }: SegmentTrace, nearMisses: NearMisses): string {
  const nearMiss = nearMisses.get(segmentId);
  const missing = nearMiss === undefined ? '' : ` ${nearMissSentence(nearMiss)}`;
  const says = `${member ? 'In' : 'Not in'} segment ${segmentId}`;
  if (stay === null) return `${says}: ${evaluationOf(rule)}.${missing}`;
  const entered = `entered at ${stay.enteredAt} with ${stay.value}`;
  return `${says}, ${member ? '' : 'which was '}${entered}: ${evaluationOf(rule)}.${missing}`;
}

function offerReason(trace: OfferTrace, offer: OfferEntry | undefined): string {
  const { offerId, outcome, sharePercent, place: bucket, purchases, rule } = trace;
  const not = `Offer ${offerId} does not apply:`;
  switch (outcome) {
    case 'applies': {
      const reason = rule === null ? 'it has no rule' : evaluationOf(rule);
      const share = sharePercent >= 100 || bucket === null ? '' : `, and ${inShare(bucket, sharePercent)}`;
      return `Offer ${offerId} applies: ${reason}${share}${openWindow(trace.schedule)}.`;
    }
    case 'held_out':
      return `${not} the player is held out and gets the untargeted store.`;
    case 'held_out_of_offer': {
      const { percent = 0, place: lot = 0 } = trace.holdout ?? {};
      return `${not} the player is held out of it: the bucket for its hold-out is ${rounded(lot)}, below ${percent}%.`;
    }
    case 'not_for_children':
      return `${not} the player is a child, who gets list prices and offers for everybody of a country and platform only.`;
    case 'outside_share':
      return `${not} the player's bucket is ${rounded(bucket ?? 0)}, outside of the share of ${sharePercent}%.`;
    case 'limit_reached':
      return `${not} purchases with its promotion: ${purchases}, limit: ${offer?.limitPerPlayer ?? 0}.`;
    case 'not_started':
      return `${not} it begins at ${offer?.from ?? 'a later time'}.`;
    case 'closed':
      return `${not} its schedule is closed${closedWindow(trace.schedule)}.`;
    case 'ended':
      return `${not} it ended at ${offer?.until ?? 'an earlier time'}.`;
    case 'rule_false':
      return `${not} ${evaluationOf(rule)}.`;
  }
}
