import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SumRow, sumEvents } from '../../../../src/core/events/apply/event-sums.js';
import { checkEvents } from '../../../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../../../src/core/events/intake/event-record.js';

const NOON = Date.parse('2026-11-15T12:00:00.000Z');
const ALICE = { playerId: '1', gameId: 7 };
const BOB = { playerId: '2', gameId: 7 };

const eventAt = (timestamp: string, more: Record<string, unknown> = {}) => ({
  eventType: 'Level_Up',
  timestamp,
  payload: {},
  ...more,
});

function records(events: readonly unknown[], player = ALICE): EventRecord[] {
  const checked = checkEvents({ events, bytes: 0, suspicious: true }, { userId: player.playerId }, NOON);
  expect(checked.rejected).toEqual([]);
  return recordsOfPlayer(checked.events, player);
}

describe('sums of events', () => {
  it('one row speaks for the player and the day, and says only what there is', () => {
    expect(sumEvents(records([eventAt('2026-11-15T11:00:00.000Z')]))).toEqual({
      playerIds: ['1'],
      rows: [
        {
          playerId: '1',
          gameId: 7,
          day: '2026-11-15',
          events: 1,
          eventType: 'Level_Up',
          firstAt: '2026-11-15T11:00:00.000Z',
        },
      ],
      types: [{ gameId: 7, day: '2026-11-15', eventType: 'Level_Up', events: 1 }],
    });
  });

  it('counts each type, the time played and the profile', () => {
    const metadata = { country: 'DE' };
    const { rows, types } = sumEvents(
      records([
        eventAt('2026-11-15T10:00:00.000Z', {
          eventType: 'Session_Start',
          metadata: { country: 'FR', locale: 'fr' },
        }),
        eventAt('2026-11-15T11:00:00.000Z', {
          eventType: 'Session_End',
          payload: { durationMs: 2.5 },
          metadata,
        }),
        eventAt('2026-11-15T10:30:00.000Z', { eventType: 'Session_End', payload: { durationMs: 1e12 } }),
        eventAt('2026-11-15T10:31:00.000Z', { eventType: 'Session_End' }),
        eventAt('2026-11-15T10:32:00.000Z', { eventType: 'Ad_Impression' }),
        eventAt('2026-11-15T10:33:00.000Z', { eventType: 'Store_View' }),
      ]),
    );
    expect(rows).toEqual([
      {
        playerId: '1',
        gameId: 7,
        day: '2026-11-15',
        events: 6,
        counts: { Session_Start: 1, Session_End: 3, Ad_Impression: 1, Store_View: 1 },
        eventTypes: ['Session_Start', 'Session_End', 'Ad_Impression', 'Store_View'],
        sessions: 1,
        adImpressions: 1,
        storeViews: 1,
        playMs: 86_400_003,
        firstAt: '2026-11-15T10:00:00.000Z',
        lastAt: '2026-11-15T11:00:00.000Z',
        profile: {
          country: { v: 'DE', t: Date.parse('2026-11-15T11:00:00.000Z') },
          locale: { v: 'fr', t: Date.parse('2026-11-15T10:00:00.000Z') },
        },
        profileUntil: '2026-11-15T11:00:00.000Z',
        profileSince: '2026-11-15T10:00:00.000Z',
      },
    ]);
    expect(types).toHaveLength(4);
  });

  it('has a row for the player and one for each day where there are several', () => {
    const { rows } = sumEvents(
      records([
        eventAt('2026-11-15T00:00:00.000Z'),
        eventAt('2026-11-14T23:59:59.999Z', { eventType: 'Store_View' }),
        eventAt('2026-11-14T20:00:00.000Z'),
      ]),
    );
    expect(rows).toEqual([
      {
        ...{
          playerId: '1',
          gameId: 7,
          day: '2026-11-14',
          onlyAbout: 'player',
          events: 3,
          counts: { Level_Up: 2, Store_View: 1 },
        },
        ...{
          eventTypes: ['Level_Up', 'Store_View'],
          severalDays: '{[2026-11-15,2026-11-15],[2026-11-14,2026-11-14]}',
        },
        firstAt: '2026-11-14T20:00:00.000Z',
        lastAt: '2026-11-15T00:00:00.000Z',
      },
      { playerId: '1', gameId: 7, day: '2026-11-15', onlyAbout: 'day', events: 1, eventType: 'Level_Up' },
      {
        playerId: '1',
        gameId: 7,
        day: '2026-11-14',
        onlyAbout: 'day',
        events: 2,
        counts: { Store_View: 1, Level_Up: 1 },
        eventTypes: ['Store_View', 'Level_Up'],
        storeViews: 1,
      },
    ]);
  });

  it('has the source of the earliest event that tells one, whatever the order', () => {
    const reportAt = (time: string, metadata: object) => eventAt(time, { metadata });
    const events = [
      reportAt('2026-11-15T01:00:00.000Z', { source: 'friends', country: 'DE' }),
      reportAt('2026-11-14T23:00:00.000Z', { source: 'search' }),
      reportAt('2026-11-14T23:00:00.000Z', { source: 'ads' }),
      reportAt('2026-11-14T22:00:00.000Z', {}),
    ];
    const first = { source: 'ads', sourceAt: '2026-11-14T23:00:00.000Z' };
    for (const order of [events, events.toReversed()]) {
      const [player, ...days] = sumEvents(records(order)).rows;
      expect(player).toMatchObject({ onlyAbout: 'player', ...first });
      for (const day of days) expect(day).not.toHaveProperty('source');
    }
    // A source alone is no profile.
    const [only] = sumEvents(records(events.slice(1, 2))).rows;
    expect(only).toMatchObject({ source: 'search', sourceAt: '2026-11-14T23:00:00.000Z' });
    expect(only).not.toHaveProperty('profile');
  });

  it('has what each day reported, and of all days what was reported last', () => {
    const reportAt = (time: string, metadata: object) => eventAt(time, { metadata });
    const { rows } = sumEvents(
      records([
        reportAt('2026-11-15T01:00:00.000Z', { clientBuild: '1.9' }),
        reportAt('2026-11-14T23:00:00.000Z', { clientBuild: '2.0', country: 'DE' }),
      ]),
    );
    const [oneHour, elevenAtNight] = [Date.UTC(2026, 10, 15, 1), Date.UTC(2026, 10, 14, 23)];
    const country = { v: 'DE', t: elevenAtNight };
    expect(rows.map(({ onlyAbout, day, profile }) => ({ onlyAbout, day, profile }))).toEqual([
      { onlyAbout: 'player', day: '2026-11-14', profile: { clientBuild: { v: '1.9', t: oneHour }, country } },
      { onlyAbout: 'day', day: '2026-11-15', profile: { clientBuild: { v: '1.9', t: oneHour } } },
      {
        onlyAbout: 'day',
        day: '2026-11-14',
        profile: { clientBuild: { v: '2.0', t: elevenAtNight }, country },
      },
    ]);
  });

  it.each([
    ['an hour ahead counts at its receipt', '2026-11-15T12:30:00.000Z', '2026-11-15T12:00:00.000Z'],
    [
      'a clock that is not believed counts at its receipt',
      '1999-01-01T00:00:00.000Z',
      '2026-11-15T12:00:00.000Z',
    ],
    ['microseconds are kept', '2026-11-15T11:00:00.123456Z', '2026-11-15T11:00:00.123456Z'],
  ])('%s', (_, timestamp, first) => {
    const [row] = sumEvents(records([eventAt(timestamp)])).rows;
    expect(row?.firstAt).toBe(first);
    expect(row?.day).toBe('2026-11-15');
  });

  it('tells the first and the last by the microsecond', () => {
    const times = ['.5Z', '.5001Z', '.500Z', '.499999Z'].map((end) => `2026-11-15T11:00:00${end}`);
    const [row] = sumEvents(records(times.map((time) => eventAt(time)))).rows;
    expect([row?.firstAt, row?.lastAt]).toEqual([
      '2026-11-15T11:00:00.499999Z',
      '2026-11-15T11:00:00.500100Z',
    ]);
  });

  it('tells events of one time apart by their receipt, in any order', () => {
    const timestamp = '2026-11-15T12:00:00.000900Z';
    const [early] = records([eventAt(timestamp)]);
    if (early === undefined) throw new Error('there is no event');
    // Received before it happened, it counts at its receipt; received later, at its own time.
    const late = { ...early, receivedAtMs: NOON + 5 };
    for (const order of [
      [early, late],
      [late, early],
    ]) {
      const [row] = sumEvents(order).rows;
      expect([row?.firstAt, row?.lastAt]).toEqual(['2026-11-15T12:00:00.000Z', timestamp]);
    }
  });

  it('of two profiles of one moment takes the text that is behind in the order of bytes', () => {
    const told = (locale: string) => eventAt('2026-11-15T11:00:00.000Z', { metadata: { locale } });
    for (const locales of [
      ['\u{1f30d}', '\uff21'],
      ['\uff21', '\u{1f30d}'],
    ]) {
      const [row] = sumEvents(records(locales.map(told))).rows;
      expect(row?.profile?.locale?.v).toBe('\u{1f30d}');
    }
  });

  it('takes any name for a type', () => {
    const types = ['__proto__', 'constructor'].map((eventType) =>
      eventAt('2026-11-15T11:00:00.000Z', { eventType }),
    );
    const [row] = sumEvents(records(types)).rows;
    expect(JSON.stringify(row?.counts)).toBe('{"__proto__":1,"constructor":1}');
  });

  it('comes to the same in any order, and players do not mix', () => {
    const event = fc.record({
      eventType: fc.constantFrom('Level_Up', 'Session_Start', 'Session_End'),
      timestamp: fc.constantFrom(
        '2026-11-15T11:00:00Z',
        '2026-11-14T11:00:00.1234Z',
        '2026-11-13T00:00:00.000Z',
      ),
      payload: fc.record({ durationMs: fc.nat(10) }),
      metadata: fc.record({ country: fc.constantFrom('DE', 'FR') }),
    });
    const both = fc.tuple(fc.array(event, { minLength: 1 }), fc.array(event, { minLength: 1 }));
    fc.assert(
      fc.property(both, ([one, other]) => {
        const [mine, theirs] = [records(one), records(other, BOB)];
        const together = sumEvents([...theirs.toReversed(), ...mine.toReversed()]);
        expect(together.rows.filter(({ playerId }) => playerId === '1').map(inOneOrder)).toEqual(
          expect.arrayContaining(sumEvents(mine).rows.map(inOneOrder)),
        );
        expect(together.rows).toHaveLength(sumEvents(mine).rows.length + sumEvents(theirs).rows.length);
        expect(together.types.reduce((sum, { events }) => sum + events, 0)).toBe(one.length + other.length);
      }),
    );
  });
});

/** Lists of days and types are sets. */
function inOneOrder({ eventTypes, severalDays, ...row }: SumRow) {
  return {
    ...row,
    eventTypes: eventTypes?.toSorted(),
    severalDays: severalDays?.match(/\[.*?\]/g)?.toSorted(),
  };
}
