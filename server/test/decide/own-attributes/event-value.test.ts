import { describe, expect, it } from 'vitest';
import { cutText, eventReader, type FoldedEvent } from '../../../src/decide/own-attributes/event-value.js';
import type { OwnDefinition } from '../../../src/decide/own-attributes/own-definition.js';

const EVENT: FoldedEvent = {
  atMs: 0,
  payload: { level: 7, ratio: 0.5, name: 'x', won: true, empty: null, stats: { kills: 3 }, list: [1] },
  metadata: { clientBuild: '1.4' },
};

const of = (
  member: string | null,
  type: OwnDefinition['type'] = 'integer',
  fold: OwnDefinition['fold'] = 'last',
) => eventReader({ eventType: 'E', member, fold, type })(EVENT);

describe('the value of an event', () => {
  it('is found by its path in payload or metadata', () => {
    expect(of('payload.level')).toBe(7);
    expect(of('payload.stats.kills')).toBe(3);
    expect(of('metadata.clientBuild', 'string')).toBe('1.4');
  });

  it('does not count where it is missing or of another type', () => {
    expect(of('payload.nothing')).toBeUndefined();
    expect(of('payload.level.more')).toBeUndefined();
    expect(of('payload.constructor', 'string')).toBeUndefined();
    expect(of('payload.list.length')).toBeUndefined();
    expect(of('payload.ratio')).toBeUndefined();
    expect(of('payload.level', 'string')).toBeUndefined();
    expect(of('payload.stats', 'integer', 'distinct')).toBeUndefined();
    expect(of('payload.empty', 'integer', 'count')).toBeUndefined();
  });

  it('is the event itself where no member is named', () => {
    expect(of(null, 'integer', 'count')).toBe(true);
  });

  it('is cut to whole characters that fit in 64 bytes of JSON', () => {
    expect(cutText('a'.repeat(64))).toBe('a'.repeat(64));
    expect(cutText('a'.repeat(65))).toBe('a'.repeat(64));
    expect(cutText('😀'.repeat(20))).toBe('😀'.repeat(16));
    expect(cutText('"'.repeat(40))).toBe('"'.repeat(32));
  });
});
