import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventParts, eventIdentity, namedIdentity } from '../../../src/platform/lib/event-identity.js';

const impression: EventParts = {
  playerId: 'p-1',
  eventType: 'Ad_Impression',
  epochMs: 1_714_566_896_789,
  nanos: 0,
  payloadJson: '{"adId":"a"}',
  metadataJson: '{}',
  ordinal: 0,
};

/** Made of what could be mistaken for the format itself. */
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom('0', '1', ':', 'd', 'n', '{', '}', 'é', '😀'), maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const anyParts: fc.Arbitrary<EventParts> = fc.record({
  playerId: anyText,
  eventType: anyText,
  epochMs: fc.integer({ min: -200, max: 200 }),
  nanos: fc.nat(20),
  payloadJson: anyText,
  metadataJson: anyText,
  ordinal: fc.nat(20),
});

/** The same characters in all, but the fields end elsewhere. */
function moveBoundary(parts: EventParts, joint: number, by: number): EventParts {
  const texts = [parts.playerId, parts.eventType, parts.payloadJson, parts.metadataJson];
  const left = [...(texts[joint] ?? '')];
  const right = [...(texts[joint + 1] ?? '')];
  const both = [...left, ...right];
  const cut = Math.max(0, Math.min(both.length, left.length + by));
  texts[joint] = both.slice(0, cut).join('');
  texts[joint + 1] = both.slice(cut).join('');
  const [playerId = '', eventType = '', payloadJson = '', metadataJson = ''] = texts;
  return { ...parts, playerId, eventType, payloadJson, metadataJson };
}

describe('eventIdentity', () => {
  // These two are promises to batches that are already stored: whoever has to change them counts events twice.
  test('is what it always was', () => {
    expect(eventIdentity(impression)).toBe('e4cac409c0dfd9d858d3c234e23fc96a');
    expect(namedIdentity('p-1', 'e-1')).toBe('e5b0bd8c29d61c07094bcebfcc5f3528');
  });

  test('is 32 lower-case hex digits', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        expect(eventIdentity(parts)).toMatch(/^[0-9a-f]{32}$/);
        expect(namedIdentity(parts.playerId, parts.eventType)).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });

  test.each<Partial<EventParts>>([
    { playerId: 'p-2' },
    { eventType: 'ad_impression' },
    { epochMs: impression.epochMs + 1 },
    { epochMs: -impression.epochMs },
    { nanos: 1 },
    { payloadJson: '{"adId":"b"}' },
    { metadataJson: '{"a":1}' },
    { ordinal: 1 },
  ])('depends on %o', (change) => {
    expect(eventIdentity({ ...impression, ...change })).not.toBe(eventIdentity(impression));
  });

  test('is the same for equal parts and different for others', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (one, other) => {
        const areEqual = JSON.stringify(one) === JSON.stringify(other);
        expect(eventIdentity({ ...one })).toBe(eventIdentity(one));
        expect(eventIdentity(one) === eventIdentity(other)).toBe(areEqual);
      }),
      { numRuns: 1000 },
    );
  });

  test('depends on where each text ends', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(2), fc.integer({ min: -6, max: 6 }), (parts, joint, by) => {
        const moved = moveBoundary(parts, joint, by);
        fc.pre(JSON.stringify(moved) !== JSON.stringify(parts));
        expect(eventIdentity(moved)).not.toBe(eventIdentity(parts));
      }),
      { numRuns: 1000 },
    );
  });

  test('depends on which number is which', () => {
    const identities = [
      eventIdentity({ ...impression, epochMs: 1, nanos: 23, ordinal: 4 }),
      eventIdentity({ ...impression, epochMs: 12, nanos: 3, ordinal: 4 }),
      eventIdentity({ ...impression, epochMs: 1, nanos: 2, ordinal: 34 }),
      eventIdentity({ ...impression, epochMs: 1, nanos: 4, ordinal: 23 }),
    ];
    expect(new Set(identities).size).toBe(identities.length);
  });
});

describe('namedIdentity', () => {
  test('is one name of one player', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (player, name, otherPlayer, otherName) => {
        const areEqual = player === otherPlayer && name === otherName;
        expect(namedIdentity(player, name) === namedIdentity(otherPlayer, otherName)).toBe(areEqual);
      }),
      { numRuns: 1000 },
    );
    expect(namedIdentity('p1', '1e')).not.toBe(namedIdentity('p11', 'e'));
    expect(namedIdentity('p1', '1e')).not.toBe(namedIdentity('p', '11e'));
  });

  test('is never a derived identity, even for a name that imitates one', () => {
    const { epochMs, nanos, ordinal, playerId, eventType, payloadJson, metadataJson } = impression;
    const lengths = `${playerId.length}:${eventType.length}:${payloadJson.length}`;
    const texts = `${playerId}${eventType}${payloadJson}${metadataJson}`;
    const imitation = `${epochMs}:${nanos}:${ordinal}:${lengths}:${texts}`;
    for (const name of [imitation, `d:${imitation}`, `:${imitation}`, texts]) {
      expect(namedIdentity('', name)).not.toBe(eventIdentity(impression));
      expect(namedIdentity(playerId, name)).not.toBe(eventIdentity(impression));
    }
  });
});
