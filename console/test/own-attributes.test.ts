import { describe, expect, it } from 'vitest';
import type { OwnAttribute } from '../src/lib/document.js';
import { inWords, pathsOf, typesOf, withFold, withOwn } from '../src/lib/own-attributes.js';

const LEVEL: OwnAttribute = {
  attributeId: 'level',
  description: '',
  eventType: 'Level_Up',
  member: 'payload.level',
  fold: 'last',
  type: 'string',
};

describe('an own attribute in the console', () => {
  it('keeps its type only if another fold can have it', () => {
    expect(withFold(LEVEL, 'first').type).toBe('string');
    expect(withFold(LEVEL, 'sum').type).toBe('integer');
    expect(typesOf('count').map(({ value }) => value)).toEqual(['integer']);
    expect(withFold({ ...LEVEL, fold: 'count', member: null }, 'max').member).toBe('payload.');
  });

  it('is told in words', () => {
    expect(inWords(LEVEL)).toBe('the last payload.level of Level_Up');
    expect(inWords({ ...LEVEL, fold: 'count', member: null })).toBe('how many Level_Up events');
  });

  it('is offered to rules with its windows', () => {
    const kills: OwnAttribute = { ...LEVEL, attributeId: 'kills', fold: 'count', type: 'integer' };
    expect(pathsOf(kills)).toEqual(['kills.total', 'kills.last7d', 'kills.last28d']);
    const [own] = withOwn([], [LEVEL, kills]);
    expect(own?.fields.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'level: string',
      'kills.total: int',
      'kills.last7d: int',
      'kills.last28d: int',
    ]);
    expect(withOwn([], [])).toEqual([]);
  });
});
