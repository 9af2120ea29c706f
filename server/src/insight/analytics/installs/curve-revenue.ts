import { DecimalSum } from '../../../platform/lib/decimal-sum.js';
import {
  type Amounts,
  type DatedAmounts,
  type RateTable,
  ReportedSum,
  reportAmounts,
} from '../../../studio/money/exchange-rates.js';
import type { InstallRevenue } from './install-queries.js';

/** What the players of a curve have paid up to each age, in the reporting currency. */
export type ReportedCurve = Readonly<{
  currency: string;
  /** By age, as exact decimals. */
  revenue: readonly string[];
  /** What is not in it, by currency, because no rate held on the day. */
  missing: Amounts;
}>;

/** Adds up what the players of one curve have paid, by age. A cohort that is not old enough for a point is not in the point. */
export class CurveRevenue {
  readonly #length: number;
  readonly #steps = new Map<string, DecimalSum[]>();
  readonly #paid: DatedAmounts[] = [];
  /** The changes from each age to the next, by the days that their rates hold from. */
  readonly #dated: readonly DatedAmounts[][];

  /** `length`: how many ages the curve has. */
  constructor(length: number) {
    this.#length = length;
    this.#dated = Array.from({ length }, () => []);
  }

  /** `lastAge`: the last one that all players of the cohort have completed. */
  add({ age, currency, rateDay, revenue }: InstallRevenue, lastAge: number): void {
    const sums = this.#steps.get(currency) ?? Array.from({ length: this.#length }, () => new DecimalSum());
    this.#steps.set(currency, sums);
    const dated = (amount: string) => ({ day: rateDay, amounts: { [currency]: amount } });
    const paid = dated(revenue);
    this.#paid.push(paid);
    sums[age]?.add(revenue);
    this.#dated[age]?.push(paid);
    // From the next age on, the cohort is not in the point.
    sums[lastAge + 1]?.add(negated(revenue));
    this.#dated[lastAge + 1]?.push(dated(negated(revenue)));
  }

  /** By currency and age: what was paid up to that day, as exact decimals. */
  byCurrency(): Record<string, string[]> {
    return Object.fromEntries([...this.#steps].map(([currency, sums]) => [currency, runningTotals(sums)]));
  }

  reported(rates: RateTable): ReportedCurve {
    const sum = new ReportedSum(rates);
    const revenue = this.#dated.map((changes) => {
      for (const change of changes) sum.add(change);
      return sum.result().amount;
    });
    return { currency: rates.currency, revenue, missing: reportAmounts(rates, this.#paid).missing };
  }
}

function runningTotals(steps: readonly DecimalSum[]): string[] {
  const total = new DecimalSum();
  return steps.map((step) => {
    total.add(step.toString());
    return total.toString();
  });
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
