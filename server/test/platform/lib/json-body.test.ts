import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkStorable, decodeJson } from '../../../src/platform/lib/json-body.js';
import { cpuMs } from '../../support/cpu-time.js';
import { runs } from '../../support/property-runs.js';

const MAX_DEPTH = 16;
const MIB = 1024 * 1024;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(text: string): { value: unknown; suspicious: boolean } {
  const decoded = decodeJson(encode(text));
  if (!decoded.ok) throw new Error(`${decoded.code} for ${text.slice(0, 100)}`);
  return decoded;
}

const value = (text: string): unknown => decode(text).value;

/** As the service does it: the flaw of a body, if any. */
function flawOf(text: string, maxDepth = MAX_DEPTH) {
  const decoded = decode(text);
  return checkStorable(decoded.value, maxDepth, decoded.suspicious);
}

describe('decodeJson', () => {
  test('reads JSON, with a byte order mark or without', () => {
    expect(decodeJson(encode(' {"a":[1,"é😀",null]} '))).toEqual({
      ok: true,
      value: { a: [1, 'é😀', null] },
      text: ' {"a":[1,"é😀",null]} ',
      suspicious: false,
    });
    expect(value('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(value('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  test('reads a view into a larger buffer', () => {
    const bytes = encode('xx{"a":1}xx');
    expect(decodeJson(bytes.subarray(2, 9))).toMatchObject({ ok: true, value: { a: 1 } });
  });

  test('keeps __proto__ and other special members as plain data', () => {
    const parsed = value('{"__proto__":{"admin":true},"constructor":1}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect('admin' in parsed).toBe(false);
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xf0, 0x9f, 0x98]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x22, 0x00, 0x22, 0x00]],
  ])('refuses %s', (_, bytes) => {
    expect(decodeJson(Uint8Array.from(bytes))).toMatchObject({ ok: false, code: 'invalid_utf8' });
    // Nothing of it is left for the next caller.
    expect(value('"ok"')).toBe('ok');
  });

  test.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '01',
    'NaN',
    'Infinity',
    '"\n"',
    '"\0"',
    '1 2',
    '\ufeff\ufeff1',
    // Replacing the integer must not make these valid.
    '009007199254740993',
    '-009007199254740993',
    '+9007199254740993',
    '.9007199254740993',
    '--9007199254740993',
    '1-9007199254740993',
    '9007199254740993.',
    '9007199254740993e',
    '9007199254740993 9007199254740993',
    '"9007199254740993',
    '"\\"9007199254740993',
    '{9007199254740993:1}',
  ])('refuses %j', (text) => {
    expect(decodeJson(encode(text))).toMatchObject({ ok: false, code: 'invalid_json' });
  });

  test('says that a body is empty', () => {
    expect(decodeJson(new Uint8Array())).toMatchObject({ message: 'The body is empty.' });
    expect(decodeJson(encode('{'))).toMatchObject({ message: 'The body is not valid JSON.' });
  });

  test('never throws, and accepts what JSON.parse accepts', () => {
    const piece = fc.constantFrom(
      ...['"', '\\', '\\"', '\\u0000', '\\ud800', '9007199254740993', '-', '.', 'e', '0', '1e999', 'é'],
      ...['{', '}', '[', ']', ':', ',', ' ', '1714567890123456789', 'true', '"a"', '\0'],
    );
    const anyText = fc.oneof(fc.string({ unit: piece }), fc.json(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeJson(encode(text)).ok).toBe(isJson(text.replace(/^\ufeff/, '')));
      }),
      { numRuns: runs(800) },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof decodeJson(bytes).ok).toBe('boolean');
      }),
      { numRuns: runs(500) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('integers that would come out as others', () => {
  const refused = { code: 'number_out_of_range' };

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1714567890123456789',
    '18446744073709551615',
    // A double holds these, but is written back with other digits.
    '9223372036854775808',
    '1152921504606846976',
    String(2n ** 1000n),
    `1${'0'.repeat(22)}1`,
    '9'.repeat(309),
    `-${'9'.repeat(309)}`,
    '9'.repeat(400),
    '1e999',
    '-1E+999',
  ])('%s is out of range, wherever it stands', (number) => {
    for (const text of [
      number,
      ` ${number} `,
      `[${number}]`,
      `[1,\n${number},2]`,
      `{"a":"x","b":${number}}`,
    ]) {
      expect(flawOf(text), text).toMatchObject(refused);
    }
  });

  test.each([
    '9007199254740992',
    '9007199254740991',
    '-9007199254740992',
    '1714567890123456',
    '10000000000000000000000',
    // As JavaScript writes doubles that are a little more or less.
    '9223372036854776000',
    '123456789012345680000',
    '-123456789012345680000',
    `12345${'0'.repeat(300)}`,
    '0.30000000000000004',
    '1.7976931348623157e308',
    '1234567890123456.5',
    '9007199254740993e0',
    '9007199254740993.0',
  ])('%s is kept', (number) => {
    expect(flawOf(`{"a":${number}}`)).toBeUndefined();
    expect(value(`{"a":${number}}`)).toEqual({ a: Number(number) });
  });

  test.each([
    '9007199254740993',
    ':9007199254740993,',
    'say \\"9007199254740993\\"',
    'say \\",9007199254740993,\\" again',
    '\\\\\\",9007199254740993,',
    '[9007199254740993]\\\\',
  ])('digits inside the string %j are left alone', (content) => {
    const text = `{"before":"${content}","inside":["${content}", 1714567890123456],"${content}":0}`;
    expect(value(text)).toEqual(JSON.parse(text));
    const withBadNumber = `{"before":"${content}","bad":9007199254740993,"after":"${content}"}`;
    expect(value(withBadNumber)).toEqual({
      ...(JSON.parse(withBadNumber) as object),
      bad: Number.POSITIVE_INFINITY,
    });
  });

  test('an integer is kept if and only if it is written back as it came', () => {
    const roundInteger = fc.tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.nat(30));
    const anyInteger = fc.oneof(
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      roundInteger.map(([digits, zeros]) => digits * 10n ** BigInt(zeros)),
      fc.integer({ min: 50, max: 120 }).map((exponent) => 2n ** BigInt(exponent)),
    );
    fc.assert(
      fc.property(anyInteger, fc.string(), (integer, text) => {
        const parsed = value(`{${JSON.stringify(text)}:[${integer},${JSON.stringify(text)}]}`);
        const isKept = writtenInteger(Number(integer)) === integer;
        const expected = isKept ? Number(integer) : Number.POSITIVE_INFINITY;
        expect(Object.values(parsed as object)).toEqual([[expected, text]]);
      }),
      { numRuns: runs(500) },
    );
  });

  test('whatever JavaScript writes is read as JSON.parse reads it', () => {
    const anyNumber = fc.oneof(
      fc.double({ noNaN: true }),
      fc.double({ min: 1e15, max: 1e22 }).map(Math.floor),
    );
    const body = fc.tuple(fc.jsonValue({ stringUnit: 'binary' }), anyNumber, fc.bigInt().map(String));
    fc.assert(
      fc.property(body, (generated) => {
        const text = JSON.stringify(generated);
        expect(value(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(300) },
    );
  });

  test('is found wherever it stands', () => {
    for (let before = 0; before < 40; before++) {
      expect(flawOf(`${' '.repeat(before)}9007199254740993`)).toMatchObject(refused);
      expect(flawOf(`["${'1'.repeat(before)}",-9007199254740993]`)).toMatchObject(refused);
    }
  });
});

/** The integer that the JSON text of a double denotes. */
function writtenInteger(double: number): bigint {
  const [mantissa = '', exponent = '0'] = JSON.stringify(double).split('e+');
  const [integer = '', decimals = ''] = mantissa.split('.');
  return BigInt(integer + decimals) * 10n ** BigInt(Number(exponent) - decimals.length);
}

describe('hostile bodies of 1 MiB', () => {
  const bigInteger = '9007199254740993';
  test.each([
    ['one string', () => `[${bigInteger},"${'x'.repeat(MIB)}"]`],
    ['one string of escaped quotes', () => `[${bigInteger},"${'\\"'.repeat(MIB / 2)}"]`],
    ['one string of backslashes', () => `[${bigInteger},"${'\\\\'.repeat(MIB / 2)}"]`],
    ['empty strings', () => `[${bigInteger}${',""'.repeat(MIB / 3)}]`],
    ['one number', () => `[${bigInteger},${'9'.repeat(MIB)}]`],
    ['big integers', () => `[${bigInteger}${`,${bigInteger}`.repeat(MIB / 17)}]`],
    ['integers of 309 digits', () => `[${bigInteger}${`,${'9'.repeat(309)}`.repeat(MIB / 310)}]`],
    ['nesting', () => `${'['.repeat(MIB / 2)}${bigInteger}${']'.repeat(MIB / 2)}`],
  ])('%s: read, refused, and fast', async (_, write) => {
    const text = write();
    // Some 50 ms where this was written. Anything quadratic takes minutes.
    expect(await cpuMs(() => expect(flawOf(text)).toBeDefined())).toBeLessThan(5000);
  });

  test.each([
    ['an open string', () => `[${bigInteger},"${'x'.repeat(MIB)}`],
    ['open quotes', () => `[${bigInteger},${'"\\'.repeat(MIB / 2)}`],
    ['brackets', () => `[${bigInteger},${'['.repeat(MIB)}`],
    ['signs', () => `[${bigInteger},${'-'.repeat(MIB)}`],
    ['a broken number', () => `[${bigInteger},1${'-+.e'.repeat(MIB / 4)}]`],
  ])('%s: refused as no JSON, and fast', async (_, write) => {
    const refuse = () =>
      expect(decodeJson(encode(write()))).toMatchObject({ ok: false, code: 'invalid_json' });
    expect(await cpuMs(refuse)).toBeLessThan(5000);
  });
});

describe('suspicious', () => {
  test.each(['"\\u0000"', '"\\ud83d"', '"\\uDE00"', '"\\ud83d\\ude00"', '{"\\u0000":1}', '"\\uDfFf"'])(
    '%s needs a look',
    (text) => {
      expect(decode(text).suspicious).toBe(true);
    },
  );

  test.each(['"plain"', '"😀 é"', '"\\u00e9 \\n \\u0001"', '"\\ud7ff \\ue000"', '"u0000"', '[1,2.5e3]'])(
    '%s does not',
    (text) => {
      expect(decode(text).suspicious).toBe(false);
    },
  );

  test('is true whenever a string or key is bad', () => {
    const unit = fc.constantFrom(
      '\0',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      'a',
      '\\',
      '\\u0000',
      'é',
      '😀',
    );
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: unit as never }), fc.boolean(), (generated, upper) => {
        const text = JSON.stringify(generated);
        const body = upper ? text.replace(/\\ud/g, '\\uD') : text;
        fc.pre(isJson(body));
        const parsed: unknown = JSON.parse(body);
        const flaw = checkStorable(parsed, 1000, true);
        expect(flawOf(body, 1000)).toEqual(flaw);
        if (flaw !== undefined) expect(flaw.path).toBe(flaw.path.replace(/\0|\p{Surrogate}/gu, '?'));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('checkStorable', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

  test('counts objects and arrays as levels, the value itself as the first', () => {
    expect(checkStorable(1, 0, false)).toBeUndefined();
    expect(checkStorable({ a: 1 }, 1, false)).toBeUndefined();
    expect(checkStorable({ a: {} }, 1, false)).toEqual({ path: '/a', code: 'too_deep' });
    expect(checkStorable({ a: [{ b: 1 }] }, 3, false)).toBeUndefined();
    expect(checkStorable({ a: [{ b: [] }] }, 3, false)).toEqual({ path: '/a/0/b', code: 'too_deep' });
    expect(checkStorable(nested(MAX_DEPTH), MAX_DEPTH, false)).toBeUndefined();
    expect(checkStorable(nested(MAX_DEPTH + 1), MAX_DEPTH, false)).toMatchObject({ code: 'too_deep' });
  });

  test('points to what is wrong', () => {
    expect(flawOf('{"a":[0,{"b/c~d":1e999}]}')).toEqual({
      path: '/a/1/b~1c~0d',
      code: 'number_out_of_range',
    });
    expect(flawOf('{"a":{"__proto__":"\\u0000"}}')).toEqual({
      path: '/a/__proto__',
      code: 'invalid_unicode',
    });
    expect(flawOf('"\\ud800"')).toEqual({ path: '', code: 'invalid_unicode' });
    expect(flawOf('1e999')).toEqual({ path: '', code: 'number_out_of_range' });
  });

  test('points to the object that has a bad key, not to the key', () => {
    expect(flawOf('{"a":{"\\u0000":1}}')).toEqual({ path: '/a', code: 'invalid_unicode' });
    expect(flawOf('{"\\ud800":1}')).toEqual({ path: '', code: 'invalid_unicode' });
  });

  test('takes proper pairs for what they are', () => {
    expect(flawOf('{"\\ud83d\\ude00":"\\ud83d\\ude00"}')).toBeUndefined();
    expect(flawOf('"\\ude00\\ud83d"')).toMatchObject({ code: 'invalid_unicode' });
  });

  test('looks at numbers in any case, at texts only if they are suspicious', () => {
    expect(checkStorable([Number.NEGATIVE_INFINITY], 1, false)).toMatchObject({ path: '/0' });
    expect(checkStorable(['\0'], 1, false)).toBeUndefined();
    expect(checkStorable(['\0'], 1, true)).toMatchObject({ path: '/0' });
  });

  test('finds the one bad value in any good one', () => {
    const bad = fc.constantFrom<[unknown, string]>(
      ['\0', 'invalid_unicode'],
      ['a\ud800', 'invalid_unicode'],
      [{ '\udc00': 1 }, 'invalid_unicode'],
      [Number.POSITIVE_INFINITY, 'number_out_of_range'],
    );
    const steps = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat(3)), { maxLength: 10 });
    fc.assert(
      fc.property(bad, steps, ([flaw, code], path) => {
        const tree = path.reduceRight<unknown>(
          (inner, step) =>
            typeof step === 'number' ? [...Array(step).fill(0), inner] : Object.fromEntries([[step, inner]]),
          flaw,
        );
        const pointer = path
          .map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`)
          .join('');
        expect(checkStorable(tree, 11, true)).toEqual({ path: pointer, code });
      }),
    );
  });

  test('finds nothing in good values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }), (generated) => {
        expect(checkStorable(generated, MAX_DEPTH, true)).toBeUndefined();
      }),
    );
  });
});
