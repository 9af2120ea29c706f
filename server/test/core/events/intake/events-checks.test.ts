import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCounts, expectGeneralError, postBytes, storedEvents } from '../../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../../support/harness.js';

describe('which events are accepted', () => {
  let harness: Harness;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  /** Sends as a player of their own, so that what is stored is what was sent. */
  const send = async (events: unknown) => {
    const session = await harness.login(`checks-${++devices}`);
    const response = await postEvents(harness.app, session, events);
    return { response, stored: () => storedEvents(harness.pool, session.userId) };
  };
  const good = (overrides: Record<string, unknown> = {}) => adImpression(1, harness.clock.now(), overrides);

  const expectRejected = async (event: unknown, code: string) => {
    const { response, stored } = await send([event]);
    expectGeneralError(response, 400, 'events_rejected');
    expect(response.json().error.rejected).toEqual([{ index: 0, code, message: expect.stringMatching(/./) }]);
    expect(await stored()).toEqual([]);
  };

  const expectStored = async (event: Record<string, unknown>) => {
    const { response, stored } = await send([event]);
    expectCounts(response, { accepted: 1, duplicates: 0 });
    const [row] = await stored();
    expect(row).toMatchObject({
      eventType: event.eventType,
      payload: event.payload,
      metadata: event.metadata ?? {},
    });
    return row;
  };

  it.each([
    ['eventType', 'event_type_invalid'],
    ['timestamp', 'timestamp_malformed'],
    ['payload', 'payload_invalid'],
  ])('%s is required', (member, code) => expectRejected(good({ [member]: undefined }), code));

  it.each([null, 1, 'text', true, [], [[]]])('%j is no event', (event) =>
    expectRejected(event, 'event_invalid'),
  );

  it.each([
    ['eventType', ['', 1, null, {}, [], 'x'.repeat(129), '💎'.repeat(129)], 'event_type_invalid'],
    ['timestamp', ['', 0, null, {}, 1_763_200_000_000], 'timestamp_malformed'],
    ['payload', [null, 1, 'text', [], [{}], true], 'payload_invalid'],
    ['metadata', [1, 'text', [], true], 'metadata_invalid'],
    ['eventId', ['', 1, {}, [], 'x'.repeat(129)], 'event_id_invalid'],
  ])('%s must be of its type', async (member, values, code) => {
    for (const value of values) await expectRejected(good({ [member]: value }), code);
  });

  it.each(['userId', 'sessionId', 'adId', 'campaignId'])(
    'payload.%s of an Ad_Impression is a string',
    async (member) => {
      for (const value of [1, null, {}, true]) {
        await expectRejected(good({ payload: { ...good().payload, [member]: value } }), 'payload_invalid');
      }
      const { [member as 'adId']: _left, ...rest } = good().payload;
      await expectStored(good({ payload: rest }));
    },
  );

  it.each(['deviceType', 'osName', 'osVersion'])(
    'metadata.%s of an Ad_Impression is a string',
    async (member) => {
      for (const value of [16, null, []]) {
        await expectRejected(good({ metadata: { ...good().metadata, [member]: value } }), 'metadata_invalid');
      }
      const { [member as 'osName']: _left, ...rest } = good().metadata;
      await expectStored(good({ metadata: rest }));
    },
  );

  it('any other type takes these members as they are', () =>
    expectStored(
      good({ eventType: 'Custom', payload: { userId: 1, adId: null }, metadata: { osName: 16 } }),
    ));

  it('metadata may be absent', async () => {
    expect(await expectStored(good({ metadata: undefined }))).toMatchObject({ metadata: {} });
  });

  it.each([
    [
      'country',
      [49, '49', 'DEU', 'Germany', 'D', 'D1', 'ÄÖ', ' DE', 'DE\n', true, ['DE']],
      /two letters, such as DE/,
    ],
    [
      'currency',
      ['EURO', 'usd', 'Eur', '€', 'DEM', 'XXX', 978, true, ['EUR']],
      /capital letters, such as USD/,
    ],
  ])('metadata.%s of any type is a code', async (member, values, message) => {
    const bad = ['Custom', 'Ad_Impression', 'Purchase'].flatMap((eventType) =>
      values.map((value) => good({ eventType, payload: {}, metadata: { [member]: value } })),
    );
    const { response, stored } = await send(bad);
    expectGeneralError(response, 400, 'events_rejected');
    expect(response.json().error.rejected).toEqual(
      bad.map((_, index) => ({ index, code: 'metadata_invalid', message: expect.stringMatching(message) })),
    );
    expect(await stored()).toEqual([]);
  });

  it.each([null, ''])('metadata.country and currency may be unknown: %j', async (value) => {
    await expectStored(good({ metadata: { country: value, currency: value, osName: 'iOS' } }));
  });

  it('the case of a country does not matter to the player, and stays in the event', async () => {
    const session = await harness.login(`checks-${++devices}`);
    const metadata = { country: 'de', currency: 'EUR' };
    await postEvents(harness.app, session, [good({ metadata })]);
    expect(await storedEvents(harness.pool, session.userId)).toMatchObject([{ metadata }]);
    const { rows } = await harness.pool.query('select profile from players where user_id = $1', [
      session.userId,
    ]);
    expect(rows).toMatchObject([{ profile: { country: { v: 'DE' }, currency: { v: 'EUR' } } }]);
  });

  it.each([
    [{ price: 4.99 }],
    [{ price: 4.99, currency: 'EURO' }],
    [{ price: 4.99, currency: '' }],
    [{ currency: 'XTS' }],
    [{ currency: 'usd' }],
  ])('the currency of a Purchase is a code, and there if the price is: %j', async (payload) => {
    const { response } = await send([good({ eventType: 'Purchase', payload })]);
    expect(response.json().error.rejected).toEqual([
      {
        index: 0,
        code: 'payload_invalid',
        message: expect.stringMatching(/^payload.currency .*such as USD/),
      },
    ]);
  });

  it('128 characters are enough for a type or an id, counted as characters', async () => {
    const row = await expectStored(good({ eventType: '💎'.repeat(128), eventId: 'é'.repeat(128) }));
    expect(row?.eventId).toBe('é'.repeat(128));
  });

  it('unknown members are ignored', async () => {
    await expectStored(good({ schemaVersion: 3, context: { deep: [1] }, constructor: 'x', toString: null }));
  });

  describe('a batch', () => {
    it('keeps its good events and lists the bad ones, each with its index', async () => {
      const events = [
        adImpression(0, harness.clock.now()),
        7,
        adImpression(1, harness.clock.now()),
        good({ timestamp: 'yesterday' }),
        good({ payload: [] }),
      ];
      const { response, stored } = await send(events);
      expect(response.statusCode).toBe(202);
      const message = expect.stringMatching(/./);
      expect(response.json()).toEqual({
        data: {
          accepted: 2,
          duplicates: 0,
          rejected: [
            { index: 1, code: 'event_invalid', message },
            { index: 3, code: 'timestamp_malformed', message },
            { index: 4, code: 'payload_invalid', message },
          ],
        },
        status: 'success',
      });
      expect(await stored()).toHaveLength(2);
    });

    it('of bad events only is refused, with the same list', async () => {
      const { response } = await send([1, {}, 'x']);
      expectGeneralError(response, 400, 'events_rejected');
      expect(response.json().error.rejected.map((each: { index: number }) => each.index)).toEqual([0, 1, 2]);
    });

    it('of bad events and repetitions is accepted: those were good once', async () => {
      const session = await harness.login(`checks-${++devices}`);
      await postEvents(harness.app, session, [good()]);
      const response = await postEvents(harness.app, session, [good(), 1]);
      expect(response.statusCode).toBe(202);
      expect(response.json().data).toMatchObject({ accepted: 0, duplicates: 1, rejected: [{ index: 1 }] });
    });

    it('may be empty', async () => {
      expectCounts((await send([])).response, { accepted: 0, duplicates: 0 });
    });

    it.each(['{}', 'null', '"x"', '1', 'true', '{"0":{},"length":1}'])('%s is none', async (body) => {
      const session = await harness.login(`checks-${++devices}`);
      expectGeneralError(await postBytes(harness.app, session, body), 400, 'body_invalid');
    });

    it.each(['', ' ', '\n', '[', '[{]', '[1,]', "['a']", '[NaN]', '[01]', '\u0000[]', '[] []'])(
      '%j is none, and not even JSON',
      async (body) => {
        const session = await harness.login(`checks-${++devices}`);
        const response = await postBytes(harness.app, session, body);
        expectGeneralError(response, 400, body === '' ? 'body_invalid' : 'invalid_json');
      },
    );
  });
});
