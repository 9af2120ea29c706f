import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectCounts,
  expectGeneralError,
  playerAggregates,
  storedEvents,
} from '../../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../../support/harness.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('timestamps of events', () => {
  let harness: Harness;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  const send = async (timestamp: string) => {
    const session = await harness.login(`time-${++devices}`);
    const response = await postEvents(harness.app, session, [{ eventType: 'T', timestamp, payload: {} }]);
    return { response, userId: session.userId };
  };
  const keep = async (timestamp: string) => {
    const { response, userId } = await send(timestamp);
    expectCounts(response, { accepted: 1, duplicates: 0 });
    const [row] = await storedEvents(harness.pool, userId);
    return { ...row, row: await playerAggregates(harness.pool, userId) };
  };

  it.each([
    ['2026-11-14T01:02:03.456Z', '2026-11-14 01:02:03.456+00', null],
    ['2026-11-14T01:02:03Z', '2026-11-14 01:02:03+00', '2026-11-14T01:02:03Z'],
    ['2026-11-14T01:02:03.1Z', '2026-11-14 01:02:03.1+00', '2026-11-14T01:02:03.1Z'],
    ['2026-11-14T01:02:03.123456Z', '2026-11-14 01:02:03.123456+00', '2026-11-14T01:02:03.123456Z'],
    ['2026-11-14T01:02:03.999999999Z', '2026-11-14 01:02:03.999999+00', '2026-11-14T01:02:03.999999999Z'],
    ['2026-11-14T01:02:03.000+05:30', '2026-11-13 19:32:03+00', '2026-11-14T01:02:03.000+05:30'],
    ['2026-11-14T01:02:03-23:59', '2026-11-15 01:01:03+00', '2026-11-14T01:02:03-23:59'],
    ['2026-11-14t01:02:03z', '2026-11-14 01:02:03+00', '2026-11-14t01:02:03z'],
    ['2024-02-29T00:00:00.000Z', '2024-02-29 00:00:00+00', null],
  ])('%s is kept as the instant it names, and as sent', async (timestamp, occurredAt, timestampText) => {
    expect(await keep(timestamp)).toMatchObject({ occurredAt, timestampText });
  });

  it.each([
    ['0000-01-01T00:00:00.000Z', '0001-01-01 00:00:00+00 BC'],
    ['0000-12-31T23:59:59.999Z', '0001-12-31 23:59:59.999+00 BC'],
    ['0000-01-01T00:00:00+23:59', '0002-12-31 00:01:00+00 BC'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01 00:00:00+00'],
    ['0001-01-01T00:00:00+01:00', '0001-12-31 23:00:00+00 BC'],
    ['0099-06-01T00:00:00Z', '0099-06-01 00:00:00+00'],
    ['1582-10-10T00:00:00.000Z', '1582-10-10 00:00:00+00'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31 23:59:59.999+00'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31 23:59:59.999999+00'],
    ['1970-01-01T00:00:00.000Z', '1970-01-01 00:00:00+00'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31 23:59:59.999+00'],
    ['9999-12-31T23:59:59.999999999-23:59', '10000-01-01 23:58:59.999999+00'],
  ])('%s is stored and flagged, not refused', async (timestamp, occurredAt) => {
    const kept = await keep(timestamp);
    expect(kept).toMatchObject({ occurredAt, clockSuspect: true });
    // The player was active when the event came in, whatever its clock said.
    const now = harness.clock.now();
    expect(kept.row).toMatchObject({ first_event_at: now, last_event_at: now, event_count: '1' });
  });

  it.each([
    ['an hour ahead', HOUR_MS, false],
    ['just over an hour ahead', HOUR_MS + 1, true],
    ['90 days old', -90 * DAY_MS, false],
    ['just over 90 days old', -90 * DAY_MS - 1, true],
  ])('%s', async (_name, offset, clockSuspect) => {
    const now = harness.clock.now();
    const kept = await keep(new Date(now + offset).toISOString());
    expect(kept.clockSuspect).toBe(clockSuspect);
    const effective = clockSuspect ? now : Math.min(now, now + offset);
    expect(kept.row).toMatchObject({ first_event_at: effective, last_event_at: effective });
  });

  it('a player is never last seen in the future', async () => {
    const kept = await keep(new Date(harness.clock.now() + HOUR_MS / 2).toISOString());
    expect(kept.row.last_event_at).toBe(harness.clock.now());
  });

  it.each([
    '2026-11-14',
    '2026-11-14T01:02:03',
    '2026-11-14 01:02:03Z',
    '2026-11-14T01:02Z',
    '2026-11-14T01:02:03.Z',
    '2026-11-14T01:02:03.1234567890Z',
    '2026-11-14T01:02:03,123Z',
    '2026-11-14T01:02:03+0530',
    '2026-11-14T01:02:03+24:00',
    '2026-11-14T01:02:60Z',
    '2026-11-14T24:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '+002026-11-14T01:02:03Z',
    '-000001-11-14T01:02:03Z',
    '10000-01-01T00:00:00Z',
    ' 2026-11-14T01:02:03Z',
    '2026-11-14T01:02:03Z ',
    '2026-11-14T01:02:03Z\n',
    '٢٠٢٦-11-14T01:02:03Z',
    'Sat, 14 Nov 2026 01:02:03 GMT',
    '1763168523',
    'now',
    'infinity',
  ])('%j is malformed', async (timestamp) => {
    const { response } = await send(timestamp);
    expectGeneralError(response, 400, 'events_rejected');
    expect(response.json().error.rejected).toMatchObject([{ index: 0, code: 'timestamp_malformed' }]);
  });
});
