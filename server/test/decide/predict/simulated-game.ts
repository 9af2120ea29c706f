import type { NbdParameters } from '../../../src/decide/predict/beta-geometric-nbd.js';
import type { BgBbParameters } from '../../../src/decide/predict/bg-bb.js';
import type { GammaGammaParameters } from '../../../src/decide/predict/gamma-gamma.js';
import { activityStatistics, payerStatistics } from '../../../src/decide/predict/player-statistics.js';
import type { DayRange, PredictionFacts } from '../../../src/decide/predict/prediction-facts.js';
import type {
  ActivityCell,
  BuyerCell,
  OriginCells,
  PayerCell,
  TrainingData,
} from '../../../src/decide/predict/training-data.js';
import { drawBeta, drawGamma, type Random, seeded } from './simulate.js';

/**
 * A game whose players return by BG/BB and buy by MBG/NBD and Gamma-Gamma, with parameters that are known. Players
 * join in its first half.
 */
export type SimulatedGame = Readonly<{ days: number; players: readonly SimulatedPlayer[] }>;

export type SimulatedPlayer = Readonly<{
  firstDay: number;
  activeDays: readonly number[];
  /** Day → what was spent. */
  purchases: ReadonlyMap<number, number>;
}>;

export const GAME_PARAMETERS: {
  activity: BgBbParameters;
  purchases: NbdParameters;
  values: GammaGammaParameters;
} = {
  activity: { alpha: 1.1, beta: 1.6, gamma: 0.7, delta: 9 },
  purchases: { r: 0.9, alpha: 12, a: 0.8, b: 2.5 },
  values: { p: 5, q: 4, v: 12 },
};
const PAYER_SHARE = 0.25;
/** The first day of every simulated game; any day will do. */
const START_DAY = 20_000;
const CURRENCY = 'USD';

export function simulateGame(seed: number, players: number, days: number): SimulatedGame {
  const random = seeded(seed);
  return { days, players: Array.from({ length: players }, () => simulatePlayer(random, days)) };
}

function simulatePlayer(random: Random, days: number): SimulatedPlayer {
  const { activity } = GAME_PARAMETERS;
  const firstDay = START_DAY + Math.floor((random() * days) / 2);
  const active = drawBeta(random, activity.alpha, activity.beta);
  const leave = drawBeta(random, activity.gamma, activity.delta);
  const activeDays = [firstDay];
  for (let day = firstDay + 1; day < START_DAY + days && random() >= leave; day += 1) {
    if (random() < active) activeDays.push(day);
  }
  const purchases = random() < PAYER_SHARE ? simulatePurchases(random, firstDay) : new Map<number, number>();
  return { firstDay, activeDays, purchases };
}

/** In whole days. The first purchase comes within two weeks. */
function simulatePurchases(random: Random, firstDay: number): Map<number, number> {
  const { purchases: buying, values } = GAME_PARAMETERS;
  const rate = drawGamma(random, buying.r, buying.alpha);
  const leave = drawBeta(random, buying.a, buying.b);
  const scale = drawGamma(random, values.q, values.v);
  const found = new Map<number, number>();
  let at = firstDay + random() * 14;
  while (at < firstDay + 400) {
    found.set(Math.floor(at), Math.round(100 * drawGamma(random, values.p, scale)) / 100 + 0.01);
    if (random() < leave) break;
    at += -Math.log(1 - random()) / rate;
  }
  return found;
}

/** What is known of a player at the end of a day. */
export function factsAt(player: SimulatedPlayer, day: number): PredictionFacts {
  const activeDays = player.activeDays.filter((active) => active <= day);
  const bought = [...player.purchases].filter(([at]) => at <= day);
  const repeat = bought.slice(1).reduce((sum, [, amount]) => sum + amount, 0);
  return {
    firstDay: player.firstDay,
    activeDays: activeDays.map(asRange),
    purchaseDays: bought.map(([at]) => asRange(at)),
    repeatSpend: repeat > 0 ? { [CURRENCY]: repeat } : {},
    recentDays: activeDays
      .filter((active) => active > day - 28)
      .map((epochDay) => ({
        epochDay,
        sessions: 1 + (epochDay % 3),
        adImpressions: epochDay % 5,
        storeViews: epochDay % 2,
        playMs: 600_000,
        purchases: player.purchases.has(epochDay) ? 1 : 0,
      })),
  };
}

function asRange(day: number): DayRange {
  return [day, day + 1];
}

export function lastDayOf({ days }: SimulatedGame): number {
  return START_DAY + days - 1;
}

/** Cells as the database would give them, at as many weekly origins. */
export function toTrainingData(game: SimulatedGame, weeks: number): TrainingData {
  const day = lastDayOf(game);
  const origins = Array.from({ length: weeks }, (_, index) => originCells(game, day - 7 * (weeks - index)));
  return { day, currency: CURRENCY, origins };
}

export function originCells(game: SimulatedGame, origin: number): OriginCells {
  const activity = new Map<string, ActivityCell>();
  const payers = new Map<string, PayerCell>();
  const buyers = new Map<string, BuyerCell>();
  const nonPayers = {
    players: 0,
    converted28: 0,
    purchases28: 0,
    revenue28: 0,
    converted90: 0,
    revenue90: 0,
  };
  for (const player of game.players) {
    if (player.firstDay > origin) continue;
    const facts = factsAt(player, origin);
    const after = (days: number) =>
      [...player.purchases].filter(([day]) => day > origin && day <= origin + days);
    const worth = (days: number) => after(days).reduce((sum, [, amount]) => sum + amount, 0);
    const spent7 = after(7).length > 0 ? 1 : 0;
    const isBack = player.activeDays.some((day) => day > origin && day <= origin + 7);
    add(
      activity,
      { ...activityStatistics(facts, origin + 1) },
      {
        players: 1,
        returned7: isBack ? 1 : 0,
        spent7,
      },
    );
    const history = payerStatistics(facts, origin + 1, CURRENCY);
    if (history === undefined) {
      nonPayers.players += 1;
      nonPayers.converted28 += after(28).length > 0 ? 1 : 0;
      nonPayers.converted90 += after(90).length > 0 ? 1 : 0;
      nonPayers.purchases28 += after(28).length;
      nonPayers.revenue28 += worth(28);
      nonPayers.revenue90 += worth(90);
    } else {
      const { meanValue: _, ...purchases } = history;
      add(
        buyers,
        { activity: activityStatistics(facts, origin + 1), history: purchases },
        { players: 1, spent7 },
      );
      add(
        payers,
        { ...history },
        {
          players: 1,
          spent7,
          purchaseDays28: after(28).length,
          purchases28: after(28).length,
          revenue7: worth(7),
          revenue28: worth(28),
          revenue90: worth(90),
        },
      );
    }
  }
  return {
    day: origin,
    activity: [...activity.values()],
    nonPayers,
    payers: [...payers.values()],
    buyers: [...buyers.values()],
  };
}

function add<Key extends object, Sums extends Record<string, number>>(
  cells: Map<string, Key & Sums>,
  key: Key,
  sums: Sums,
): void {
  const name = JSON.stringify(key);
  const before: Record<string, number> = cells.get(name) ?? {};
  const added = Object.fromEntries(Object.entries(sums).map(([of, more]) => [of, (before[of] ?? 0) + more]));
  cells.set(name, { ...key, ...(added as Sums) });
}
