import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../personalisation/decide/decide-flags-and-segments.js';
import { OfferJudge } from '../../personalisation/decide/decide-offers.js';
import { isHeldOut } from '../../personalisation/decide/decide-store.js';
import { Deciding, type OnDecisionError } from '../../personalisation/decide/deciding.js';

/** What a document means for one player, without the store that follows from it. */
export type Judgement = Readonly<{
  segments: ReadonlySet<string>;
  flags: ReadonlyMap<string, boolean>;
  /** The ids of those that apply. */
  offers: ReadonlySet<string>;
}>;

const NO_OFFERS: ReadonlySet<string> = new Set();

/** The same parts in the same order as `decide` puts together, so it comes to the same; a store costs most, and is left out. */
export function judgePlayer(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  onError: OnDecisionError,
): Judgement {
  const deciding = new Deciding(document, facts, now, false, onError);
  decideFlagsAndSegments(deciding);
  const { segments, flags } = deciding.attributes;
  if (document.offers.length === 0 || isHeldOut(document, facts.userId)) {
    return { segments, flags, offers: NO_OFFERS };
  }
  const judge = new OfferJudge(deciding);
  const offers = new Set<string>();
  for (const offer of document.offers) {
    if (judge.applies(offer)) offers.add(offer.offerId);
  }
  return { segments, flags, offers };
}
