import type { PredictionName } from './artefact.js';
import { type Predictions, toldValue } from './score.js';

/**
 * What the models expect of a player at an instant, as far as experiments need it: whether the player stays away and whether the player buys in the next
 * seven days, and the revenue of 28 days. The numbers are those that the player would be told then.
 */
export const FORECAST_NAMES = ['churn', 'spend', 'revenue'] as const satisfies readonly PredictionName[];
export type ForecastName = (typeof FORECAST_NAMES)[number];

/** In the order of the names, as it is stored. Null: the models do not say it. */
export type Forecast = readonly (number | null)[];

/** Averages are no forecast: they are the same for all. Null if the models say none of it. */
export function forecastOf(predictions: Predictions): Forecast | null {
  const values = FORECAST_NAMES.map((name) => {
    const { state, value } = predictions[name];
    return state === 'ready' ? storable(toldValue(value)) : null;
  });
  return values.every((value) => value === null) ? null : values;
}

/** As a `real` of PostgreSQL can hold it, which refuses what is closer to 0 or larger than that. */
function storable(value: number): number | null {
  const stored = Math.fround(value);
  if (stored === 0) return 0;
  return Number.isFinite(stored) ? value : null;
}

export function forecastValue(forecast: Forecast, name: ForecastName): number | undefined {
  return forecast[FORECAST_NAMES.indexOf(name)] ?? undefined;
}
