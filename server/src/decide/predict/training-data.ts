import type { PurchaseHistory } from './beta-geometric-nbd.js';
import type { ActivityStatistics, PayerStatistics } from './player-statistics.js';

/**
 * What training learns from: players grouped into cells of equal statistics as of the end of some days ("origins", a week apart),
 * with what the players of a cell did afterwards. It never holds a row per player. An outcome counts only once its whole
 * time has passed: a label that can still change is not a label.
 */
export type TrainingData = Readonly<{
  /** The last day that is over. */
  day: number;
  /** The one most payers pay in; amounts in others are left out. */
  currency: string | null;
  /** Oldest first. */
  origins: readonly OriginCells[];
}>;

export type OriginCells = Readonly<{
  day: number;
  /** All players. */
  activity: readonly ActivityCell[];
  /** All payers. */
  payers: readonly PayerCell[];
  /** The payers among the players of `activity`. Of a large game these are fewer than `payers`. */
  buyers: readonly BuyerCell[];
  /** All others, until the end of their horizon. */
  nonPayers: NonPayerTotals;
}>;

export type ActivityCell = ActivityStatistics &
  Readonly<{
    players: number;
    /** Of the players, those active in the 7 days after the origin. */
    returned7: number;
    /** Of the players, those with a purchase in the 7 days after it. */
    spent7: number;
  }>;

export type PayerCell = PayerStatistics &
  Readonly<{
    players: number;
    spent7: number;
    /** Sums over the players of the cell in the days after the origin. */
    purchaseDays28: number;
    purchases28: number;
    revenue7: number;
    revenue28: number;
    revenue90: number;
  }>;

/** Payers with equal activity and equal purchases. */
export type BuyerCell = Readonly<{
  activity: ActivityStatistics;
  history: PurchaseHistory;
  players: number;
  spent7: number;
}>;

export type NonPayerTotals = Readonly<{
  players: number;
  converted28: number;
  purchases28: number;
  revenue28: number;
  converted90: number;
  revenue90: number;
}>;

/** The newest origin whose outcome after so many days is known. */
export function newestMatured({ origins, day }: TrainingData, horizonDays: number): OriginCells | undefined {
  return origins.findLast((origin) => origin.day + horizonDays <= day);
}
