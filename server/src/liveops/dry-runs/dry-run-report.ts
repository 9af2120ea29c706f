import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { EVALUATED_PARTS, type EvaluatedPart } from '../../decide/decide/evaluated-parts.js';
import { entryName } from '../../decide/document/document-part.js';
import type { Evaluation } from '../evaluations/evaluate-player.js';
import { type RevenueShares, revenueShares, type SpendFacts, SpendSum } from '../evaluations/spend-sum.js';
import { type Counts, Tally } from '../evaluations/tally.js';
import { type PriceChange, type PricedPlayers, PriceTally } from './price-tally.js';

/** How many players a flag, segment or offer is true of, and how many of them pay. */
export type PartEffect = Readonly<{
  /** Of the examined players. */
  counts: Readonly<Counts & { payers: number }>;
  /** The same for all players, if only a sample was examined. */
  estimate: Readonly<Counts & { payers: number }> | null;
  /** A few userIds. */
  examples: Readonly<{ enter: readonly string[]; leave: readonly string[] }>;
}> &
  /** Of the players after the change in the spend of all examined players: 0.25 is a quarter. */
  RevenueShares;

type Evaluated = (typeof EVALUATED_PARTS)[number]['part'];

/** The effects on the entries of each part: `segments: [{ segmentId, counts, … }]`. */
export type PartEffects = Readonly<{
  [Part in Evaluated as Part['name']]: readonly (Readonly<Record<Part['idMember'], string>> & PartEffect)[];
}>;

/** For how many players a rule failed, under the old and under the new document. */
export type RuleErrors = Readonly<{ part: string; before: number; after: number }>;

export type Effects = PartEffects &
  Readonly<{
    /** Of most players first. */
    prices: readonly PriceChange[];
    /** Of all players; an estimate if only a sample was examined. */
    priced: PricedPlayers;
    ruleErrors: readonly RuleErrors[];
  }>;

type TalliedEntry = Readonly<{ id: string; isUnchanged: boolean; tally: Tally }>;
type TalliedPart = Readonly<{ part: EvaluatedPart['part']; entries: readonly TalliedEntry[] }>;
/** An evaluation, whichever parts there are. */
type Results = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Adds up, player by player, what the old and the new document decide. Parts that are unchanged are evaluated under the new
 * document only.
 */
export class DryRunReport {
  readonly #parts: readonly TalliedPart[];
  readonly #spend = new SpendSum();
  readonly #errors = new Map<string, { before: number; after: number }>();

  readonly #unchanged: ReadonlySet<string>;
  readonly #prices: PriceTally;

  constructor(
    before: CompiledDocument,
    after: CompiledDocument,
    unchanged: ReadonlySet<string>,
    nowMs: number,
    parts: readonly EvaluatedPart[] = EVALUATED_PARTS,
  ) {
    this.#unchanged = unchanged;
    this.#prices = new PriceTally(before, after, unchanged, nowMs);
    this.#parts = parts.map(({ part, entriesOf }) => ({
      part,
      // The entries of the new document in its order, then the entries that it has removed.
      entries: [...new Set([...entriesOf(after), ...entriesOf(before)].map(({ id }) => id))].map((id) => ({
        id,
        isUnchanged: unchanged.has(entryName(part, id)),
        tally: new Tally(),
      })),
    }));
  }

  add(facts: PlayerFacts & SpendFacts, before: Evaluation, after: Evaluation): void {
    if (facts.purchaseCount > 0) this.#spend.add(facts);
    this.#prices.add(facts, before, after);
    for (const { part, entries } of this.#parts) {
      const old = idsOf(before, part.name);
      const present = idsOf(after, part.name);
      for (const { id, isUnchanged, tally } of entries) {
        const isAfter = present.has(id);
        tally.add(isUnchanged ? isAfter : old.has(id), isAfter, facts);
      }
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
    return this.#effects(scale, () => true);
  }

  /** Without the entries that no player enters or leaves. */
  changes(scale: number): Effects {
    return this.#effects(scale, ({ tally: { counts } }) => counts.enter > 0 || counts.leave > 0);
  }

  #effects(scale: number, isListed: (entry: TalliedEntry) => boolean): Effects {
    const effects = this.#parts.map(({ part, entries }): [string, unknown] => [
      part.name,
      entries
        .filter(isListed)
        .map(({ id, tally }) => ({ [part.idMember]: id, ...this.#effect(tally, scale) })),
    ]);
    return {
      ...(Object.fromEntries(effects) as PartEffects),
      prices: this.#prices.changes(scale),
      priced: this.#prices.priced(scale),
      ruleErrors: [...this.#errors].map(([part, counted]) => ({ part, ...counted })),
    };
  }

  #effect({ counts, payers, spend, entering, leaving }: Tally, scale: number): PartEffect {
    const all = { ...counts, payers };
    return {
      counts: all,
      estimate: scale === 1 ? null : scaled(all, scale),
      ...revenueShares(spend, this.#spend),
      examples: { enter: entering, leave: leaving },
    };
  }
}

const NONE: ReadonlySet<string> = new Set();

function idsOf(evaluation: Results, name: string): ReadonlySet<string> {
  return evaluation[name] ?? NONE;
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
