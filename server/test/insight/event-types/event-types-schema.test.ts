import { describe, expect, it } from 'vitest';
import {
  checkSchema,
  compileSchema,
  SCHEMA_LIMITS,
} from '../../../src/platform/lib/json-schema/bounded-schema.js';
import { cpuMs } from '../../support/cpu-time.js';

const event = (payload: unknown = {}, members: Record<string, unknown> = {}) => ({
  eventType: 'Level_Up',
  timestamp: '2026-11-15T12:00:00.000Z',
  payload,
  ...members,
});
const ofPayload = (payload: unknown) => JSON.stringify({ properties: { payload } });
const failure = (schema: string, value: unknown) => {
  expect(checkSchema(schema)).toMatchObject({ ok: true });
  return compileSchema(schema)(value);
};

/** Definitions of which each refers twice to the next. */
const doubling = (count: number) =>
  JSON.stringify({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: count }, (_, n) => {
        const next = { $ref: `#/$defs/d${n + 1}` };
        return [`d${n}`, n === count - 1 ? {} : { allOf: [next, next] }];
      }),
    ),
  });
const chain = (count: number) =>
  JSON.stringify({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `d${n}`,
        n === count - 1 ? {} : { $ref: `#/$defs/d${n + 1}` },
      ]),
    ),
  });
/** Applied to each level of a tree by two branches, it takes twice as much for each. */
const twice = { properties: { a: { $ref: '#/$defs/t' }, b: false } };

describe('what can be registered', () => {
  it.each([
    ['not JSON', '{', /^The schema is not valid JSON: .+\.$/],
    ['no schema', '[]', 'A schema is an object, or true or false.'],
    ['a wrong keyword value', '{"type":"objet"}', /^The schema is not valid: #\/type must be /],
    [
      'a pattern that is no regular expression',
      '{"pattern":"("}',
      /^The pattern "\(" is not valid: Invalid regular/,
    ],
    [
      'a pattern that needs backtracking',
      ofPayload({ patternProperties: { 'a(?=b)': true } }),
      'The pattern "a(?=b)" looks ahead or behind, which is not supported: patterns are matched without backtracking.',
    ],
    [
      'a pattern that is large when it is expanded',
      ofPayload({ propertyNames: { pattern: '(?:x{1000}){1000}' } }),
      /^The patterns of the schema are too large: .+ "\(\?:x\{1000\}\)\{1000\}"\.$/,
    ],
    [
      'forty definitions that each refer twice to the next',
      doubling(40),
      /^More than 2000 schemas would check one value/,
    ],
    ['a long chain of references', chain(2_000), /^More than 80 schemas, one within another/],
    ['a reference that depends on others', '{"$dynamicRef":"#a"}', /^\$dynamicRef .+ not supported/],
    [
      'a loop that only some events run into',
      '{"if":{"required":["loop"]},"then":{"$ref":"#"}}',
      'The schema refers to itself without end.',
    ],
    [
      'a wrong keyword under a name that only a reference makes a schema',
      '{"$ref":"#/parts/a","parts":{"a":{"type":"objet"}}}',
      /^The schema is not valid: #\/type must be /,
    ],
    ['two schemas of one name', '{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}', /#x is used twice\.$/],
    ['a value that no event can hold', '{"const":{"a":"\\ud800"}}', /^No event can hold /],
    [
      'another draft',
      '{"$schema":"http://json-schema.org/draft-07/schema#"}',
      /write the schema for .+2020-12/,
    ],
    [
      'a reference to another document',
      '{"$ref":"https://example.com/a.json"}',
      /https:\/\/example\.com\/a\.json, which/,
    ],
    ['a reference to a file', '{"$ref":"file:///etc/passwd"}', /file:\/\/\/etc\/passwd, which is not in it/],
    [
      'a reference to the draft itself',
      '{"$ref":"https://json-schema.org/draft/2020-12/schema"}',
      /is not in it/,
    ],
    ['a reference to nowhere', '{"$ref":"#/$defs/none"}', /#\/\$defs\/none, which is not in it/],
    ['a schema without end', '{"$ref":"#"}', 'The schema refers to itself without end.'],
    ['two without end', '{"$defs":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#/$defs/a"}]}', /itself without end/],
    ['an asynchronous one', '{"$async":true}', /\$async/],
    ['a part that is asynchronous', ofPayload({ $async: true, type: 'object' }), /async/],
  ])('%s is refused with the reason', (_, text, reason) => {
    expect(checkSchema(text)).toEqual({
      ok: false,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
  });

  it('size and depth are bounded', () => {
    const large = JSON.stringify({ description: 'é'.repeat(SCHEMA_LIMITS.maxBytes / 2) });
    expect(checkSchema(large)).toEqual({ ok: false, reason: 'The schema takes more than 65536 bytes.' });
    const nested = (levels: number) => `${'{"not":'.repeat(levels)}true${'}'.repeat(levels)}`;
    expect(checkSchema(nested(SCHEMA_LIMITS.maxDepth))).toMatchObject({ ok: true });
    expect(checkSchema(nested(SCHEMA_LIMITS.maxDepth + 1))).toMatchObject({ ok: false });
    expect(checkSchema('['.repeat(60_000) + ']'.repeat(60_000))).toMatchObject({ ok: false });
    expect(checkSchema(nested(8_000))).toMatchObject({ ok: false });
  });

  it('what has no effect is allowed, and said', () => {
    const text = ofPayload({ requried: ['level'], properties: { mail: { format: 'email' } } });
    expect(checkSchema(text)).toEqual({
      ok: true,
      warnings: [
        'unknown keyword: "requried"',
        'unknown format "email" is not checked, at #/properties/payload/properties/mail',
      ],
    });
  });

  it('local references, anchors and identifiers work', () => {
    const text = JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://studio.example/level',
      $defs: { level: { $anchor: 'level', type: 'integer' } },
      properties: {
        payload: {
          properties: { from: { $ref: '#level' }, to: { $ref: 'https://studio.example/level#/$defs/level' } },
        },
      },
    });
    expect(failure(text, event({ from: 1, to: 2 }))).toBeUndefined();
    expect(failure(text, event({ from: 1, to: '2' }))?.path).toBe('/payload/to');
  });
});

describe('what matches', () => {
  it('a failure names the path and the rule', () => {
    const text = ofPayload({
      type: 'object',
      properties: { level: { type: 'integer', minimum: 1 }, mode: { enum: ['easy', 'hard'] } },
      required: ['level'],
      additionalProperties: false,
    });
    expect(failure(text, event({ level: 3 }))).toBeUndefined();
    expect(failure(text, event({ level: '3' }))).toEqual({
      path: '/payload/level',
      message: '/payload/level must be integer (rule #/properties/payload/properties/level/type).',
    });
    expect(failure(text, event())?.message).toBe(
      "/payload must have required property 'level' (rule #/properties/payload/required).",
    );
    expect(failure(text, event({ level: 1, mode: 'x' }))?.message).toMatch(
      /allowed values \["easy","hard"\]/,
    );
    expect(failure(text, event({ level: 1, 'a/b': 1 }))?.message).toMatch(/additional properties: "a\/b"/);
    expect(failure(text, event({ level: 1, ['x'.repeat(9_000)]: 1 }))?.message.length).toBeLessThan(300);
    expect(failure('false', event())?.message).toMatch(/^The event .+\(rule #\/false schema\)\.$/);
  });

  it('nothing is coerced or filled in, and inherited members do not count', () => {
    const text = ofPayload({
      properties: { level: { type: 'integer', default: 1 } },
      required: ['toString'],
    });
    const sent = event({ level: '1' });
    expect(failure(text, sent)?.path).toBe('/payload');
    expect(sent).toEqual(event({ level: '1' }));
    expect(
      failure(ofPayload({ required: ['level'], properties: { level: { default: 1 } } }), event()),
    ).toBeDefined();
    const closed = ofPayload({ additionalProperties: false });
    expect(failure(closed, event(JSON.parse('{"__proto__":1}')))?.message).toMatch(/"__proto__"/);
  });

  it.each([
    ['date-time', '2026-11-15T12:00:00+01:00', '2026-11-15 12:00'],
    ['date', '2026-02-28', '2026-02-30'],
    ['uuid', '0198c1f2-7d7a-7b0e-8000-000000000000', '0198c1f2'],
  ])('format %s is checked', (format, good, bad) => {
    const text = ofPayload({ properties: { x: { format } } });
    expect(failure(text, event({ x: good }))).toBeUndefined();
    expect(failure(text, event({ x: bad }))?.path).toBe('/payload/x');
  });

  it('uniqueItems is checked in one pass', async () => {
    const text = ofPayload({ properties: { x: { uniqueItems: true } } });
    expect(failure(text, event({ x: [1, '1', { a: 1, b: 2 }, [1]] }))).toBeUndefined();
    expect(
      failure(
        text,
        event({
          x: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        }),
      )?.message,
    ).toMatch(/duplicate items/);
    const many = event({ x: Array.from({ length: 16_000 }, (_, n) => ({ n })) });
    expect(await cpuMs(() => failure(text, many))).toBeLessThan(1_000);
  });

  it('a pattern that backtracks elsewhere comes to an end', () => {
    const text = ofPayload({ properties: { x: { pattern: '^(\\w+\\s?)*$' } } });
    expect(failure(text, event({ x: 'a word and another' }))).toBeUndefined();
    expect(failure(text, event({ x: `${'a'.repeat(40)}!` }))?.path).toBe('/payload/x');
  });

  it.each([
    ['members that another schema has seen', { allOf: [{ properties: { a: true } }] }, { a: 1 }, true],
    ['members that nothing has seen', { allOf: [{ properties: { a: true } }] }, { a: 1, b: 1 }, false],
    ['members of a branch that fails', { anyOf: [{ properties: { a: false } }, true] }, { a: 1 }, false],
    ['members of every branch that matches', { anyOf: [true, { properties: { a: true } }] }, { a: 1 }, true],
    ['members of a condition', { if: { properties: { a: { const: 1 } } } }, { a: 1 }, true],
    ['members of a condition that fails', { if: { properties: { a: { const: 2 } } } }, { a: 1 }, false],
    ['members in not', { not: { not: { properties: { a: true } } } }, { a: 1 }, false],
    ['additional members', { patternProperties: { '^a': true }, additionalProperties: true }, { b: 1 }, true],
    ['items of a prefix', { prefixItems: [true] }, [1], true],
    ['items after a prefix', { prefixItems: [true] }, [1, 2], false],
    ['items that are contained', { contains: { const: 1 } }, [1, 1], true],
    ['items that are not contained', { contains: { const: 1 } }, [1, 2], false],
  ])('unevaluated parts: %s', (_, schema, value, isRight) => {
    const text = ofPayload({ ...schema, unevaluatedProperties: false, unevaluatedItems: false });
    expect(failure(text, event(value)) === undefined).toBe(isRight);
  });

  it('an event that costs too much is refused, and a larger one may cost more', () => {
    const tree = { $defs: { t: { anyOf: [twice, twice] } }, properties: { payload: { $ref: '#/$defs/t' } } };
    const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1), b: 1 });
    const check = compileSchema(JSON.stringify(tree));
    expect(check(event(nested(3)))?.message).toMatch(/anyOf/);
    expect(check(event(nested(14)))).toEqual({
      path: '',
      message: expect.stringMatching(/^The event takes more than 10000 steps, and 10 more for each byte/),
    });
    const items = compileSchema(ofPayload({ items: { type: 'integer', minimum: 0 } }));
    expect(items(event(Array.from({ length: 10_000 }, () => 1)))).toBeUndefined();
  });
});
