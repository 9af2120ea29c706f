import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonMembers, sliceJsonArray } from '../../../src/platform/lib/json-slices.js';
import { cpuMs } from '../../support/cpu-time.js';

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** JSON texts of any shape, with white space wherever it may stand and numbers that no double holds. */
const { element } = fc.letrec<{ element: string }>((tie) => {
  const padded = fc.tuple(space, tie('element'), space).map((parts) => parts.join(''));
  const list = (open: string, items: fc.Arbitrary<string>, close: string) =>
    fc.array(items, { maxLength: 4 }).map((texts) => `${open}${texts.join(',')}${close}`);
  return {
    element: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', '-0.0', '1E+2', '1e400', '9007199254740993', '[ ]', '{\n}'),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      fc.stringMatching(/^(?:[\][{},: a]|\\\\|\\"|\\u005[bBcCdD]){0,12}$/).map((text) => `"${text}"`),
      list('[', padded, ']'),
      list(
        '{',
        fc
          .tuple(space, fc.string(), padded)
          .map(([before, key, value]) => `${before}${JSON.stringify(key)} :${value}`),
        '}',
      ),
    ),
  };
});

describe('sliceJsonArray', () => {
  it('gives back the very text of each element', () => {
    const spaced = fc.tuple(space, element, space);
    fc.assert(
      fc.property(fc.array(spaced, { maxLength: 6 }), space, (elements, around) => {
        const body = elements.map((parts) => parts.join('')).join(',');
        const text = `${around}[${elements.length === 0 ? around : body}]${around}`;
        expect(JSON.parse(text)).toHaveLength(elements.length);
        expect(sliceJsonArray(text)).toEqual(elements.map(([, source]) => source));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['[]', []],
    [' [ \n] ', []],
    ['[1]', ['1']],
    ['[ "a,]" , {"b":[1,{"c":"}"}]} ,[[]]]', ['"a,]"', '{"b":[1,{"c":"}"}]}', '[[]]']],
    ['["\\\\","\\"",""]', ['"\\\\"', '"\\""', '""']],
  ])('%s', (text, slices) => {
    expect(sliceJsonArray(text)).toEqual(slices);
  });

  it('takes time in proportion to the text, whatever is in it', async () => {
    for (const unit of ['[', '"\\\\\\\\",', '\\"', '{"a":', ' ']) {
      const text = `[${unit.repeat(Math.floor(1_000_000 / unit.length))}`;
      expect(await cpuMs(() => sliceJsonArray(text)), unit).toBeLessThan(1_000);
    }
  });
});

describe('jsonMembers', () => {
  it('gives back the name of each member and the very text of its value', () => {
    const member = fc.tuple(space, fc.string({ unit: 'binary' }), space, space, element, space);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), space, (members, around) => {
        const body = members.map(
          ([before, name, after, ahead, value, behind]) =>
            `${before}${JSON.stringify(name)}${after}:${ahead}${value}${behind}`,
        );
        const text = `${around}{${members.length === 0 ? around : body.join(',')}}${around}`;
        expect(JSON.parse(text)).toBeTypeOf('object');
        expect([...jsonMembers(text)]).toEqual(members.map(([, name, , , value]) => [name, value]));
      }),
      { numRuns: 2_000 },
    );
  });
});
