import { logBeta } from '@savepoint/statistics';
import { type BgBbParameters, bgBbAnyActivity } from '../../../src/decide/predict/bg-bb.js';
import { probabilityOf } from '../../../src/decide/predict/logistic.js';
import { mbgNbdAnyPurchase, mbgNbdExpected } from '../../../src/decide/predict/mbg-nbd.js';
import { type ActivityStatistics, levelOf } from '../../../src/decide/predict/player-statistics.js';
import type {
  ActivityCell,
  OriginCells,
  PayerCell,
  TrainingData,
} from '../../../src/decide/predict/training-data.js';
import { drawPurchases, drawSpending, seeded } from './simulate.js';
import { GAME_PARAMETERS } from './simulated-game.js';

/**
 * A game in which exactly what is probable happens, in fractions of players: no chance, so that small data give exact results.
 */
export const LAST_DAY = 20_500;
const COHORT_AGES = [8, 16, 30];
const PAYER_SHARE = 0.1;
const PAYER_AGE = 60;
/** Of all payers: what they buy depends on their purchases alone. */
const PAYER_ACTIVITY: ActivityStatistics = {
  n: PAYER_AGE,
  x: 30,
  tx: PAYER_AGE,
  active7: 4,
  active28: 14,
  sessions7: 3,
  playMinutes7: 6,
  adImpressions7: 0,
  storeViews7: 2,
  purchases28: 1,
  isPayer: true,
};
/** What a purchase day is worth on average: p v / (q − 1). */
export const MEAN_VALUE = 20;

export function expectedGame(players: number, payers: number, weeks: number): TrainingData {
  const activity = activityCells(players);
  const cells = payerCells(payers);
  const others = players * (1 - PAYER_SHARE);
  const nonPayers = {
    players: others,
    converted28: 0.1 * others,
    purchases28: 0.15 * others,
    revenue28: 2 * others,
    converted90: 0.2 * others,
    revenue90: 6 * others,
  };
  const origins: OriginCells[] = Array.from({ length: weeks }, (_, index) => ({
    day: LAST_DAY - 7 * (weeks - index),
    activity,
    payers: cells,
    buyers: cells.map(({ x, tx, t, players, spent7 }) => ({
      activity: PAYER_ACTIVITY,
      history: { x, tx, t },
      players,
      spent7,
    })),
    nonPayers,
  }));
  return { day: LAST_DAY, currency: 'USD', origins };
}

/** How probable it is that a player of this cell converts within a week. */
export function conversionOf({ active7 }: Pick<ActivityCell, 'active7'>): number {
  return probabilityOf(-3.5 + 0.3 * active7);
}

function activityCells(players: number): ActivityCell[] {
  const { activity } = GAME_PARAMETERS;
  return COHORT_AGES.flatMap((n) =>
    historiesOf(n).flatMap(({ x, tx }) => {
      const share = probabilityOfHistory(activity, x, tx, n) / COHORT_AGES.length;
      const active7 = tx > n - 7 ? Math.min(x, tx - (n - 7)) : 0;
      return [false, true].map((isPayer): ActivityCell => {
        const count = players * share * (isPayer ? PAYER_SHARE : 1 - PAYER_SHARE);
        const history = { n, x, tx, active7, active28: Math.min(x, 28) };
        const levels = { sessions7: levelOf(2 * active7), playMinutes7: levelOf(30 * active7) };
        const rest = {
          adImpressions7: 0,
          storeViews7: levelOf(active7),
          purchases28: isPayer ? 1 : 0,
          isPayer,
        };
        return {
          ...history,
          ...levels,
          ...rest,
          players: count,
          returned7: count * bgBbAnyActivity(activity, history, 7),
          spent7: isPayer ? 0 : count * conversionOf({ active7 }),
        };
      });
    }),
  );
}

function historiesOf(n: number): { x: number; tx: number }[] {
  const found = [{ x: 0, tx: 0 }];
  for (let tx = 1; tx <= n; tx += 1) for (let x = 1; x <= tx; x += 1) found.push({ x, tx });
  return found;
}

/** The likelihood times the number of orders of active days that give this history. */
function probabilityOfHistory(
  { alpha, beta, gamma, delta }: BgBbParameters,
  x: number,
  tx: number,
  n: number,
): number {
  const instant = (active: number, silent: number, left: number, stayed: number): number =>
    Math.exp(
      logBeta(alpha + active, beta + silent) -
        logBeta(alpha, beta) +
        logBeta(gamma + left, delta + stayed) -
        logBeta(gamma, delta),
    );
  let sum = instant(x, n - x, 0, n);
  for (let m = tx; m < n; m += 1) sum += instant(x, m - x, 1, m);
  let orders = 1;
  for (let k = 1; k < x; k += 1) orders *= (tx - k) / k;
  return sum * orders;
}

/** Histories are drawn; what comes next is what the parameters say of them. */
function payerCells(payers: number): PayerCell[] {
  const { purchases, values } = GAME_PARAMETERS;
  const random = seeded(31);
  return Array.from({ length: payers }, () => {
    const { x, tx, t } = drawPurchases(random, purchases, PAYER_AGE);
    const history = { x, tx: Math.round(tx), t };
    const { meanValue } = x === 0 ? { meanValue: null } : drawSpending(random, values, x);
    const days = mbgNbdExpected(purchases, history, 28);
    return {
      ...history,
      meanValue,
      players: 1,
      spent7: mbgNbdAnyPurchase(purchases, history, 7),
      purchaseDays28: days,
      purchases28: 1.5 * days,
      revenue7: MEAN_VALUE * mbgNbdExpected(purchases, history, 7),
      revenue28: MEAN_VALUE * days,
      revenue90: MEAN_VALUE * mbgNbdExpected(purchases, history, 90),
    };
  });
}
