import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import type { Evaluation } from '../evaluations/evaluate-player.js';
import { revenueShares } from '../evaluations/shares.js';
import { addSpend, type Counts, Tally } from '../evaluations/tally.js';
import { type PriceChange, PriceTally } from './price-tally.js';

/** How many players a flag, segment or offer is true of, and how many of them pay. */
export type PartEffect = Readonly<{
  /** Of the examined players. */
  counts: Readonly<Counts & { payers: number }>;
  /** The same for all players, if only a sample was examined. */
  estimate: Readonly<Counts & { payers: number }> | null;
  /** The share of the players after the change in the spend of all examined players, by currency: 0.25 is a quarter. */
  revenueShare: Readonly<Record<string, number>>;
  /** A few userIds. */
  examples: Readonly<{ enter: readonly string[]; leave: readonly string[] }>;
}>;

export type FlagEffect = Readonly<{ flagId: string }> & PartEffect;
export type SegmentEffect = Readonly<{ segmentId: string }> & PartEffect;
export type OfferEffect = Readonly<{ offerId: string }> & PartEffect;

/** For how many players a rule failed, under the old and under the new document. */
export type RuleErrors = Readonly<{ part: string; before: number; after: number }>;

export type Effects = Readonly<{
  flags: readonly FlagEffect[];
  segments: readonly SegmentEffect[];
  offers: readonly OfferEffect[];
  /** Of most players first. */
  prices: readonly PriceChange[];
  ruleErrors: readonly RuleErrors[];
}>;

type Kind = keyof Evaluation;
type Part = Readonly<{ id: string; isUnchanged: boolean; tally: Tally }>;

const NAMES: Record<Kind, string> = { flags: 'flag', segments: 'segment', offers: 'offer' };

/**
 * Adds up, player by player, what the old and the new document decide. Parts that are unchanged are evaluated under the new
 * document only.
 */
export class DryRunReport {
  readonly #parts: Readonly<Record<Kind, readonly Part[]>>;
  readonly #spend = new Map<string, number>();
  readonly #errors = new Map<string, { before: number; after: number }>();

  readonly #unchanged: ReadonlySet<string>;
  readonly #prices: PriceTally;

  constructor(
    before: CompiledDocument,
    after: CompiledDocument,
    unchanged: ReadonlySet<string>,
    nowMs: number,
  ) {
    this.#unchanged = unchanged;
    this.#prices = new PriceTally(before, after, unchanged, nowMs);
    const partsOf = (kind: Kind, idsOf: (document: CompiledDocument) => readonly string[]): Part[] =>
      // The parts of the new document in its order, then the parts that it has removed.
      [...new Set([...idsOf(after), ...idsOf(before)])].map((id) => ({
        id,
        isUnchanged: unchanged.has(`${NAMES[kind]}:${id}`),
        tally: new Tally(),
      }));
    this.#parts = {
      flags: partsOf('flags', ({ flagsAndSegments }) =>
        flagsAndSegments.flatMap((node) => (node.kind === 'flag' ? node.flagId : [])),
      ),
      segments: partsOf('segments', ({ segments }) => segments.map(({ listed }) => listed.segmentId)),
      offers: partsOf('offers', ({ offers }) => offers.map(({ offerId }) => offerId)),
    };
  }

  add(facts: PlayerFacts, before: Evaluation, after: Evaluation): void {
    if (facts.purchaseCount > 0) addSpend(this.#spend, facts);
    this.#prices.add(facts, before, after);
    for (const { id, isUnchanged, tally } of this.#parts.flags) {
      const isAfter = after.flags.get(id) === true;
      tally.add(isUnchanged ? isAfter : before.flags.get(id) === true, isAfter, facts);
    }
    for (const { id, isUnchanged, tally } of this.#parts.segments) {
      const isAfter = after.segments.has(id);
      tally.add(isUnchanged ? isAfter : before.segments.has(id), isAfter, facts);
    }
    for (const { id, isUnchanged, tally } of this.#parts.offers) {
      const isAfter = after.offers.has(id);
      tally.add(isUnchanged ? isAfter : before.offers.has(id), isAfter, facts);
    }
  }

  addError(which: 'before' | 'after', part: string): void {
    const isUnchanged = this.#unchanged.has(part);
    // Evaluated only because another part refers to it.
    if (isUnchanged && which === 'before') return;
    const counted = this.#errors.get(part) ?? { before: 0, after: 0 };
    counted[which]++;
    if (isUnchanged) counted.before++;
    this.#errors.set(part, counted);
  }

  /** `scale`: how many players each examined player stands for. */
  effects(scale: number): Effects {
    const effect = (tally: Tally) => this.#effect(tally, scale);
    return {
      flags: this.#parts.flags.map(({ id, tally }) => ({ flagId: id, ...effect(tally) })),
      segments: this.#parts.segments.map(({ id, tally }) => ({ segmentId: id, ...effect(tally) })),
      offers: this.#parts.offers.map(({ id, tally }) => ({ offerId: id, ...effect(tally) })),
      prices: this.#prices.changes(scale),
      ruleErrors: [...this.#errors].map(([part, counted]) => ({ part, ...counted })),
    };
  }

  #effect({ counts, payers, spend, entering, leaving }: Tally, scale: number): PartEffect {
    const all = { ...counts, payers };
    return {
      counts: all,
      estimate: scale === 1 ? null : scaled(all, scale),
      revenueShare: revenueShares(spend, this.#spend),
      examples: { enter: entering, leave: leaving },
    };
  }
}

function scaled(counts: Counts & { payers: number }, scale: number): Counts & { payers: number } {
  const [enter, leave, stay] = [counts.enter, counts.leave, counts.stay].map((n) =>
    Math.round(n * scale),
  ) as [number, number, number];
  // Sums of the scaled numbers, so that the numbers fit together.
  const after = enter + stay;
  return {
    before: leave + stay,
    after,
    enter,
    leave,
    stay,
    payers: Math.min(after, Math.round(counts.payers * scale)),
  };
}
