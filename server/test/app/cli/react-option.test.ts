import { describe, expect, it } from 'vitest';
import { readReactions } from '../../../src/app/cli/react-option.js';
import { truthLines } from '../../../src/experiments/cli/truth-lines.js';
import type { Report } from '../../../src/experiments/report/report-types.js';
import { StartupError } from '../../../src/platform/lib/startup-error.js';

const NO_CHANGE = { conversion: 1, spend: 1, retention: 1 };

describe('--react', () => {
  it('reads the changes of each arm', () => {
    expect(readReactions([])).toBeUndefined();
    expect(readReactions(['x:b:conversion=+20%,spend=-5.5%', 'x:c:retention=-100%'])).toEqual({
      experimentId: 'x',
      changes: {
        b: { conversion: 1.2, spend: 0.945, retention: 1 },
        c: { conversion: 1, spend: 1, retention: 0 },
      },
    });
  });

  it.each(['x:b', 'x:b:luck=+1%', 'x:b:conversion=20%', 'x:b:conversion=+101%', 'x:b:'])(
    'refuses %s',
    (text) => {
      expect(() => readReactions([text])).toThrow(StartupError);
    },
  );

  it('refuses two experiments', () => {
    expect(() => readReactions(['x:b:spend=+1%', 'y:b:spend=+1%'])).toThrow('one experiment at a time');
  });
});

describe('the truth beside the verdict', () => {
  const reactions = { experimentId: 'x', changes: { b: { ...NO_CHANGE, conversion: 1.2 } } };
  const shown = { reactions, told: { a: 1_200, b: 1_190 }, trueChange: () => 0.2 };

  it('is shown without a report', () => {
    const lines = truthLines({ ...shown, report: null });
    expect(lines[0]).toBe('x: players who were told an arm: a 1,200, b 1,190.');
    expect(lines[2]).toMatch(/^b: Conversion +\+20% {2}no report yet$/);
  });

  it.each([
    [0.3, 'covers the truth'],
    [0.19, 'MISSES the truth'],
  ])('is compared with an interval up to %s', (high, words) => {
    const comparison = { relative: 0.15, relativeInterval: { low: -0.01, high }, state: 'not_proven' };
    const metric = { metric: { kind: 'share', of: 'converted' }, title: 'Conversion' };
    const report = {
      arms: [{ variantId: 'a' }, { variantId: 'b' }],
      metrics: [{ ...metric, arms: [{ variantId: 'a' }, { variantId: 'b', comparison }] }],
    } as unknown as Report;
    const [, , line] = truthLines({ ...shown, report });
    expect(line).toMatch(/^b: Conversion +\+20% {2}\+15% \[-1%, \+\d+%\], not_proven, /);
    expect(line).toContain(words);
  });
});
