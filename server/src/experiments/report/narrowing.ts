import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import type { ForecastName } from '../../decide/predict/forecast.js';
import type { ArmEstimates } from './estimates.js';
import { forecastFor, hasDaysBefore } from './figures.js';
import type { Narrowing } from './report-types.js';
import { count } from './words.js';

/** How much narrower the intervals are by what was known at the exposure, in words. Null where nothing is taken out. */
export function narrowingOf(metric: MetricEntry, found: ArmEstimates, players: number): Narrowing | null {
  const { isAdjusted, forecastPlayers, errors } = found;
  const prediction = forecastFor(metric);
  const forecast =
    prediction === null || forecastPlayers === 0 ? null : { prediction, players: forecastPlayers };
  const hasBefore = hasDaysBefore(metric);
  if (!isAdjusted || !(hasBefore || forecast !== null)) return null;
  const percent = errors.plain > 0 ? Math.round(100 * (1 - Math.sqrt(errors.adjusted / errors.plain))) : 0;
  const told = { percent: Math.max(0, percent), hasDaysBefore: hasBefore, forecast };
  return { ...told, sentence: sentenceOf(told, players) };
}

/** `Intervals are 21% narrower by what players did in the 28 days before the exposure, and by the churn that the model expected …` */
function sentenceOf(
  { percent, hasDaysBefore: hasBefore, forecast }: Omit<Narrowing, 'sentence'>,
  players: number,
): string {
  const parts = [
    ...(hasBefore ? ['by what players did in the 28 days before the exposure'] : []),
    ...(forecast === null
      ? []
      : [
          `by the ${NAMES[forecast.prediction]} that the model expected at the exposure of ${count(forecast.players)} of ${count(players)} players`,
        ]),
  ];
  const size = percent === 0 ? 'hardly' : `${percent}%`;
  return `Intervals are ${size} narrower ${parts.join(', and ')}.`;
}

const NAMES: Record<ForecastName, string> = { churn: 'churn', spend: 'purchases', revenue: 'revenue' };
