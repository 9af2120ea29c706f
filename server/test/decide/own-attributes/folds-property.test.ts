import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FoldedEvent } from '../../../src/decide/own-attributes/event-value.js';
import {
  FOLDS,
  keyOf,
  OWN_LIMITS,
  type OwnDefinition,
  stateBytes,
  TYPES_OF_FOLD,
} from '../../../src/decide/own-attributes/own-definition.js';
import { OwnFold, type OwnState, ownSet } from '../../../src/decide/own-attributes/own-state.js';
import { plainValueOf, windowValueOf } from '../../../src/decide/own-attributes/own-value.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-18T12:00:00Z');

/** One attribute of every fold and type, all over the same events. */
const DEFINITIONS: readonly OwnDefinition[] = FOLDS.flatMap((fold) =>
  TYPES_OF_FOLD[fold].map((type) => ({ eventType: 'E', member: 'payload.v', fold, type })),
);
const SET = ownSet(DEFINITIONS);

/** Few values and times, so that equal ones meet; and some that are as hard as JSON allows. */
const value = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom<unknown>(0.1, 0.2, -0.3, 1e-7, 1e300, -1e14, 1e14 - 1, 1e8, 1e10, true, false, null),
  fc.constantFrom<unknown>(
    '',
    'a',
    'b',
    'Ä',
    '\u0001\u0002',
    '"\\'.repeat(40),
    '😀'.repeat(40),
    'x'.repeat(30_000),
  ),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer({ min: 0, max: 60 }).map((n) => `item ${n}`),
);
const event: fc.Arbitrary<FoldedEvent> = fc
  .record({
    v: value,
    atMs: fc.oneof(
      fc.integer({ min: NOW - 3 * DAY_MS, max: NOW - 3 * DAY_MS + 3 }),
      fc.integer({ min: NOW - 60 * DAY_MS, max: NOW }),
      fc.constantFrom(0, Date.parse('2001-09-09T00:00:00Z')),
    ),
  })
  .map(({ v, atMs }) => ({ atMs, payload: { v }, metadata: {} }));
const events = fc.array(event, { maxLength: 80 });

function fold(all: readonly FoldedEvent[], state: OwnState = {}): OwnState {
  const folded = new OwnFold(SET, state);
  for (const each of all) folded.add('E', each);
  // As it is read from the database again.
  return JSON.parse(JSON.stringify(folded.state)) as OwnState;
}

describe('folds of own attributes', () => {
  it('give the same state in any order and any groups', () => {
    const shuffled = events.chain((all) =>
      fc.record({
        all: fc.constant(all),
        other: fc.shuffledSubarray(all, { minLength: all.length }),
        cuts: fc.array(fc.nat(all.length), { maxLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ all, other, cuts }) => {
        const bounds = [0, ...cuts.sort((a, b) => a - b), other.length];
        let state: OwnState = {};
        for (let n = 1; n < bounds.length; n++) state = fold(other.slice(bounds[n - 1], bounds[n]), state);
        expect(state).toEqual(fold(all));
      }),
    );
  });

  it('do not change what only remembers values if an event is folded twice', () => {
    const remembering = DEFINITIONS.filter(({ fold: name }) => name !== 'sum' && name !== 'count').map(keyOf);
    fc.assert(
      fc.property(events, (all) => {
        const [once, twice] = [fold(all), fold([...all, ...all])];
        for (const key of remembering) expect(twice[key]).toEqual(once[key]);
      }),
    );
  });

  it('stay within the bytes that a definition is counted with', () => {
    fc.assert(
      fc.property(events, (all) => {
        for (const definition of DEFINITIONS) {
          const key = keyOf(definition);
          const one = JSON.stringify({ [key]: fold(all)[key] });
          expect(Buffer.byteLength(one)).toBeLessThanOrEqual(stateBytes([definition]));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('agree with sums that are written out', () => {
    fc.assert(
      fc.property(events, (all) => {
        const state = fold(all);
        for (const days of [7, 28] as const) {
          const first = (Math.floor(NOW / DAY_MS) - days + 1) * DAY_MS;
          const window = days === 7 ? 'last7d' : 'last28d';
          const recent = all.filter(({ atMs }) => atMs >= first);
          expect(read(state, 'count', window)).toBe(recent.filter(({ payload: { v } }) => v !== null).length);
          expect(read(state, 'sum', window)).toBe(sumOf(recent));
          expect(read(state, 'distinct', window)).toBe(distinctOf(recent));
        }
        expect(read(state, 'count', 'total')).toBe(all.filter(({ payload: { v } }) => v !== null).length);
        expect(read(state, 'sum', 'total')).toBe(sumOf(all));
        expect(read(state, 'distinct', 'total')).toBe(distinctOf(all));
        const integers = integersOf(all, 1e14);
        expect(read(state, 'max')).toBe(integers.length === 0 ? 0 : Math.max(...integers));
        expect(read(state, 'min')).toBe(integers.length === 0 ? 0 : Math.min(...integers));
      }),
      // Always the same events: of others, two values may share the 30 bits that they are told apart by.
      { seed: 1 },
    );
  });
});

/** The integer attribute of a fold. */
function read(state: OwnState, name: OwnDefinition['fold'], window?: 'total' | 'last7d' | 'last28d') {
  const definition: OwnDefinition = { eventType: 'E', member: 'payload.v', fold: name, type: 'integer' };
  const entry = state[keyOf(definition)] ?? null;
  return window === undefined
    ? plainValueOf(definition, entry)
    : windowValueOf(definition, entry, window, NOW);
}

function integersOf(all: readonly FoldedEvent[], below: number): number[] {
  return all
    .map(({ payload: { v } }) => v)
    .filter((v): v is number => Number.isInteger(v) && Math.abs(v as number) < below)
    .map((v) => v + 0);
}

function sumOf(all: readonly FoldedEvent[]): number {
  return integersOf(all, 1e11).reduce((sum, v) => sum + v, 0);
}

function distinctOf(all: readonly FoldedEvent[]): number {
  const values = new Set(all.map(({ payload: { v } }) => v).filter((v) => v !== null));
  return Math.min(OWN_LIMITS.distinct, values.size);
}
