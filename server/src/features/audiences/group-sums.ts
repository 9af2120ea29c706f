import { DecimalSum } from '../../lib/decimal-sum.js';
import type { PlayerSums } from './segment-number-queries.js';

/** What a group of players did. */
export type GroupNumbers = Readonly<{
  players: number;
  activePlayers: number;
  payingPlayers: number;
  purchases: number;
  /** Decimals by currency. */
  revenue: Readonly<Record<string, string>>;
}>;

/** Adds up what the players of a group did. */
export class GroupSums {
  players = 0;
  #activePlayers = 0;
  #payingPlayers = 0;
  #purchases = 0;
  readonly #revenue = new Map<string, DecimalSum>();

  add({ isActive, purchases, revenue }: PlayerSums): void {
    this.players++;
    if (isActive) this.#activePlayers++;
    if (purchases > 0) this.#payingPlayers++;
    this.#purchases += purchases;
    for (const [currency, amount] of Object.entries(revenue ?? {})) {
      const sum = this.#revenue.get(currency) ?? new DecimalSum();
      sum.add(amount);
      this.#revenue.set(currency, sum);
    }
  }

  /** `scale`: how many players each one stands for. */
  numbers(scale: number): GroupNumbers {
    const counted = (count: number) => Math.round(count * scale);
    const amounts = [...this.#revenue].map(([currency, sum]) => [currency, sum.times(scale)] as const);
    return {
      players: counted(this.players),
      activePlayers: counted(this.#activePlayers),
      payingPlayers: counted(this.#payingPlayers),
      purchases: counted(this.#purchases),
      revenue: Object.fromEntries(amounts.sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}
