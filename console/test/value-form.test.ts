import { describe, expect, it } from 'vitest';
import type { GameValue } from '../src/lib/document.js';
import {
  numberOf,
  shownValue,
  typeInWords,
  withAllowed,
  withBound,
  withKind,
} from '../src/lib/value-form.js';

const jump: GameValue = {
  key: 'jump',
  type: { kind: 'integer', minimum: 1 },
  defaultValue: 3,
  description: '',
  visibleTo: 'clients',
  rules: [{ when: null, sharePercent: 20, value: 5 }],
};

describe('the form of a value', () => {
  it('begins anew with another kind of type, so that the draft stays valid', () => {
    expect(withKind(jump, 'boolean')).toEqual({
      ...jump,
      type: { kind: 'boolean' },
      defaultValue: false,
      rules: [{ when: null, sharePercent: 20, value: false }],
    });
    expect(withKind(jump, 'json')).toMatchObject({
      type: { kind: 'json', schema: { type: 'object' } },
      defaultValue: {},
    });
  });

  it('sets bounds and takes them away', () => {
    expect(withBound(jump.type, 'maximum', '9')).toEqual({ kind: 'integer', minimum: 1, maximum: 9 });
    expect(withBound(jump.type, 'minimum', '')).toEqual({ kind: 'integer' });
    expect(withBound('string', 'maxLength', '5')).toEqual({ kind: 'string', maxLength: 5 });
    expect(withAllowed('string', 'easy\nhard\n')).toEqual({ kind: 'string', enum: ['easy', 'hard'] });
    expect(withAllowed('integer', '1\n2')).toEqual({ kind: 'integer', enum: [1, 2] });
    expect(withAllowed({ kind: 'string', enum: ['a'] }, '')).toEqual({ kind: 'string' });
  });

  it('keeps what is no number as text, for the service to say so', () => {
    expect(['3', ' 1,5 ', '-2', '1.'].map(numberOf)).toEqual([3, 1.5, -2, 1]);
    expect(['', 'high', '1e999'].map(numberOf)).toEqual(['', 'high', '1e999']);
  });

  it('says types and values in words', () => {
    expect(
      [
        jump.type,
        withBound(jump.type, 'maximum', '9'),
        'boolean' as const,
        withAllowed('string', 'a\nb'),
      ].map(typeInWords),
    ).toEqual(['whole number, at least 1', 'whole number, 1 to 9', 'switch', 'text: a, b']);
    expect(typeInWords({ kind: 'string', maxLength: 5 })).toBe('text, at most 5 characters');
    expect(typeInWords({ kind: 'json', schema: true })).toBe('JSON');
    expect(shownValue('x'.repeat(80))).toBe(`${'x'.repeat(59)}…`);
    expect(shownValue({ x: 1 })).toBe('{"x":1}');
  });
});
