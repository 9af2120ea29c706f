import { type PredictionName, QUANTILE_STEPS, type Scale } from './artefact.js';

/** Percentiles and bands: where a player's value stands among those of all players. */
export type Band = 'low' | 'medium' | 'high';

/** A value that so many players have. */
export type WeightedValue = Readonly<{ value: number; players: number }>;

/** A probability about which a studio asks "will they?" has bands by its own size. The others are compared with other players. */
const FIXED_BANDS: Partial<Record<PredictionName, Pick<Scale, 'lowBelow' | 'highFrom'>>> = {
  churn: { lowBelow: 0.3, highFrom: 0.7 },
  payerAlive: { lowBelow: 0.3, highFrom: 0.7 },
};
/** The lower half, and the top tenth. */
const LOW_STEP = QUANTILE_STEPS / 2;
const HIGH_STEP = (QUANTILE_STEPS * 9) / 10;

export function scaleOf(name: PredictionName, values: readonly WeightedValue[]): Scale | null {
  const sorted = values.filter(({ players }) => players > 0).sort((one, other) => one.value - other.value);
  if (sorted.length === 0) return null;
  const players = sorted.reduce((sum, cell) => sum + cell.players, 0);
  const quantiles: number[] = [];
  let index = 0;
  let below = 0;
  for (let step = 0; step <= QUANTILE_STEPS; step += 1) {
    const rank = (players * step) / QUANTILE_STEPS;
    while (index < sorted.length - 1 && below + (sorted[index] as WeightedValue).players < rank) {
      below += (sorted[index] as WeightedValue).players;
      index += 1;
    }
    quantiles.push((sorted[index] as WeightedValue).value);
  }
  const bands = FIXED_BANDS[name] ?? {
    lowBelow: quantiles[LOW_STEP] as number,
    highFrom: quantiles[HIGH_STEP] as number,
  };
  return { quantiles, ...bands };
}

/** The share of players, in whole percent, with a lower value; the middle of those that have the same. */
export function percentileOf({ quantiles }: Scale, value: number): number {
  const last = quantiles.length - 1;
  const from = quantiles.findIndex((quantile) => quantile >= value);
  if (from < 0) return 100;
  const to = quantiles.findLastIndex((quantile) => quantile <= value);
  if (to < 0) return 0;
  const [low, high] = [quantiles[to] as number, quantiles[from] as number];
  const step = from <= to ? (from + to) / 2 : to + (value - low) / (high - low);
  return Math.round((100 * step) / last);
}

export function bandOf({ lowBelow, highFrom }: Scale, value: number): Band {
  if (value < lowBelow) return 'low';
  return value >= highFrom && highFrom > lowBelow ? 'high' : 'medium';
}
