import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { NearMiss } from '../../personalisation/rules/near-miss.js';
import { revenueShares, roundShare } from '../dry-runs/shares.js';
import { addSpend } from '../dry-runs/tally.js';

export type CountedAudience = Readonly<{
  /** Of the game. */
  players: number;
  examined: number;
  /** For all players: an estimate, where not all were examined. */
  audience: Readonly<{ players: number; payers: number; share: number }>;
  /** What part of all that the examined players have spent is theirs, by currency: 0.25 is a quarter. */
  revenueShare: Readonly<Record<string, number>>;
  examples: Readonly<{
    inside: readonly string[];
    /** Who would enter with the smallest change of one number, nearest first. */
    outside: readonly Readonly<{ playerId: string; nearMiss: NearMiss }>[];
  }>;
}>;

const MAX_EXAMPLES = 10;

/** Adds up who is in and who is nearly in, player by player. */
export class AudienceCount {
  #examined = 0;
  #inside = 0;
  #payers = 0;
  readonly #spend = new Map<string, number>();
  readonly #allSpend = new Map<string, number>();
  readonly #examples: string[] = [];
  #nearest: { playerId: string; nearMiss: NearMiss; distance: number }[] = [];

  add(facts: PlayerFacts, isInside: boolean, nearMiss: NearMiss | null): void {
    const isPayer = facts.purchaseCount > 0;
    this.#examined++;
    if (isPayer) addSpend(this.#allSpend, facts);
    if (nearMiss !== null) this.#addNear(facts.userId, nearMiss);
    if (!isInside) return;
    this.#inside++;
    if (isPayer) {
      this.#payers++;
      addSpend(this.#spend, facts);
    }
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(facts.userId);
  }

  result(players: number): CountedAudience {
    const scale = this.#examined === 0 ? 1 : players / this.#examined;
    return {
      players,
      examined: this.#examined,
      audience: {
        players: Math.round(this.#inside * scale),
        payers: Math.round(this.#payers * scale),
        share: this.#examined === 0 ? 0 : roundShare(this.#inside / this.#examined),
      },
      revenueShare: revenueShares(this.#spend, this.#allSpend),
      examples: {
        inside: this.#examples,
        outside: this.#nearest.map(({ playerId, nearMiss }) => ({ playerId, nearMiss })),
      },
    };
  }

  /** One dollar off fifty is nearer than one purchase off two. */
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
