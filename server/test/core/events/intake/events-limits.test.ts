import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCounts, expectGeneralError, postBytes, storedEvents } from '../../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../../support/harness.js';

// As the contract has them, not as the code does.
const MAX_EVENTS = 500;
const MAX_BODY_BYTES = 1_048_576;
const MAX_EVENT_BYTES = 32_768;
const MAX_DEPTH = 16;

describe('the limits of a batch', () => {
  let harness: Harness;
  let session: Session;
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('limits');
  });
  afterAll(() => harness.close());

  /** The text of an event with this text as its payload; each differs from all others. */
  const eventText = (payload: string) => {
    const timestamp = new Date(harness.clock.now() + ++sent).toISOString();
    return `{"eventType":"L","timestamp":"${timestamp}","payload":${payload}}`;
  };
  const expectAccepted = async (body: string, accepted: number) =>
    expectCounts(await postBytes(harness.app, session, body), { accepted, duplicates: 0 });
  const expectRejected = async (event: string, code: string) => {
    const response = await postBytes(harness.app, session, `[${event},${eventText('{}')}]`);
    expect(response.statusCode, response.body.slice(0, 500)).toBe(202);
    expect(response.json().data).toMatchObject({ accepted: 1, rejected: [{ index: 0, code }] });
  };

  it('takes 500 events', async () => {
    const events = Array.from({ length: MAX_EVENTS }, (_, n) => adImpression(n, harness.clock.now()));
    expectCounts(await postEvents(harness.app, session, events), { accepted: 500, duplicates: 0 });
  });

  it('refuses 501 events, and stores none of them', async () => {
    const other = await harness.login('limits-501');
    const events = Array.from({ length: MAX_EVENTS + 1 }, (_, n) => adImpression(n, harness.clock.now()));
    const response = await postEvents(harness.app, other, events);
    expectGeneralError(response, 413, 'batch_too_large');
    expect(response.json().error.maxEvents).toBe(500);
    expect(await storedEvents(harness.pool, other.userId)).toEqual([]);
  });

  it('takes a body of 1 MiB and not a byte more', async () => {
    const body = `[${eventText('{}')}]`;
    await expectAccepted(body.padEnd(MAX_BODY_BYTES - 1), 1);
    await expectAccepted(`[${eventText('{}')}]`.padEnd(MAX_BODY_BYTES), 1);
    const tooLarge = await postBytes(harness.app, session, body.padEnd(MAX_BODY_BYTES + 1));
    expectGeneralError(tooLarge, 413, 'body_too_large');
  });

  it('takes an event of 32 KiB, counted in bytes, and not a byte more', async () => {
    const overhead = Buffer.byteLength(eventText('{"x":""}'));
    const filled = (bytes: number) => eventText(`{"x":"${'é'.repeat(bytes / 2)}"}`);
    const room = MAX_EVENT_BYTES - overhead;
    const even = room % 2 === 0 ? room : room - 1;
    await expectAccepted(`[${filled(even)}]`, 1);
    await expectRejected(filled(even + 2), 'event_too_large');
  });

  it('white space between the members does not count', () =>
    expectAccepted(`[${eventText(`{"x":${' '.repeat(MAX_EVENT_BYTES)}1}`)}]`, 1));

  it('takes 16 levels, of which the event itself is the first', async () => {
    const nested = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const below = MAX_DEPTH - 2;
    await expectAccepted(`[${eventText(nested(below))}]`, 1);
    await expectRejected(eventText(nested(below + 1)), 'too_deep');
  });

  it.each([5_000, 100_000, 400_000])('%i levels are one bad event, not a crash', async (levels) => {
    const arrays = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    await expectRejected(eventText(`{"x":${arrays}}`), 'too_deep');
    // As the event itself, and as an unknown member that is not even looked at otherwise.
    await expectRejected(arrays, 'event_invalid');
    await expectRejected(eventText(`{},"unknown":${arrays}`), 'too_deep');
    if (levels > 100_000) return;
    await expectRejected(eventText(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), 'too_deep');
  });

  it('a body that only opens brackets is not JSON', async () => {
    const response = await postBytes(harness.app, session, '['.repeat(1_000_000));
    expectGeneralError(response, 400, 'invalid_json');
  });
});
