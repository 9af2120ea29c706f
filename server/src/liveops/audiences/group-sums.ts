import { DecimalSum } from '../../platform/lib/decimal-sum.js';
import { type RateTable, type ReportedAmount, ReportedSum } from '../../studio/money/exchange-rates.js';
import type { PlayerSums } from './segment-number-queries.js';

/** What a group of players did. */
export type GroupNumbers = Readonly<{
  players: number;
  activePlayers: number;
  payingPlayers: number;
  purchases: number;
  /** Decimals by currency. */
  revenue: Readonly<Record<string, string>>;
  /** The same in the reporting currency; null if the studio has none. */
  reported: ReportedAmount | null;
}>;

/** Adds up what the players of a group did. */
export class GroupSums {
  players = 0;
  #activePlayers = 0;
  #payingPlayers = 0;
  #purchases = 0;
  readonly #revenue = new Map<string, DecimalSum>();
  readonly #reported: ReportedSum | null;

  constructor(rates: RateTable | null) {
    this.#reported = rates && new ReportedSum(rates);
  }

  add({ isActive, purchases, dated }: PlayerSums): void {
    this.players++;
    if (isActive) this.#activePlayers++;
    if (purchases > 0) this.#payingPlayers++;
    this.#purchases += purchases;
    for (const paid of dated ?? []) {
      this.#reported?.add(paid);
      for (const [currency, amount] of Object.entries(paid.amounts)) {
        const sum = this.#revenue.get(currency) ?? new DecimalSum();
        sum.add(amount);
        this.#revenue.set(currency, sum);
      }
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
      reported: this.#reported?.result(scale) ?? null,
    };
  }
}
