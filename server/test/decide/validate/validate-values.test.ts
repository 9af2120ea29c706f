import { describe, expect, it } from 'vitest';
import type { ValueEntry, ValueRuleEntry } from '../../../src/decide/document/parts/values.js';
import type { ValueType } from '../../../src/decide/document/value-types.js';
import { configWith, problemsOf, value } from '../support/fixtures.js';

const rule = (given: unknown, overrides: Partial<ValueRuleEntry> = {}): ValueRuleEntry => ({
  when: null,
  sharePercent: 100,
  value: given,
  ...overrides,
});
const problems = (...values: ValueEntry[]) => problemsOf(configWith({ values }));
const typed = (type: ValueType, defaultValue: unknown) => value('a', { type, defaultValue });
const POINT = {
  type: 'object',
  properties: { x: { type: 'integer' } },
  required: ['x'],
  additionalProperties: false,
};

describe('typed values', () => {
  it('may be left out, and have any of the types', () => {
    expect(problemsOf(configWith())).toEqual([]);
    expect(
      problems(
        value('jump_height', { type: { kind: 'integer', minimum: 1, maximum: 9 }, defaultValue: 3 }),
        value('constructor', { type: 'boolean', defaultValue: false, rules: [rule(true)] }),
        value('speed', { type: 'number', defaultValue: 1.5, rules: [rule(2, { when: 'flags.isPayer' })] }),
        value('mode', { type: { kind: 'string', enum: ['easy', 'hard'] }, defaultValue: 'easy' }),
        value('title', { type: { kind: 'string', minLength: 1, maxLength: 2 }, defaultValue: '🎮🎮' }),
        value('start', {
          type: { kind: 'json', schema: POINT },
          defaultValue: { x: 1 },
          visibleTo: 'servers',
        }),
        value('any', { type: { kind: 'json', schema: true }, defaultValue: null }),
      ),
    ).toEqual([]);
  });

  it.each<[ValueType, unknown, string]>([
    ['boolean', 1, 'The value must be true or false.'],
    ['boolean', null, 'The value must be true or false.'],
    ['integer', 1.5, 'The value must be a whole number.'],
    ['integer', '1', 'The value must be a whole number.'],
    ['integer', 2 ** 53, 'The value must be a whole number.'],
    ['number', '1', 'The value must be a number.'],
    ['string', 1, 'The value must be a text.'],
    [{ kind: 'integer', minimum: 2 }, 1, 'The value must be at least 2.'],
    [{ kind: 'number', maximum: 0.5 }, 0.6, 'The value must be at most 0.5.'],
    [{ kind: 'integer', enum: [1, 2] }, 3, 'The value must be 1 or 2.'],
    [{ kind: 'string', minLength: 2 }, 'a', 'The value must have at least 2 characters.'],
    [{ kind: 'string', maxLength: 1 }, 'ab', 'The value may have at most 1 characters.'],
    [{ kind: 'string', enum: ['a', 'b'] }, 'c', 'The value must be "a" or "b".'],
    [
      { kind: 'json', schema: POINT },
      { x: 'far' },
      'The value does not match its schema: /x must be integer (rule #/properties/x/type).',
    ],
  ])('%j refuses %j, as default and in a rule', (type, wrong, message) => {
    expect(problems(typed(type, wrong))).toEqual([`/values/0/defaultValue ${message}`]);
    const good: Record<string, unknown> = {
      boolean: true,
      integer: 2,
      number: 0.5,
      string: 'aa',
      json: { x: 1 },
    };
    const kind = typeof type === 'string' ? type : type.kind;
    const bounds = typeof type === 'string' ? {} : type;
    const fitting = 'maxLength' in bounds || 'enum' in bounds ? (kind === 'string' ? 'a' : 1) : good[kind];
    const entry = value('a', { type, defaultValue: fitting, rules: [rule(fitting), rule(wrong)] });
    expect(problems(entry)).toEqual([`/values/0/rules/1/value ${message}`]);
  });

  it.each<[ValueType, string]>([
    [{ kind: 'boolean', minimum: 1 }, '/values/0/type/minimum The type boolean has no bounds.'],
    [
      { kind: 'string', minimum: 1 },
      '/values/0/type/minimum The type string has minLength, maxLength, enum only.',
    ],
    [
      { kind: 'integer', minimum: 5, maximum: 4 },
      '/values/0/type/maximum The maximum is below the minimum: no value would satisfy the type.',
    ],
    [
      { kind: 'string', minLength: 5, maxLength: 4 },
      '/values/0/type/maxLength maxLength is below minLength: no text would satisfy the type.',
    ],
    [
      { kind: 'integer', minimum: 0.5 },
      '/values/0/type/minimum The bounds of whole numbers are whole numbers, between -(2^53 - 1) and 2^53 - 1.',
    ],
    [
      { kind: 'integer', enum: [1, 'b'] },
      '/values/0/type/enum "b" can never be the value: it must be a whole number.',
    ],
    [
      { kind: 'json' },
      '/values/0/type/schema A value of type json needs a JSON Schema; true takes any value.',
    ],
    [{ kind: 'json', schema: 5 }, '/values/0/type/schema A schema is an object, or true or false.'],
    [
      { kind: 'json', schema: { description: 'é'.repeat(10_000) } },
      '/values/0/type/schema The schema takes more than 16384 bytes.',
    ],
  ])('the type %j cannot be used', (type, problem) => {
    expect(problems(typed(type, 1))).toEqual([problem]);
  });

  it('have keys that every language can name, each of them once', () => {
    expect(problems(value('1up'))).toEqual([
      '/values/0/key "1up" cannot be the key of a value: begin with a letter, and use letters, digits and underscores only, 64 at most.',
    ]);
    expect(problems(value('__proto__'))).toHaveLength(1);
    expect(problems(value('a'), value('a'))).toEqual(['/values/1/key "a" is taken by /values/0.']);
  });

  it('have rules that compile, and no unknown members', () => {
    expect(problems(value('a', { rules: [rule(1), rule(1, { when: 'cuntry == "DE"' })] }))).toEqual([
      '/values/0/rules/1/when There is no attribute "cuntry". Did you mean "country"?',
    ]);
    expect(problems({ ...value('a'), kind: 'x' } as ValueEntry)).toHaveLength(1);
    expect(problems({ ...value('a'), type: 'intger' } as unknown as ValueEntry)).toHaveLength(1);
    const { defaultValue: _, ...without } = value('a');
    expect(problems(without as ValueEntry)).toEqual(['/values/0/defaultValue This member is missing.']);
  });

  it('have a bounded size, one by one and together', () => {
    const text = (bytes: number) => 'x'.repeat(bytes);
    const string = (key: string, bytes: number) =>
      value(key, { type: 'string', defaultValue: '', rules: [rule(text(bytes))] });
    expect(problems(string('a', 16_400))).toEqual([
      '/values/0/rules/0/value The value may take 16384 bytes at most.',
    ]);
    const many = ['a', 'b', 'c', 'd'].map((key) => string(key, 16_382));
    expect(problems(...many.slice(1))).toEqual([]);
    expect(problems(...many)).toEqual([
      '/values The values of a player can take 65540 bytes together, and may take 65536 at most.',
    ]);
  });

  it('are refused where JSON cannot hold them', () => {
    const any = (given: unknown) => typed({ kind: 'json', schema: true }, given);
    expect(problems(any({ x: [Number.POSITIVE_INFINITY] }))).toEqual([
      '/values/0/defaultValue/x/0 The number is too large: it cannot be stored.',
    ]);
    let deep: unknown = 1;
    for (let level = 0; level < 40; level++) deep = [deep];
    expect(problems(any(deep))).toEqual([
      expect.stringContaining('A document is nested 32 levels deep at most.'),
    ]);
  });
});
