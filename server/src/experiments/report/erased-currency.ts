import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { measuresOf } from '../figure-needs.js';
import type { ExperimentSums } from './experiment-sums.js';
import { countsOf, type MetricSums, mergeMetricSums, noMetricSums } from './metric-sums.js';

/**
 * Sums of living players are made anew every day, those of erased players cannot be. If the reporting currency changes, their revenue is in the
 * former one and cannot be added. So it is kept under a key that begins with the currency, and left out while another one is in force.
 *
 * Erased players of whom the models expected something are kept under a key of their own. A node of the release before knows no such players:
 * it would forget them where they are beside the others, and carries a key on that it does not know.
 */

const MARK = ' ';
const WITH_FORECAST = ' with forecast';

/** As the sums of erased players are kept. */
export function toKeptKeys(sums: ExperimentSums, currency: string | undefined): ExperimentSums {
  return mapMetrics(sums, (key, value) => {
    const kept = currency !== undefined && isInReportingCurrency(key) ? currency + MARK + key : key;
    const { fresh, known, ...forecast } = value;
    const withForecast = { ...noMetricSums(), ...forecast };
    return [
      [kept, { fresh, known }],
      ...(Object.keys(forecast).length > 0 ? [[kept + WITH_FORECAST, withForecast] as const] : []),
    ];
  });
}

/** The sums that count in this reporting currency, and how many erased players are without their revenue. */
export function fromKeptKeys(
  kept: ExperimentSums,
  currency: string | undefined,
): { sums: ExperimentSums; leftOut: number } {
  const leftOut = new Map<string, number>();
  const sums = mapMetrics(kept, (key, value) => {
    const at = key.startsWith('{') ? -1 : key.indexOf(MARK);
    const end = key.endsWith(WITH_FORECAST) ? -WITH_FORECAST.length : key.length;
    const metricKey = key.slice(at + 1, end);
    if (at < 0 || key.slice(0, at) === currency) return [[metricKey, value]];
    leftOut.set(metricKey, (leftOut.get(metricKey) ?? 0) + countsOf(value).players);
    return [];
  });
  return { sums, leftOut: Math.max(0, ...leftOut.values()) };
}

function isInReportingCurrency(key: string): boolean {
  const metric = JSON.parse(key) as MetricEntry;
  return measuresOf(metric).some((measure) => measure.of === 'revenue' && measure.currency === null);
}

/** Entries that come to have one key are added up. */
function mapMetrics(
  sums: ExperimentSums,
  change: (key: string, value: MetricSums) => (readonly [key: string, value: MetricSums])[],
): ExperimentSums {
  const arms = Object.entries(sums).map(([variantId, arm]) => {
    const metrics: Record<string, MetricSums> = {};
    for (const [key, value] of Object.entries(arm.metrics).flatMap((entry) => change(...entry))) {
      const before = metrics[key];
      metrics[key] = before === undefined ? value : mergeMetricSums(before, value);
    }
    return [variantId, { ...arm, metrics }] as const;
  });
  return Object.fromEntries(arms);
}
