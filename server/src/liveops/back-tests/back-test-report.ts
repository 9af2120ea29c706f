import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { decide } from '../../decide/decide/decide.js';
import type { Decision } from '../../decide/decide/decision.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import { DryRunReport, type Effects } from '../dry-runs/dry-run-report.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { ageGroupAt } from '../explanations/explained-player.js';
import { CANNOT_KNOW } from './cannot-know.js';
import type { ExaminedDay } from './examined-days.js';
import type { ExaminedPlayer } from './examined-player.js';
import { MatchTally, type PartMatches } from './match-tally.js';
import { PurchaseTally, type SkuPurchases } from './purchase-tally.js';
import type { Purchase } from './sample-queries.js';

/** The effects on one day, without the entries that no player enters or leaves. */
export type DayEffects = Readonly<{
  day: string;
  /** The version that was in force at its start. */
  version: number;
  /** Examined players who were here on the day. */
  players: number;
}> &
  Effects;

export type BackTestResult = Readonly<{
  /** Players who were here since the first day; of a large game an estimate (`listSample`). */
  players: number;
  examined: number;
  sampled: boolean;
  from: string;
  to: string;
  /** Days of examined players on which they were here. */
  playerDays: number;
  seconds: number;
  /** Events before this day are deleted, so what is known of the players lacks them. */
  completeSince: string | null;
  days: readonly DayEffects[];
  purchases: Readonly<{ count: number; notCounted: number; skus: readonly SkuPurchases[] }>;
  cannotKnow: typeof CANNOT_KNOW;
}> &
  PartMatches;

/** For the purchases of a player on one day. A document may change its store every minute. */
const MAX_DECISIONS = 100;

type DayReport = {
  readonly day: ExaminedDay;
  readonly report: DryRunReport;
  readonly onErrorBefore: (part: string) => void;
  readonly onErrorAfter: (part: string) => void;
  players: number;
};

/** Adds up what players would have seen and paid. Its size does not depend on how many players there are. */
export class BackTestReport {
  readonly #days: readonly DayReport[];
  readonly #after: CompiledDocument;
  readonly #matches = new MatchTally();
  readonly #purchases = new PurchaseTally();
  readonly #timeSlice = new TimeSlice(() => performance.now());
  #deletedBefore: string | null = null;

  constructor(days: readonly ExaminedDay[], after: CompiledDocument) {
    this.#after = after;
    this.#days = days.map((day) => {
      const report = new DryRunReport(day.before, after, day.unchanged, day.atMs);
      return {
        day,
        report,
        onErrorBefore: (part) => report.addError('before', part),
        onErrorAfter: (part) => report.addError('after', part),
        players: 0,
      };
    });
  }

  /** `rebuilt`: the facts about the player at the start of the day; of a new player those of a player without events. */
  async add(
    index: number,
    player: ExaminedPlayer,
    rebuilt: PlayerFacts,
    purchases: readonly Purchase[],
  ): Promise<void> {
    const own = this.#days[index];
    if (own === undefined) throw new Error('there is no such day');
    const { models, rest, unchanged } = own.day;
    const atMs = Math.max(own.day.atMs, player.createdAt);
    const facts = { ...rebuilt, ...ageGroupAt(player, atMs) };
    const before = evaluatePlayer(rest, facts, atMs, models, own.onErrorBefore);
    const after = evaluatePlayer(this.#after, facts, atMs, models, own.onErrorAfter);
    own.players++;
    own.report.add(facts, before, after);
    this.#matches.add(player.playerId, before, after, unchanged);
    await this.#addPurchases(purchases, facts, models);
    await this.#giveWay();
  }

  /** In order of time. A decision holds for all purchases until something changes in the store. */
  async #addPurchases(
    purchases: readonly Purchase[],
    facts: PlayerFacts,
    models: ModelsInForce,
  ): Promise<void> {
    let decided: Decision | undefined;
    let decisions = 0;
    for (const purchase of purchases) {
      if (decided === undefined || purchase.purchasedAt >= decided.validUntil) {
        if (decisions === MAX_DECISIONS) {
          this.#purchases.leaveOut();
          continue;
        }
        decisions++;
        decided = decide(this.#after, facts, purchase.purchasedAt, { models });
      }
      this.#purchases.add(purchase, decided.store.activeSkus);
      await this.#giveWay();
    }
  }

  async #giveWay(): Promise<void> {
    if (this.#timeSlice.isOver) await this.#timeSlice.giveWay();
  }

  /** All days of the players since the last call were added. */
  endPage(deletedBefore: string | null): void {
    this.#matches.forgetPlayers();
    this.#deletedBefore = deletedBefore;
  }

  result({
    players,
    examined,
    sampled,
    seconds,
  }: Pick<BackTestResult, 'players' | 'examined' | 'sampled' | 'seconds'>): BackTestResult {
    const scale = examined === 0 ? 1 : players / examined;
    const days = this.#days.map(({ day: { day, version }, players: here, report }) => ({
      day,
      version,
      players: here,
      ...report.changes(scale),
    }));
    return {
      players,
      examined,
      sampled,
      from: days[0]?.day ?? '',
      to: days.at(-1)?.day ?? '',
      playerDays: days.reduce((sum, day) => sum + day.players, 0),
      seconds,
      completeSince: this.#deletedBefore,
      ...this.#matches.matches([this.#after, ...new Set(this.#days.map(({ day }) => day.before))]),
      days,
      purchases: {
        count: this.#purchases.count,
        notCounted: this.#purchases.notCounted,
        skus: this.#purchases.skus(),
      },
      cannotKnow: CANNOT_KNOW,
    };
  }
}
