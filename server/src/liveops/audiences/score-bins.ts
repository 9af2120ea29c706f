import type { Prediction } from '../../decide/predict/score.js';

/** Players whose value is at least `from` and below `to`. The last bin of a probability includes 1; that of an amount has no end. */
export type ScoreBin = Readonly<{ from: number; to: number | null; players: number }>;

export type ScoreDistribution = Readonly<{
  unit: string;
  /** For a probability from 0 to 1; for an amount up to a round number that 98 of 100 players stay below. */
  bins: readonly ScoreBin[];
  bands: Readonly<Record<'low' | 'medium' | 'high', number>>;
  /** Players with a prediction of their own; the others have an average. */
  ready: number;
}>;

const BINS = 20;
const TAIL = 0.98;

/** Counts are scaled from the examined players to all players. */
export function distributionOf(predictions: readonly Prediction[], scale: number): ScoreDistribution {
  const bands = { low: 0, medium: 0, high: 0 };
  for (const { band } of predictions) if (band !== null) bands[band]++;
  const values = predictions.map(({ value }) => value);
  const unit = predictions[0]?.unit ?? '';
  const isProbability = unit === 'probability';
  const top = isProbability ? 1 : topOf(values);
  const counts = new Array<number>(BINS + 1).fill(0);
  for (const value of values) {
    const isInside = value < top || isProbability;
    const bin = isInside ? Math.min(BINS - 1, Math.floor((value / top) * BINS)) : BINS;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const bins = counts.map((players, index) => ({
    from: rounded((index * top) / BINS),
    to: index === BINS ? null : rounded(((index + 1) * top) / BINS),
    players: Math.round(players * scale),
  }));
  return {
    unit,
    bins: isProbability ? bins.slice(0, BINS) : bins,
    bands: {
      low: Math.round(bands.low * scale),
      medium: Math.round(bands.medium * scale),
      high: Math.round(bands.high * scale),
    },
    ready: Math.round(predictions.filter(({ state }) => state === 'ready').length * scale),
  };
}

/** The end of the bins: 1, 2 or 5 with zeros. It leaves out the highest spenders, who would leave all other players in one bin. */
function topOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const high = sorted[Math.floor(sorted.length * TAIL)] ?? 0;
  if (!(high > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(high));
  return ([1, 2, 5, 10].find((factor) => factor * power > high) ?? 10) * power;
}

/** 0.15 instead of 0.15000000000000002. */
function rounded(edge: number): number {
  return Number(edge.toPrecision(6));
}
