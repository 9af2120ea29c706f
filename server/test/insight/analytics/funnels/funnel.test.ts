import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPassage, type Passage } from '../../../../src/insight/analytics/funnels/funnel.js';
import { createFunnelTally } from '../../../../src/insight/analytics/funnels/funnel-tally.js';

const HOUR = 3_600_000_000;
type Event = readonly [type: string, hour: number];

function passageOf(
  steps: readonly string[],
  events: readonly Event[],
  windowHours = 10,
  endHour = 100,
): Passage {
  const passage = createPassage({ steps, windowHours }, endHour * HOUR);
  for (const [type, hour] of [...events].sort(([, a], [, b]) => a - b)) passage.add(type, hour * HOUR);
  return passage.end();
}

/** Every attempt, followed by hand: the earliest event of each next type that is later. */
function plainDepth(
  steps: readonly string[],
  events: readonly Event[],
  windowHours: number,
  endHour: number,
): number {
  const entries = events.filter(([type, hour]) => type === steps[0] && hour < endHour);
  const depths = entries.map(([, start]) => {
    let at = start;
    for (const [step, type] of steps.entries()) {
      if (step === 0) continue;
      const next = events
        .filter(([other, hour]) => other === type && hour > at && hour <= start + windowHours)
        .map(([, hour]) => hour);
      if (next.length === 0) return step;
      at = Math.min(...next);
    }
    return steps.length;
  });
  return Math.max(0, ...depths);
}

describe('the passage of a player', () => {
  it('counts steps in their order, within the window after the first', () => {
    const steps = ['A', 'B', 'C'];
    expect(
      passageOf(steps, [
        ['A', 1],
        ['B', 2],
        ['C', 11],
      ]),
    ).toEqual({ depth: 3, enteredAt: HOUR });
    expect(
      passageOf(steps, [
        ['A', 1],
        ['B', 2],
        ['C', 12],
      ]).depth,
    ).toBe(2);
    expect(
      passageOf(steps, [
        ['B', 1],
        ['A', 2],
        ['C', 3],
      ]).depth,
    ).toBe(1);
    expect(
      passageOf(steps, [
        ['B', 1],
        ['C', 2],
      ]),
    ).toEqual({ depth: 0, enteredAt: 0 });
    // Of the same instant, none is later.
    expect(
      passageOf(steps, [
        ['A', 1],
        ['B', 1],
      ]).depth,
    ).toBe(1);
  });

  it('takes the furthest of several attempts, and of those the earliest', () => {
    expect(
      passageOf(
        ['A', 'B'],
        [
          ['A', 1],
          ['A', 20],
          ['B', 25],
        ],
      ),
    ).toEqual({ depth: 2, enteredAt: 20 * HOUR });
    expect(
      passageOf(
        ['A', 'B'],
        [
          ['A', 1],
          ['B', 2],
          ['A', 20],
          ['B', 25],
        ],
      ).enteredAt,
    ).toBe(HOUR);
  });

  it('needs two events for a type that stands in two steps', () => {
    expect(passageOf(['A', 'A'], [['A', 1]]).depth).toBe(1);
    expect(
      passageOf(
        ['A', 'A'],
        [
          ['A', 1],
          ['A', 2],
        ],
      ).depth,
    ).toBe(2);
  });

  it('begins no attempt after the span, but lets one end there', () => {
    expect(
      passageOf(
        ['A', 'B'],
        [
          ['A', 9],
          ['B', 12],
        ],
        10,
        10,
      ).depth,
    ).toBe(2);
    expect(
      passageOf(
        ['A', 'B'],
        [
          ['A', 10],
          ['B', 12],
        ],
        10,
        10,
      ).depth,
    ).toBe(0);
  });

  it('is as far as following every attempt by hand', () => {
    const type = fc.constantFrom('A', 'B', 'C');
    fc.assert(
      fc.property(
        fc.array(type, { minLength: 2, maxLength: 5 }),
        fc.array(fc.tuple(type, fc.integer({ min: 0, max: 30 })), { maxLength: 25 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 31 }),
        (steps, events, windowHours, endHour) => {
          const { depth } = passageOf(steps, events, windowHours, endHour);
          expect(depth).toBe(plainDepth(steps, events, windowHours, endHour));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the tally of a funnel', () => {
  it('counts a player in every step up to the last one, by value', () => {
    const tally = createFunnelTally(3);
    tally.add(3, 'DE');
    tally.add(1, 'DE');
    tally.add(2, '');
    expect(tally.result(true)).toEqual({
      players: [3, 2, 1],
      values: [
        { kind: 'value', value: 'DE', players: [2, 1, 1] },
        { kind: 'unknown', value: '', players: [1, 1, 0] },
      ],
    });
    expect(tally.result(false)).toEqual({ players: [3, 2, 1], values: [] });
  });

  it('shows fifty values, and all others as one', () => {
    const tally = createFunnelTally(2);
    for (let value = 0; value < 10_020; value++) tally.add(value < 50 ? 2 : 1, `v${value}`);
    const { values, players } = tally.result(true);
    expect(players).toEqual([10_020, 50]);
    expect(values).toHaveLength(51);
    expect(values[50]).toMatchObject({ kind: 'other', players: [9_970, expect.any(Number)] });
  });
});
