import type { MetricEntry } from '../../../personalisation/document/parts/experiment-metrics.js';
import { measuresOf } from '../figure-needs.js';
import type { ArmSums, ExperimentSums } from './experiment-sums.js';
import { countsOf } from './metric-sums.js';

/**
 * Sums of living players are made anew every day, those of erased players cannot be. If the reporting currency changes, their revenue is in the
 * former one and cannot be added. So it is kept under a key that begins with the currency, and left out while another one is in force.
 */

const MARK = ' ';

/** As the sums of erased players are kept. */
export function toKeptKeys(sums: ExperimentSums, currency: string | undefined): ExperimentSums {
  return mapArms(sums, (arm) => ({
    ...arm,
    metrics: Object.fromEntries(
      Object.entries(arm.metrics).map(([key, value]) => [
        currency !== undefined && isInReportingCurrency(key) ? currency + MARK + key : key,
        value,
      ]),
    ),
  }));
}

/** The sums that count in this reporting currency, and how many erased players are without their revenue. */
export function fromKeptKeys(
  kept: ExperimentSums,
  currency: string | undefined,
): { sums: ExperimentSums; leftOut: number } {
  const leftOut = new Map<string, number>();
  const sums = mapArms(kept, (arm) => {
    const metrics: ArmSums['metrics'] = {};
    for (const [key, value] of Object.entries(arm.metrics)) {
      const at = key.startsWith('{') ? -1 : key.indexOf(MARK);
      const metricKey = key.slice(at + 1);
      if (at < 0 || key.slice(0, at) === currency) metrics[metricKey] = value;
      else leftOut.set(metricKey, (leftOut.get(metricKey) ?? 0) + countsOf(value).players);
    }
    return { ...arm, metrics };
  });
  return { sums, leftOut: Math.max(0, ...leftOut.values()) };
}

function isInReportingCurrency(key: string): boolean {
  const metric = JSON.parse(key) as MetricEntry;
  return measuresOf(metric).some((measure) => measure.of === 'revenue' && measure.currency === null);
}

function mapArms(sums: ExperimentSums, change: (arm: ArmSums) => ArmSums): ExperimentSums {
  return Object.fromEntries(Object.entries(sums).map(([variantId, arm]) => [variantId, change(arm)]));
}
