import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/platform/lib/canonical-json.js';
import {
  expectCounts,
  expectGeneralError,
  postBytes,
  storedEvents,
  withoutRateLimits,
} from '../../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../../support/harness.js';

const BAD_TEXT = [
  '\\u0000',
  'a\\u0000b',
  '\\ud800',
  '\\udc00',
  '\\udc00\\ud800',
  'x\\uD83Dx',
  '\\ud800\\ud800',
];

describe('hostile values in events', () => {
  let harness: Harness;
  let session: Session;
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    session = await harness.login('hostile');
  });
  afterAll(() => harness.close());

  const nextTimestamp = () => new Date(harness.clock.now() + ++sent).toISOString();
  const eventText = (payload: string, members = '') =>
    `{"eventType":"H","timestamp":"${nextTimestamp()}","payload":${payload}${members}}`;
  const newestPayload = async () => (await storedEvents(harness.pool, session.userId)).at(-1)?.payload;

  const expectStored = async (payload: string, value: unknown) => {
    expectCounts(await postBytes(harness.app, session, `[${eventText(payload)}]`), {
      accepted: 1,
      duplicates: 0,
    });
    // As text, because `toEqual` does not look at a member named __proto__.
    expect(canonicalJson(await newestPayload())).toBe(canonicalJson(value));
  };
  /** Beside a good event, which must not suffer. */
  const expectRejected = async (event: string, code: string) => {
    const response = await postBytes(harness.app, session, `[${event},${eventText('{"good":true}')}]`);
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data).toMatchObject({ accepted: 1, rejected: [{ index: 0, code }] });
    expect(await newestPayload()).toEqual({ good: true });
  };

  describe.each(BAD_TEXT)('%s', (text) => {
    it('is refused in a value, a key, an array, metadata, eventType, eventId and unknown members', async () => {
      for (const event of [
        eventText(`{"x":"${text}"}`),
        eventText(`{"${text}":1}`),
        eventText(`{"x":["a",{"b":"${text}"}]}`),
        eventText('{}', `,"metadata":{"x":"${text}"}`),
        eventText('{}', `,"eventId":"${text}"`),
        eventText('{}', `,"eventType":"${text}"`),
        eventText('{}', `,"unknown":"${text}"`),
        eventText('{}', `,"${text}":1`),
      ]) {
        await expectRejected(event, 'invalid_unicode');
      }
    });
  });

  it('proper pairs and all other characters are kept', async () => {
    await expectStored('{"x":"\\ud83d\\ude00\\uFFFF\\u0001\\u2028"}', { x: '😀\uffff\u0001\u2028' });
  });

  it.each([
    '1e400',
    '-1e400',
    '9007199254740993',
    '-9007199254740993',
    '1e131071',
    `1${'0'.repeat(400)}`,
    '18446744073709551615',
  ])('%s cannot be stored exactly', (number) =>
    expectRejected(eventText(`{"x":[${number}]}`), 'number_out_of_range'),
  );

  it('a thousand numbers of 131,072 digits are refused, not unpacked', async () => {
    const numbers = Array.from({ length: 1000 }, () => '1e131071').join(',');
    await expectRejected(eventText(`{"x":[${numbers}]}`), 'number_out_of_range');
  });

  it.each([
    ['9007199254740992', 9_007_199_254_740_992],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['0.1', 0.1],
    ['1E+2', 100],
    ['10000000000000000000000', 1e22],
  ])('%s can', (text, value) => expectStored(`{"x":${text}}`, { x: value }));

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', 'then', 'length', ''])(
    'a member named "%s" is like any other',
    async (name) => {
      await expectStored(`{"${name}":{"a":1}}`, JSON.parse(`{"${name}":{"a":1}}`));
      expectCounts(
        await postBytes(harness.app, session, `[${eventText('{}', `,"${name}":{"payload":1}`)}]`),
        {
          accepted: 1,
          duplicates: 0,
        },
      );
    },
  );

  it('a required member is not found on a prototype', async () => {
    const inherited = `{"__proto__":${eventText('{}')}}`;
    await expectRejected(inherited, 'event_type_invalid');
    expect(({} as Record<string, unknown>).payload).toBeUndefined();
  });

  it('of duplicate keys the last counts', () => expectStored('{"a":1,"a":{"b":1,"b":2}}', { a: { b: 2 } }));

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('%s is not UTF-8', async (_name, bytes) => {
    const [before = '', after = ''] = `[${eventText('{"x":"@"}')}]`.split('@');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expectGeneralError(await postBytes(harness.app, session, body), 400, 'invalid_utf8');
  });

  it('a leading byte order mark is taken away, UTF-16 is refused', async () => {
    const text = `[${eventText('{}')}]`;
    expectCounts(await postBytes(harness.app, session, `\ufeff${text}`), { accepted: 1, duplicates: 0 });
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    expectGeneralError(await postBytes(harness.app, session, utf16), 400, 'invalid_utf8');
  });

  it('whatever is accepted reads back equal', async () => {
    const json = () => fc.object({ maxDepth: 4, maxKeys: 6, values: jsonValues(), key: keys() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ payload: json(), metadata: json() }), { minLength: 1, maxLength: 5 }),
        async (parts) => {
          const player = await harness.login(`property-${++sent}`);
          const events = parts.map((part) => ({ eventType: 'P', timestamp: nextTimestamp(), ...part }));
          const response = await postEvents(harness.app, player, events);
          expectCounts(response, { accepted: events.length, duplicates: 0 });
          const stored = await storedEvents(harness.pool, player.userId);
          expect(stored.map(({ payload, metadata }) => canonicalJson({ payload, metadata }))).toEqual(
            parts.map((part) => canonicalJson(JSON.parse(JSON.stringify(part)))),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

const texts = () => fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '0'));

const keys = () => fc.oneof(texts(), fc.constantFrom('__proto__', 'constructor', 'toString', 'payload', ''));

/** JSON has no minus zero, and JSON.stringify turns what is not finite into null. */
const jsonValues = () => [
  texts(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('__proto__', 'constructor', 'NULL', '{}', '\\', '"', "'", '$1', '%s'),
];
