import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { PlayerAttributes } from '../../../src/decide/attributes/player-attributes.js';
import { nextTimeChange } from '../../../src/decide/attributes/time-basis.js';
import type { RuleScope } from '../../../src/decide/rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../../../src/decide/rules/rules.js';
import { runs } from '../../support/property-runs.js';
import { moments, playerFacts } from '../support/facts-arbitrary.js';
import { facts, NOW } from '../support/fixtures.js';
import { evaluateByLibrary } from './cel-library.js';
import { type Outcome, type PairedRule, rules, type World } from './rule-arbitrary.js';

const SEGMENTS = ['whale', 'minnow'];
const FLAGS = ['beta'];
const SCOPE: RuleScope = {
  attributes: ATTRIBUTE_REGISTRY,
  segments: new Set(SEGMENTS),
  flags: new Set(['isPayer', ...FLAGS]),
  experiments: new Map(),
};

function compileOrThrow({ cel }: PairedRule): CompiledRule {
  const result = compileRule(cel, SCOPE);
  if (!result.ok) throw new Error(`${cel}: ${result.problems[0]?.message}`);
  return result.rule;
}

const isAffordable = ({ cel }: PairedRule) => {
  const result = compileRule(cel, SCOPE);
  // Arithmetic of arithmetic of arithmetic: too expensive is a right result, and not what is tested here.
  return result.ok || result.problems.every(({ message }) => !/costs too much|levels|parts/.test(message));
};

const paired = rules(SEGMENTS, FLAGS).filter(isAffordable);
const players = playerFacts(FLAGS, ['promo']);
const states = fc.record({ members: fc.subarray(SEGMENTS), isPayer: fc.boolean(), beta: fc.boolean() });

type FlagsAndSegments = { members: string[]; isPayer: boolean; beta: boolean };

function attributesOf(world: Pick<World, 'facts' | 'now'>, state: FlagsAndSegments): PlayerAttributes {
  const attributes = new PlayerAttributes(world.facts, world.now);
  for (const segmentId of state.members) attributes.segments.add(segmentId);
  attributes.flags.set('isPayer', state.isPayer).set('beta', state.beta);
  return attributes;
}

function outcomeOf(run: () => unknown): Outcome {
  try {
    return run() === true;
  } catch {
    return 'error';
  }
}

describe('a compiled rule', () => {
  it('means what the rule says', () => {
    fc.assert(
      fc.property(paired, players, moments, states, (rule, player, now, state) => {
        const flag = (id: string) => (id === 'isPayer' ? state.isPayer : state.beta);
        const isMember = (id: string) => state.members.includes(id);
        const attributes = attributesOf({ facts: player, now }, state);
        const expected = rule.outcome({ facts: player, now, flag, isMember });
        expect(outcomeOf(() => compileOrThrow(rule).test(attributes))).toBe(expected);
      }),
      { numRuns: runs(150) },
    );
  });

  it('gives what the CEL library makes of the same expression', () => {
    fc.assert(
      fc.property(paired, players, moments, states, (rule, player, now, state) => {
        const compiled = compileOrThrow(rule);
        const attributes = attributesOf({ facts: player, now }, state);
        const byLibrary = outcomeOf(() => evaluateByLibrary(rule.cel, compiled, attributes));
        expect(outcomeOf(() => compiled.test(attributes))).toBe(byLibrary);
      }),
      { numRuns: runs(150) },
    );
  });

  it('cannot change its result before the time it gives', () => {
    fc.assert(
      fc.property(paired, players, moments, states, fc.double({ min: 0, max: 1, noNaN: true }), (...all) => {
        const [rule, player, now, state, fraction] = all;
        const compiled = compileOrThrow(rule);
        const until = nextTimeChange(compiled.basis, player, now);
        expect(until).toBeGreaterThan(now);
        const outcomeAt = (instant: number) =>
          outcomeOf(() => compiled.test(attributesOf({ facts: player, now: instant }, state)));
        const horizon = Math.min(until, now + 60 * 86_400_000);
        const within = Math.min(horizon - 1, now + Math.floor((horizon - now) * fraction));
        expect(outcomeAt(within)).toBe(outcomeAt(now));
        expect(outcomeAt(horizon - 1)).toBe(outcomeAt(now));
      }),
      { numRuns: runs(200) },
    );
  });
});

/** Each as expensive as it gets for its length: errors, searches through texts, loops. */
const HOSTILE_BODIES = [
  '1/0 > 0',
  '9007199254740991 * 9007199254740991 > 0',
  '[0,0,0,0,0,0,0,0,0,0].exists(x, 1/x > 0)',
  `"${'a'.repeat(128)}".contains("${'a'.repeat(64)}b")`,
  `"${'İ'.repeat(128)}".lowerAscii() == country`,
  `[${'"b",'.repeat(30)}"b"].exists(x, country.contains(x))`,
  'events["a"].last28d > 1',
];

describe('a hostile expression', () => {
  const words = [
    ...[
      'country',
      'purchases.total',
      'events["a"].last28d',
      'spend["USD"].total',
      'segment("whale")',
      'flags.beta',
    ],
    ...[
      '"a"',
      `"${'a'.repeat(100)}"`,
      '1',
      '9007199254740991',
      '0',
      '1.5',
      'true',
      'null',
      'x',
      'cel',
      'type',
    ],
    ...[
      '+',
      '-',
      '*',
      '/',
      '%',
      '==',
      '<',
      '&&',
      '||',
      '!',
      '?',
      ':',
      ',',
      '.',
      'in',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
    ],
    ...[
      '.contains(',
      '.matches(',
      '.map(x,',
      '.exists(x,',
      '.all(x,',
      '.lowerAscii()',
      'int(',
      'has(',
      'size(',
    ],
    ...['[1,2,3]', '["a","b"]', `[${'1,'.repeat(200)}1]`],
  ];
  const soup = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(' '));
  const shaped = fc
    .tuple(fc.constantFrom(...HOSTILE_BODIES), fc.integer({ min: 1, max: 60 }))
    .map(([body, times]) => Array.from({ length: times }, () => body).join(' || '));

  it('is refused or has a bounded cost, and never throws anything but its own errors', () => {
    const player = facts({ profile: { country: { v: 'a'.repeat(64), t: 1 } } });
    fc.assert(
      fc.property(fc.oneof(soup, shaped, fc.string({ maxLength: 200 })), (expression) => {
        const result = compileRule(expression, SCOPE);
        if (!result.ok) {
          for (const { message, offset } of result.problems) {
            expect(message).toMatch(/[.?]$/);
            expect(offset).toBeLessThanOrEqual(expression.length);
          }
          return;
        }
        // In units of at most about 100 ns: a fraction of a millisecond.
        expect(result.rule.cost).toBeLessThanOrEqual(1500);
        const attributes = attributesOf(
          { facts: player, now: NOW },
          { members: [], isPayer: true, beta: false },
        );
        outcomeOf(() => result.rule.test(attributes));
      }),
      { numRuns: runs(600) },
    );
  });
});
