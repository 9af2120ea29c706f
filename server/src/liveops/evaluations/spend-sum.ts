import { numberIn, type PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { ReportedAmount } from '../../studio/money/exchange-rates.js';

/** What a player has spent: by currency, and in the reporting currency if the studio has one and it was read. */
export type SpendFacts = Pick<PlayerFacts, 'spend'> & Readonly<{ reportedSpend?: ReportedAmount | null }>;

/** Adds up what players have spent. As floating-point numbers: only shares are made of them. */
export class SpendSum {
  readonly byCurrency = new Map<string, number>();
  reported = 0;
  /** Null while nobody has spent anything in the reporting currency. */
  currency: string | null = null;
  readonly missing = new Set<string>();

  add({ spend, reportedSpend }: SpendFacts): void {
    for (const currency of Object.keys(spend)) {
      this.byCurrency.set(currency, (this.byCurrency.get(currency) ?? 0) + numberIn(spend, currency));
    }
    if (reportedSpend == null) return;
    this.currency = reportedSpend.currency;
    this.reported += Number(reportedSpend.amount);
    for (const currency of Object.keys(reportedSpend.missing)) this.missing.add(currency);
  }
}

/** The share of some players in the spend of all. */
export type RevenueShares = Readonly<{
  /** By currency, sorted. Currencies in which nobody has spent anything are left out. */
  revenueShare: Readonly<Record<string, number>>;
  /** In the reporting currency; null without one, and where nobody has spent anything. */
  reportedRevenueShare: Readonly<{
    currency: string;
    share: number;
    /** Currencies of payments that are not in it, because no rate held on the day. */
    missing: readonly string[];
  }> | null;
}>;

export function revenueShares(spend: SpendSum, all: SpendSum): RevenueShares {
  const shares = [...all.byCurrency].flatMap(([currency, total]) =>
    total > 0 ? [[currency, roundShare((spend.byCurrency.get(currency) ?? 0) / total)] as const] : [],
  );
  return {
    revenueShare: Object.fromEntries(shares.sort(([a], [b]) => (a < b ? -1 : 1))),
    reportedRevenueShare:
      all.currency === null || all.reported <= 0
        ? null
        : {
            currency: all.currency,
            share: roundShare(spend.reported / all.reported),
            missing: [...all.missing].sort(),
          },
  };
}

/** To a hundredth of a percent: further digits are rounding errors of the sums. */
export function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
