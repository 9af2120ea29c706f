import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlayerPin } from '../../../src/decide/attributes/player-facts.js';
import { bucketOf, experimentSalt, userIdBytes } from '../../../src/decide/compile/bucket.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { Decision } from '../../../src/decide/decide/decision.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ValueEntry, ValueRuleEntry } from '../../../src/decide/document/parts/values.js';
import { type ValueType, valueCheckOf } from '../../../src/decide/document/value-types.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { valueReason } from '../../../src/liveops/explanations/value-reason.js';
import { runs } from '../../support/property-runs.js';
import { compiled, configWith, DAY_MS, facts, NOW, payer, segment, value } from '../support/fixtures.js';

const rule = (given: unknown, overrides: Partial<ValueRuleEntry> = {}): ValueRuleEntry => ({
  when: null,
  sharePercent: 100,
  value: given,
  ...overrides,
});
const valuesOf = ({ values }: Decision) =>
  Object.fromEntries(values.map(({ key, outcome }) => [key, outcome.value]));
const reasons = (values: ValueEntry[], player = facts(), more: Partial<ConfigDocument> = {}) =>
  decide(compiled({ values, ...more }), player, NOW, { trace: true }).trace?.values.map(valueReason);
const userIds = Array.from({ length: 500 }, (_, n) => {
  const hex = createHash('sha256').update(`player ${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
});

describe('a pin', () => {
  const pin = (changes: Partial<PlayerPin> = {}): PlayerPin => ({
    kind: 'value',
    target: 'jump_height',
    value: 7,
    reason: 'QA',
    author: 'Ada',
    setAt: NOW - 1_000,
    until: NOW + 1_000,
    ...changes,
  });
  const values = [value('jump_height', { defaultValue: 3, rules: [rule(4)] })];
  const decided = (pins: PlayerPin[], now = NOW) => decide(compiled({ values }), facts({ pins }), now);

  it('decides before the rules while it is in force, the one set last', () => {
    expect(valuesOf(decided([pin()]))).toEqual({ jump_height: 7 });
    expect(valuesOf(decided([pin(), pin({ value: 8, setAt: NOW - 999 })]))).toEqual({ jump_height: 8 });
    expect(valuesOf(decided([pin()], NOW - 1_001))).toEqual({ jump_height: 4 });
    expect(valuesOf(decided([pin()], NOW + 1_000))).toEqual({ jump_height: 4 });
  });

  it('is about one value, and never of another type', () => {
    const others = [pin({ target: 'other' }), pin({ kind: 'variant' }), pin({ value: '7' })];
    expect(valuesOf(decided(others))).toEqual({ jump_height: 4 });
  });

  it('ends what is decided where it begins and ends', () => {
    expect(decided([pin()], NOW - 2_000).validUntil).toBe(NOW - 1_000);
    expect(decided([pin()]).validUntil).toBe(NOW + 1_000);
    expect(decided([pin({ until: null })]).validUntil).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a typed value', () => {
  const jump = value('jump_height', {
    defaultValue: 3,
    rules: [
      rule(5, { when: 'segment("whales")' }),
      rule(4, { when: 'flags.isPayer' }),
      rule(9, { when: 'country == "DE"' }),
    ],
  });
  const segments = [segment('whales', 'spend["USD"].total >= 100.0')];

  it('is that of the first rule that matches, else the default', () => {
    const document = compiled({ values: [jump], segments });
    expect(valuesOf(decide(document, facts(), NOW))).toEqual({ jump_height: 3 });
    expect(valuesOf(decide(document, payer(), NOW))).toEqual({ jump_height: 4 });
    expect(valuesOf(decide(document, payer({ spend: { USD: 200 } }), NOW))).toEqual({ jump_height: 5 });
  });

  it('is explained by the rule that decides, or by all that do not', () => {
    expect(reasons([jump], payer(), { segments })).toEqual([
      'Value jump_height is 4: rule 2 says flags.isPayer is true (flags["isPayer"] = true).',
    ]);
    expect(reasons([jump], facts(), { segments })).toEqual([
      'Value jump_height is 3, its default: rule 1 says segment("whales") is false (segments["whales"] = false); rule 2 says flags.isPayer is false (flags["isPayer"] = false); rule 3 says country == "DE" is false (country = "").',
    ]);
    expect(reasons([value('a'), value('b', { rules: [rule(2)] })])).toEqual([
      'Value a is 1, its default: it has no rules.',
      'Value b is 2: rule 1 is for everybody.',
    ]);
  });

  it('has one bucket for all its rules, so shares that follow each other part the players', () => {
    const document = compiled({
      values: [
        value('mode', {
          type: 'string',
          defaultValue: 'rest',
          rules: [rule('a', { sharePercent: 20 }), rule('b', { sharePercent: 50 })],
        }),
      ],
    });
    const expected = (bucket: number) => (bucket < 0.2 ? 'a' : bucket < 0.5 ? 'b' : 'rest');
    const seen = new Set<string>();
    for (const userId of userIds) {
      const { mode } = valuesOf(decide(document, facts({ userId }), NOW));
      expect(mode).toBe(expected(bucketOf(experimentSalt('value:mode'), userIdBytes(userId))));
      seen.add(String(mode));
    }
    expect(seen.size).toBe(3);
  });

  it('is explained by the bucket of the player where a share decides', () => {
    const told = (sharePercent: number) =>
      reasons([value('jump_height', { rules: [rule(2, { sharePercent })] })]);
    expect(told(50)).toEqual([
      'Value jump_height is 1, its default: rule 1 is not for the player, whose bucket is 50.05, outside of the share of 50%.',
    ]);
    expect(told(51)).toEqual([
      "Value jump_height is 2: rule 1 is for everybody, and the player's bucket is 50.05, inside of the share of 51%.",
    ]);
  });

  it('holds until a rule about time can change it', () => {
    const document = compiled({
      values: [value('a', { rules: [rule(2, { when: 'daysSinceFirstSeen < 7' })] })],
    });
    const { validUntil, ...first } = decide(document, facts(), NOW);
    expect(valuesOf({ ...first, validUntil })).toEqual({ a: 2 });
    expect(validUntil).toBe(NOW + DAY_MS);
    expect(valuesOf(decide(document, facts(), NOW + 7 * DAY_MS))).toEqual({ a: 1 });
  });

  it('is the default where its rule fails, and the error is reported', () => {
    const parts: string[] = [];
    const document = compiled({
      values: [value('a', { rules: [rule(2, { when: '1 / purchases.total > 0' })] })],
    });
    const onError = (part: string) => parts.push(part);
    expect(valuesOf(decide(document, facts(), NOW, { onError }))).toEqual({ a: 1 });
    expect(parts).toEqual(['value:a']);
  });

  it('is left out if it was published with a value of another type, which is reported', () => {
    const unusable: string[] = [];
    const values = [value('a', { rules: [rule('high')] }), value('b')];
    const document = compileDocument(configWith({ values }), { version: 1, publishedAt: 0 }, (part, reason) =>
      unusable.push(`${part}: ${reason}`),
    );
    expect(valuesOf(decide(document, facts(), NOW))).toEqual({ b: 1 });
    expect(unusable).toEqual(['value:a: the value "high" must be a whole number']);
  });
});

describe('whatever document is published', () => {
  const types = fc.oneof(
    fc.constantFrom<ValueType>('boolean', 'integer', 'number', 'string', { kind: 'boolean' }),
    fc
      .record({ minimum: fc.integer({ min: -5, max: 5 }), maximum: fc.integer({ min: -5, max: 5 }) })
      .chain((bounds) =>
        fc.constantFrom<ValueType>({ kind: 'integer', ...bounds }, { kind: 'number', ...bounds }),
      ),
    fc
      .record({ minLength: fc.nat(3), maxLength: fc.nat(3) })
      .map((bounds): ValueType => ({ kind: 'string', ...bounds })),
    fc
      .array(fc.oneof(fc.nat(3), fc.constantFrom('', 'a', 'bb')), { minLength: 1, maxLength: 3 })
      .chain((allowed) =>
        fc.constantFrom<ValueType>({ kind: 'integer', enum: allowed }, { kind: 'string', enum: allowed }),
      ),
    fc
      .constantFrom<unknown>(true, false, { type: 'object', required: ['a'] }, { type: ['array', 'null'] }, 5)
      .map((schema): ValueType => ({ kind: 'json', schema })),
  );
  const anything = fc.oneof(
    fc.constantFrom<unknown>(true, false, 0, 1, 2, -1, 1.5, '', 'a', 'bb', null, [], { a: 1 }, 2 ** 60),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const rules = fc.record({
    when: fc.constantFrom(null, 'flags.isPayer', 'daysSinceFirstSeen >= 3'),
    sharePercent: fc.constantFrom(0, 30, 100),
    value: anything,
  });
  const entries = fc.record({
    type: types,
    defaultValue: anything,
    rules: fc.array(rules, { maxLength: 2 }),
  });
  const documents = fc
    .array(entries, { minLength: 1, maxLength: 3 })
    .map((all) => configWith({ values: all.map((entry, n) => value(`v${n}`, entry)) }));
  const someone = fc.record({ index: fc.nat(userIds.length - 1), days: fc.nat(5), pays: fc.boolean() });

  it('no player gets a value that does not satisfy its type', () => {
    const seen = { published: 0, refused: 0 };
    fc.assert(
      fc.property(documents, someone, (document, { index, days, pays }) => {
        const isValid = validateDocument(document).ok;
        seen[isValid ? 'published' : 'refused']++;
        // Also a document that should never have been published gives no such value.
        const served = compileDocument(document, { version: 1, publishedAt: 0 });
        const player = { userId: userIds[index] ?? '', createdAt: NOW - days * DAY_MS };
        const decision = decide(served, pays ? payer(player) : facts(player), NOW);
        for (const { key, outcome } of decision.values) {
          const type = document.values?.find((each) => each.key === key)?.type ?? 'boolean';
          expect(valueCheckOf(type)(outcome.value)).toBeUndefined();
          expect(JSON.parse(`{${outcome.memberJson}}`)).toEqual({
            [key]: JSON.parse(JSON.stringify(outcome.value)),
          });
        }
        if (isValid)
          expect(decision.values.map(({ key }) => key)).toEqual(document.values?.map(({ key }) => key));
      }),
      { numRuns: runs(300) },
    );
    expect(seen.published).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
});
