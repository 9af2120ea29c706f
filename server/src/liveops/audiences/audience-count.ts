import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { NearMiss } from '../../decide/rules/near-miss.js';
import {
  type RevenueShares,
  revenueShares,
  roundShare,
  type SpendFacts,
  SpendSum,
} from '../evaluations/spend-sum.js';
import type { PlayerSample } from './sample-queries.js';
import { scaleOf } from './sample-scale.js';

export type CountedAudience = Readonly<{
  /** All players of the game. */
  players: number;
  examined: number;
  isSampled: boolean;
  /** Of all players of the game; an estimate if only a sample was examined. */
  audience: Readonly<{ players: number; payers: number; share: number }>;
  examples: Readonly<{
    inside: readonly string[];
    /** Players who would enter with the smallest change of one number, nearest first. */
    outside: readonly Readonly<{ playerId: string; nearMiss: NearMiss }>[];
  }>;
}> &
  /** Of the audience in the spend of all examined players: 0.25 is a quarter. */
  RevenueShares;

const MAX_EXAMPLES = 10;

/** Counts the players inside and nearly inside, player by player. */
export class AudienceCount {
  #examined = 0;
  #inside = 0;
  #payers = 0;
  readonly #spend = new SpendSum();
  readonly #allSpend = new SpendSum();
  readonly #examples: string[] = [];
  #nearest: { playerId: string; nearMiss: NearMiss; distance: number }[] = [];

  add(facts: PlayerFacts & SpendFacts, isInside: boolean, nearMiss: NearMiss | null): void {
    const isPayer = facts.purchaseCount > 0;
    this.#examined++;
    if (isPayer) this.#allSpend.add(facts);
    if (nearMiss !== null) this.#addNear(facts.userId, nearMiss);
    if (!isInside) return;
    this.#inside++;
    if (isPayer) {
      this.#payers++;
      this.#spend.add(facts);
    }
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(facts.userId);
  }

  result(sample: PlayerSample): CountedAudience {
    const { scale, ...counted } = scaleOf(sample, this.#examined);
    return {
      ...counted,
      audience: {
        players: Math.round(this.#inside * scale),
        payers: Math.round(this.#payers * scale),
        share: this.#examined === 0 ? 0 : roundShare(this.#inside / this.#examined),
      },
      ...revenueShares(this.#spend, this.#allSpend),
      examples: {
        inside: this.#examples,
        outside: this.#nearest.map(({ playerId, nearMiss }) => ({ playerId, nearMiss })),
      },
    };
  }

  /** The distance is relative: 49 of 50 dollars are nearer than 1 of 2 purchases. */
  #addNear(playerId: string, nearMiss: NearMiss): void {
    const distance = nearMiss.distance / Math.max(1, Math.abs(nearMiss.threshold));
    const furthest = this.#nearest.at(-1);
    if (this.#nearest.length === MAX_EXAMPLES && furthest !== undefined && distance >= furthest.distance) {
      return;
    }
    this.#nearest = [...this.#nearest, { playerId, nearMiss, distance }]
      .sort((one, other) => one.distance - other.distance)
      .slice(0, MAX_EXAMPLES);
  }
}
