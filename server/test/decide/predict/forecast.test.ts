import { expect, it } from 'vitest';
import { forecastOf } from '../../../src/decide/predict/forecast.js';
import type { Predictions } from '../../../src/decide/predict/score.js';

const forecast = (revenue: number) => {
  const ready = (value: number) => ({ state: 'ready', value });
  const predictions = { churn: ready(0.25), spend: ready(0.5), revenue: ready(revenue) };
  return forecastOf(predictions as unknown as Predictions);
};

// PostgreSQL refuses such a number, and with it the exposures of everybody in the same statement.
it.each([
  ['is 0 where a real cannot be that small', 3.6e-52, 0],
  ['is kept where it can', 1e-40, 1e-40],
  ['is none where a real cannot be that large', 1e39, null],
])('the revenue %s', (_, revenue, stored) => {
  expect(forecast(revenue)).toEqual([0.25, 0.5, stored]);
});
