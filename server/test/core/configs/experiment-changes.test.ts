import { describe, expect, it } from 'vitest';
import { experimentChanges, runningExperiments } from '../../../src/core/configs/experiment-changes.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { configWith, experiment } from '../../decide/support/fixtures.js';

const with_ = (...experiments: ExperimentEntry[]) => configWith({ experiments });
const { metrics: METRICS } = experiment('x');
const other = [
  { variantId: 'a', name: 'Control', weight: 1 },
  { variantId: 'b', name: 'Treatment', weight: 2 },
];

describe('changes of running experiments', () => {
  it.each<[string, Partial<ExperimentEntry>, string]>([
    ['a weight', { variants: other }, 'variants'],
    ['a layer', { layer: { layerId: 'store', fromPercent: 0, toPercent: 50 } }, 'layer'],
    ['an activation', { activation: { eventType: 'Store_View' } }, 'activation'],
    [
      'the primary metric',
      { metrics: { primary: { kind: 'share', of: 'retained', day: 1 }, secondary: [], guardrails: [] } },
      'metrics/primary',
    ],
    [
      'a secondary metric',
      { metrics: { ...METRICS, secondary: [{ kind: 'sum', sum: { of: 'sessions' } }] } },
      'metrics/secondary',
    ],
    ['the plan', { plan: { smallestEffect: { percent: 5 }, players: 1_000, days: 28 } }, 'plan'],
  ])('are refused if they change %s under the same seed', (_what, change, member) => {
    const before = with_(experiment('x'));
    expect(experimentChanges(before, with_(experiment('x', change)))).toEqual([
      { experimentId: 'x', members: [member] },
    ]);
    expect(experimentChanges(before, with_(experiment('x', { ...change, seed: '2' })))).toEqual([]);
    expect(experimentChanges(before, with_(experiment('x', { ...change, state: 'stopped' })))).toEqual([]);
  });

  it('may change names, coverage, who enters and guardrails', () => {
    const change: Partial<ExperimentEntry> = {
      name: 'other',
      coveragePercent: 5,
      when: 'country == "DE"',
      variants: [
        { variantId: 'a', name: 'As it is', weight: 1 },
        { variantId: 'b', name: 'New', weight: 1 },
      ],
      metrics: {
        primary: { of: 'converted', kind: 'share' },
        secondary: [],
        guardrails: [{ metric: { kind: 'sum', sum: { of: 'sessions' } }, worse: 'lower', marginPercent: 5 }],
      },
    };
    expect(experimentChanges(with_(experiment('x')), with_(experiment('x', change)))).toEqual([]);
  });

  it('are listed for the row of the game', () => {
    expect(runningExperiments(configWith())).toBeNull();
    expect(runningExperiments(with_(experiment('x', { state: 'planned' })))).toBeNull();
    expect(
      runningExperiments(
        with_(experiment('x'), experiment('y', { activation: { eventType: 'Store_View' } })),
      ),
    ).toBe('[["x","1",null],["y","1","Store_View"]]');
  });
});
