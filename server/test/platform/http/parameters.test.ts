import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { readParameters } from '../../../src/platform/http/parameters.js';

const SCHEMA = Type.Object({
  game: Type.String(),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: Type.Optional(Type.Integer()),
  format: Type.Optional(Type.Union([Type.Literal('json'), Type.Literal('csv')])),
});
const read = (given: Record<string, unknown>) => readParameters(SCHEMA, { game: 'g', ...given });

describe('parameters of an address', () => {
  it('are numbers where the schema says so, and have defaults', () => {
    expect(read({})).toEqual({ game: 'g', limit: 50 });
    expect(read({ limit: '7', before: '0', format: 'csv', other: 'x' })).toEqual({
      game: 'g',
      limit: 7,
      before: 0,
      format: 'csv',
    });
  });

  it.each([
    [{ limit: '0' }, 'limit must be a whole number from 1 to 200, given once.'],
    [{ limit: '201' }, 'limit must be a whole number from 1 to 200, given once.'],
    [{ limit: '' }, 'limit must be a whole number from 1 to 200, given once.'],
    [{ limit: '1e2' }, 'limit must be a whole number from 1 to 200, given once.'],
    [{ limit: ['1', '2'] }, 'limit must be a whole number from 1 to 200, given once.'],
    [{ before: '2147483648' }, 'before must be a whole number from 0 to 2147483647, given once.'],
    [{ before: '-1' }, 'before must be a whole number from 0 to 2147483647, given once.'],
    [{ format: 'xml' }, 'format must be json or csv, given once.'],
    [{ format: ['csv', 'csv'] }, 'format must be json or csv, given once.'],
    [{ game: ['a', 'b'] }, 'game must be a text, given once.'],
    [{ game: undefined }, 'game must be a text, given once.'],
  ])('are refused: %j', (given, message) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ code: 'parameter_invalid', message }));
  });

  it('are never anything but what the schema allows, whatever is given', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('limit', 'before', 'format', '__proto__'), fc.anything()),
        (given) => {
          let parameters: Record<string, unknown>;
          try {
            parameters = read(given);
          } catch (error) {
            expect(error).toMatchObject({ code: 'parameter_invalid' });
            return;
          }
          expect(Object.keys(parameters).every((name) => name in SCHEMA.properties)).toBe(true);
          expect(parameters.limit).toSatisfy((n) => Number.isInteger(n) && n >= 1 && n <= 200);
        },
      ),
    );
  });
});
