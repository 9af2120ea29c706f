/** Schemas that are written to cost as much as possible, each with the event that makes them. */
export function hostileSchemas({ bytes, levels }) {
  const wide = (make) => {
    const items = [];
    for (let size = 200, n = 0; size < bytes; n++) {
      const item = make(n);
      size += JSON.stringify(item).length + 1;
      if (size < bytes) items.push(item);
    }
    return items;
  };
  const members = (items) => Object.fromEntries(items.map((name) => [name, 0]));
  const numbers = wide(() => 1);
  const names = members(wide((n) => `a${n}....`).map((name) => name.slice(0, -4)));
  const text = (unit) => unit.repeat((bytes - 200) / Buffer.byteLength(unit));
  const nested = (depth) => (depth === 0 ? {} : { a: nested(depth - 1), b: 1 });
  const definitions = (count, make) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, make(n)]));
  const many = (count, schema) => Array.from({ length: count }, () => schema);

  return [
    schemaOf('a pattern that backtracks', { pattern: '^(\\w+\\s?)*$' }, `${'a'.repeat(40)}!`),
    schemaOf('a pattern that backtracks, long text', { pattern: '^(\\w+\\s?)*$' }, text('a ')),
    schemaOf('a pattern with many states at once', { pattern: '(?:a|b)*a(?:a|b){900}c' }, text('ab')),
    schemaOf('optional parts', { pattern: '(?:a?){900}b$' }, text('a')),
    schemaOf('Unicode properties', { pattern: '^(?:\\p{L}|\\p{N}|\\p{Lu}|\\p{Emoji})*$' }, text('漢é1😀')),
    schemaOf(
      'many patterns',
      {
        patternProperties: Object.fromEntries(
          wide((n) => `(a|b)*${n}$`)
            .slice(0, 500)
            .map((p) => [p, true]),
        ),
      },
      names,
    ),
    {
      name: 'forty definitions that double',
      schema: {
        $ref: '#/$defs/d0',
        $defs: definitions(40, (n) => (n === 39 ? {} : { allOf: many(2, { $ref: `#/$defs/d${n + 1}` }) })),
      },
      event: { payload: {} },
    },
    schemaOf(
      'eleven definitions that double',
      { items: { $ref: '#/$defs/d0' } },
      numbers,
      definitions(10, (n) => (n === 9 ? {} : { allOf: many(2, { $ref: `#/$defs/d${n + 1}` }) })),
    ),
    {
      name: 'recursion in two branches',
      schema: {
        $defs: { t: { anyOf: many(2, { properties: { a: { $ref: '#/$defs/t' }, b: false } }) } },
        properties: { payload: { $ref: '#/$defs/t' } },
      },
      event: { payload: nested(levels - 3) },
    },
    schemaOf('uniqueItems by 2,000 schemas', { allOf: many(1_900, { uniqueItems: true }) }, numbers),
    schemaOf(
      'uniqueItems of objects',
      { uniqueItems: true },
      wide((n) => ({ n })),
    ),
    schemaOf(
      'a long text, compared and measured',
      { allOf: many(1_500, { maxLength: 32_768, minLength: 1 }) },
      text('é'),
    ),
    schemaOf(
      'contains in 1,200 schemas',
      { allOf: many(1_200, { contains: { const: 2 }, minContains: 0 }) },
      numbers,
    ),
    schemaOf(
      'failures with long names',
      { anyOf: many(1_200, { additionalProperties: { type: 'string' } }) },
      { [text('~')]: 1 },
    ),
    schemaOf('long lists of members', { anyOf: many(1_900, { additionalProperties: false }) }, names),
    schemaOf(
      'unevaluated members',
      { allOf: many(900, { unevaluatedProperties: { type: 'number' } }), unevaluatedProperties: false },
      names,
    ),
    schemaOf(
      'unevaluated members of references',
      { anyOf: many(300, { $ref: '#/$defs/d0' }), unevaluatedProperties: false },
      names,
      { d0: { patternProperties: { '^a': true } } },
    ),
    schemaOf('an enumeration of objects', { enum: wide((n) => ({ n })) }, names),
    schemaOf(
      'objects in anyOf',
      { items: { anyOf: many(100, { const: { a: 1 } }) } },
      wide(() => ({ a: 2, b: [1] })),
    ),
    {
      name: '64 KB of references',
      schema: { $defs: definitions(1_900, (n) => ({ $ref: `#/$defs/d${n + 1}` })), $ref: '#/$defs/d0' },
      event: {},
    },
    {
      name: '64 KB of properties',
      schema: {
        properties: {
          payload: {
            properties: Object.fromEntries(
              Array.from({ length: 1_500 }, (_, n) => [`a${n}`, { type: 'integer', minimum: 0 }]),
            ),
          },
        },
      },
      event: { payload: names },
    },
    {
      name: '64 KB of required names',
      schema: { allOf: [{ required: Array.from({ length: 7_000 }, (_, n) => `a${n}`) }] },
      event: names,
    },
    { name: '64 KB of types', schema: { type: Array.from({ length: 6_000 }, (_, n) => `a${n}`) }, event: {} },
    {
      name: '40 Unicode properties',
      schema: { anyOf: many(38, 0).map((_, n) => ({ pattern: `\\p{L}${n}` })) },
      event: {},
    },
    { name: '300 Unicode properties', schema: { pattern: '\\p{L}'.repeat(300) }, event: {} },
  ];
}

function schemaOf(name, payload, value, $defs) {
  return {
    name,
    schema: { properties: { payload }, ...($defs && { $defs }) },
    event: { eventType: 'Hostile', timestamp: '2026-11-15T12:00:00.000Z', payload: value },
  };
}
