import { expect, it } from 'vitest';
import { EXPOSURE_SEGMENTS, exposureSegmentSteps } from '../../../src/decide/compile/exposure-segments.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, experiment, segment } from '../support/fixtures.js';

const storedOf = (parts: Partial<ConfigDocument>) =>
  runSteps(exposureSegmentSteps(configWith({ experiments: [experiment('x')], ...parts })));

it('leaves out segments that an experiment decides about, also through segments, flags and thresholds', () => {
  const thresholds = { prediction: 'churn', enterAbove: 0.7, leaveBelow: 0.4 } as const;
  expect(
    storedOf({
      flags: {
        isPayer: { payerForDays: null },
        custom: [
          { flagId: 'treatedFlag', name: 'A flag', defaultValue: false, rule: 'experiment("x") == "b"' },
          { flagId: 'plainFlag', name: 'A flag', defaultValue: false, rule: 'country == "DE"' },
        ],
      },
      segments: [
        segment('treated', 'experiment("x") == "b"'),
        segment('behind', '!("treated" in segments)'),
        segment('flagged', 'flags.treatedFlag || purchases.total > 0'),
        segment('edge', '"behind" in segments', { thresholds }),
        segment('german', 'flags.plainFlag && flags.isPayer'),
        segment('likely', 'true', { thresholds }),
        segment('both', '"german" in segments'),
      ],
    }),
  ).toEqual(['german', 'likely', 'both']);
});

it('keeps segments that read what the game defines itself', () => {
  const level = {
    attributeId: 'level',
    description: '',
    eventType: 'Level_Up',
    member: 'payload.level',
    fold: 'max',
    type: 'integer',
  } as const;
  const segments = [
    segment('high', 'own.level >= 10'),
    segment('tried', 'own.level >= 10 && experiment("x") == "b"'),
  ];
  expect(storedOf({ attributes: [level], segments })).toEqual(['high']);
});

it('keeps those of the highest priority', () => {
  const segments = Array.from({ length: 60 }, (_, n) =>
    segment(`s${n}`, 'country == "DE"', { priority: n % 2 }),
  );
  const stored = storedOf({ segments });
  expect(stored).toHaveLength(EXPOSURE_SEGMENTS);
  expect(stored?.slice(0, 2)).toEqual(['s1', 's3']);
  expect(stored?.at(-1)).toBe('s38');
});

it('has none while no experiment runs', () => {
  const segments = [segment('german', 'country == "DE"')];
  for (const experiments of [
    [],
    [experiment('x', { state: 'planned' })],
    [experiment('x', { state: 'stopped' })],
  ]) {
    expect(storedOf({ experiments, segments })).toBeNull();
  }
  expect(storedOf({ segments: [] })).toBeNull();
});
