import { expect, it } from 'vitest';
import { metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import { fromKeptKeys, toKeptKeys } from '../../../src/experiments/report/erased-currency.js';
import {
  type ExperimentSums,
  GrowingSums,
  keyedMetrics,
} from '../../../src/experiments/report/experiment-sums.js';
import { checkGates } from '../../../src/experiments/report/gates.js';
import { noMetricSums } from '../../../src/experiments/report/metric-sums.js';
import { rateTable } from '../../../src/studio/money/exchange-rates.js';
import { CONVERSION, figures, REVENUE, spent } from '../support/simulated-sums.js';

const REPORTED = { kind: 'sum', sum: { of: 'revenue', currency: null } } as const;

/** Three erased players of an arm, as they are kept while the reporting currency is this one. */
function kept(currency: string): ExperimentSums {
  const metrics = keyedMetrics({ primary: REPORTED, secondary: [CONVERSION, REVENUE], guardrails: [] });
  const growing = new GrowingSums(metrics, rateTable(currency, 1, []));
  for (const amount of [0, 5, 10]) {
    growing.add({ variantId: 'a', sawTwoArms: false, figures: figures({ since: spent(amount) }) });
  }
  return toKeptKeys(growing.sums, currency);
}

it('counts the revenue of erased players while the reporting currency is the same', () => {
  const { sums, leftOut } = fromKeptKeys(kept('EUR'), 'EUR');
  expect(leftOut).toBe(0);
  expect(Object.keys(sums.a?.metrics ?? {}).sort()).toEqual(
    [REPORTED, CONVERSION, REVENUE].map(metricKey).sort(),
  );
});

it('leaves it out while another one is in force, and says so', () => {
  const { sums, leftOut } = fromKeptKeys(kept('EUR'), 'USD');
  expect(leftOut).toBe(3);
  expect(Object.keys(sums.a?.metrics ?? {}).sort()).toEqual([CONVERSION, REVENUE].map(metricKey).sort());
  expect(sums.a?.players).toBe(3);
  const [gate] = checkGates({ arms: [], armChanges: [], erasedLeftOut: leftOut });
  expect(gate).toMatchObject({ gate: 'currency_changed', isStopping: false });
  expect(gate?.sentence).toMatch(/^3 players were erased/);
});

it('counts sums as they are that were kept before their currency was', () => {
  const arm = { players: 1, recentPlayers: 0, twoArms: 0, erased: 1 };
  const metrics = { [metricKey(REPORTED)]: noMetricSums() };
  expect(fromKeptKeys({ a: { ...arm, metrics } }, 'USD')).toEqual({
    ...{ sums: { a: { ...arm, metrics } }, leftOut: 0 },
  });
});
