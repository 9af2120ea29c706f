import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedEvent } from '../../../src/core/events/intake/event-record.js';
import { decodeMessage, encodeMessage, type QueuedMessage } from '../../../src/operations/queue/message.js';
import { partitionOf } from '../../../src/operations/queue/stream.js';
import { bucketOfUser } from '../../../src/platform/lib/player-buckets.js';

const USER = '01980000-0000-7000-8000-00000000abcd';
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const text = fc.string({ unit: 'grapheme' });
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });

/** Small: each event has to fit the smallest message below. */
const json = fc
  .dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 2 })
  .map((value) => JSON.stringify(value));

const checkedEvent: fc.Arbitrary<CheckedEvent> = fc
  .record({
    identity: hex(32),
    sequence: fc.option(fc.integer({ min: 1 })),
    ordinal: fc.nat(3),
    occurredAtMs: time,
    playMs: fc.nat(1_000),
    eventId: fc.option(text),
    eventType: text,
    occurredAt: fc.constant('2026-11-15T01:02:03.456Z'),
    receivedAtMs: time,
    agoMs: fc.nat(90 * 86_400_000),
    clockSuspect: fc.boolean(),
    timestampText: fc.option(text),
    payloadJson: json,
    metadataJson: json,
    transaction: fc.constant(null),
    profile: fc.option(fc.constant({ country: 'DE' })),
  })
  .map(({ agoMs, ...event }) => ({
    ...event,
    effectiveAtMs: event.clockSuspect ? event.receivedAtMs : event.receivedAtMs - agoMs,
  }));
const eventsMessage = (list: CheckedEvent[]): QueuedMessage => ({
  kind: 'events',
  userId: USER,
  source: { installId: 'install', clientBuild: '1.42' },
  events: list,
  rejectedSequences: [7],
});
const events = fc
  .array(checkedEvent, { minLength: 1, maxLength: 20 })
  .map((list): QueuedMessage => eventsMessage(list));
const failures = fc
  .array(
    fc.record({
      fingerprint: hex(32),
      ordinal: fc.nat(100),
      code: fc.constant('payload_invalid' as const),
      message: text,
      path: text,
      eventType: fc.option(text),
      transactionId: fc.option(text),
      raw: text,
      isCut: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .chain((list) =>
    fc.boolean().map(
      (isServer): QueuedMessage => ({
        kind: 'failures',
        userId: USER,
        receivedAtMs: 1,
        clientBuild: null,
        isServer,
        failures: list,
      }),
    ),
  );

const items = (message: QueuedMessage | undefined): readonly unknown[] =>
  message?.kind === 'events' ? message.events : (message?.failures ?? []);

describe('a message', () => {
  it('says what was put into it', () => {
    fc.assert(
      fc.property(fc.oneof(events, failures), (message) => {
        const [only, ...more] = encodeMessage(message, 1_000_000);
        expect(more).toEqual([]);
        expect(decodeMessage(only?.body ?? Buffer.alloc(0))).toEqual(message);
      }),
    );
  });

  it('is split under the limit, in order, with nothing lost and nothing twice', () => {
    fc.assert(
      fc.property(
        fc.oneof(events, failures),
        fc.integer({ min: 5_000, max: 10_000 }),
        (message, maxBytes) => {
          const parts = encodeMessage(message, maxBytes);
          for (const { body } of parts) expect(body.length).toBeLessThanOrEqual(maxBytes);
          expect(parts.flatMap(({ body }) => items(decodeMessage(body)))).toEqual(items(message));
        },
      ),
    );
  });

  it('has the same id for the same events, whenever they came, and another for others', () => {
    fc.assert(
      fc.property(events, (message) => {
        if (message.kind !== 'events') return;
        const [first] = encodeMessage(message, 1_000_000);
        const later = message.events.map((event) => ({ ...event, receivedAtMs: event.receivedAtMs + 1 }));
        const [again] = encodeMessage({ ...message, events: later }, 1_000_000);
        expect(again?.id).toBe(first?.id);
        const [more] = encodeMessage(
          { ...message, events: [...message.events, ...message.events] },
          1_000_000,
        );
        expect(more?.id).not.toBe(first?.id);
      }),
    );
  });

  const [good] = encodeMessage(eventsMessage(fc.sample(checkedEvent, 1)), 1_000_000);
  const parsed = JSON.parse(Buffer.from(good?.body ?? '').toString());
  it.each<[string, unknown]>([
    ['no JSON', '{"v":1'],
    ['no object', 'null'],
    ['another version', { ...parsed, v: 2 }],
    ['no source', { ...parsed, source: null }],
    ['a number below 1', { ...parsed, events: [{ ...parsed.events[0], sequence: 0 }] }],
    [
      'an event without identity and number',
      { ...parsed, events: [{ ...parsed.events[0], identity: null, sequence: null }] },
    ],
    ['another kind', { ...parsed, kind: 'orders' }],
    ['no player', { ...parsed, userId: "' or true --" }],
    ['no events', { ...parsed, events: {} }],
    ['an event without an identity', { ...parsed, events: [{ ...parsed.events[0], identity: 'x' }] }],
    ['a time that no date can hold', { ...parsed, events: [{ ...parsed.events[0], receivedAtMs: 9e15 }] }],
    ['a payload that is not text', { ...parsed, events: [{ ...parsed.events[0], payloadJson: {} }] }],
    ['a payload without members', { ...parsed, events: [{ ...parsed.events[0], payloadJson: 'null' }] }],
    ['an empty profile', { ...parsed, events: [{ ...parsed.events[0], profile: {} }] }],
    ['a profile of no texts', { ...parsed, events: [{ ...parsed.events[0], profile: { country: 1 } }] }],
    [
      'an event that counts after its receipt',
      { ...parsed, events: [{ ...parsed.events[0], effectiveAtMs: parsed.events[0].receivedAtMs + 1 }] },
    ],
    [
      'a clock that is believed and not',
      {
        ...parsed,
        events: [
          {
            ...parsed.events[0],
            clockSuspect: true,
            effectiveAtMs: parsed.events[0].receivedAtMs - 1,
          },
        ],
      },
    ],
    [
      'failures that are none',
      { ...parsed, kind: 'failures', failures: [{}], receivedAtMs: 1, clientBuild: null },
    ],
  ])('with %s is none', (_, content) => {
    const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    expect(decodeMessage(body)).toBeUndefined();
  });

  it('that is not UTF-8 is none', () => {
    expect(decodeMessage(Buffer.from([0xff, 0xfe]))).toBeUndefined();
  });

  it('of a single event too large for any message is a mistake of ours, and said to be', () => {
    expect(() => encodeMessage(eventsMessage(fc.sample(checkedEvent, 1)), 100)).toThrow(/single event/);
  });
});

describe('the partition of a player', () => {
  it('never changes: players would be in two places after an upgrade', () => {
    expect(partitionOf('01980000-0000-7000-8000-00000000abcd', 16)).toBe(4);
    expect(partitionOf('', 16)).toBe(5);
  });

  it('holds whole buckets, also where the buckets cannot be shared out evenly', () => {
    const userId = '01980000-0000-7000-8000-00000000abcd';
    for (const partitions of [1, 5, 16, 64]) {
      expect(partitionOf(userId, partitions)).toBe(bucketOfUser(userId) % partitions);
    }
  });

  it('is one of those there are, and all are used about equally', () => {
    const counts = new Map<number, number>();
    for (let n = 0; n < 16_000; n++) {
      const userId = `0198${(n * 7919).toString(16).padStart(4, '0')}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
      const partition = partitionOf(userId, 16);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, n) => n));
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});
