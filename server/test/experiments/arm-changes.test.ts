import { describe, expect, it } from 'vitest';
import { armChangesOf, readVersion } from '../../src/experiments/arm-changes.js';
import { configWith, experiment } from '../decide/support/fixtures.js';

const PUBLISHED_AT = Date.parse('2026-10-09T10:00:00Z');

/** A version whose value is `height` for arm b. */
function version(number: number, height: number, when = 'experiment("jump") == "b"') {
  const value = {
    ...{ key: 'jump_height', type: { kind: 'integer' as const }, defaultValue: 3, description: '' },
    visibleTo: 'clients' as const,
    rules: [{ when, sharePercent: 100, value: height }],
  };
  const document = configWith({ experiments: [experiment('jump')], values: [value] });
  return readVersion({ version: number, publishedAt: PUBLISHED_AT, document });
}

describe('a publication while an experiment runs', () => {
  it('changes an arm if an entry changes that reads the experiment', () => {
    expect(armChangesOf('jump', version(1, 4), version(2, 5))).toEqual([
      { version: 2, publishedOn: '2026-10-09', entries: ['value:jump_height'] },
    ]);
  });

  it('changes no arm if the entry stays, or reads another experiment', () => {
    expect(armChangesOf('jump', version(1, 4), version(2, 4))).toEqual([]);
    const other = 'experiment("other") == "b"';
    expect(armChangesOf('jump', version(1, 4, other), version(2, 5, other))).toEqual([]);
  });

  it('changes an arm if an entry begins to read the experiment', () => {
    expect(armChangesOf('jump', version(1, 4, 'true'), version(2, 4))).toHaveLength(1);
  });
});
