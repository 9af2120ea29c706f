import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  findEventType,
  insertEventType,
  listEventTypes,
  retireEventType,
} from '../../../src/core/events/types/event-type-queries.js';
import { createRegistries } from '../../../src/core/events/types/registries.js';
import { registerEventType } from '../../../src/insight/event-types/event-types.js';
import { expectCounts, expectGeneralError, storedEvents } from '../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents, testActor } from '../../support/harness.js';
import {
  demoGameId,
  gameEvent,
  registerPayload,
  registerSchema,
  rejectedCodes,
  setUnregisteredTypes,
} from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

const LEVEL = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] };

describe('event types', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  let sent = 0;
  const event = (eventType: string, payload: Record<string, unknown> = {}) =>
    gameEvent(eventType, ++sent, harness.clock.now(), payload);

  it('a schema holds on every node with the next request, and so does its successor', async () => {
    const { app, pool } = harness;
    const second = await harness.addNode();
    const session = await harness.login('types-1');
    for (const node of [app, second.app]) {
      expectCounts(await postEvents(node, session, [event('Quest')]), { accepted: 1, duplicates: 0 });
    }
    for (const [version, level] of [
      [1, 'integer'],
      [2, 'string'],
      [3, 'integer'],
    ] as const) {
      expect(
        await registerPayload(pool, 'Quest', { properties: { level: { type: level } }, required: ['level'] }),
      ).toBe(version);
      const value = level === 'integer' ? [1, '1'] : ['1', 1];
      for (const node of [app, second.app]) {
        const batch = value.map((good) => event('Quest', { level: good }));
        const response = await postEvents(node, session, batch);
        expect(response.json().data).toMatchObject({
          accepted: 1,
          rejected: [{ index: 1, code: 'schema_mismatch' }],
        });
        expect(response.json().data.rejected[0].message).toBe(
          `/payload/level must be ${level} (rule #/properties/payload/properties/level/type).`,
        );
      }
    }
  });

  it('a mismatch does not spoil the batch; alone it is 400 with the list of the contract', async () => {
    const { app, pool } = harness;
    await registerPayload(pool, 'Spoiler', LEVEL);
    const session = await harness.login('types-2');
    const response = await postEvents(app, session, [
      event('Spoiler'),
      event('Free'),
      event('Spoiler', { level: 1 }),
    ]);
    expect(response.statusCode).toBe(202);
    expect(response.json().data).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [
        {
          index: 0,
          code: 'schema_mismatch',
          message: "/payload must have required property 'level' (rule #/properties/payload/required).",
        },
      ],
    });
    expect(await storedEvents(pool, session.userId)).toHaveLength(2);
    const alone = await postEvents(app, session, [event('Spoiler')]);
    expectGeneralError(alone, 400, 'events_rejected');
    expect(Object.keys(alone.json().error.rejected[0]).sort()).toEqual(['code', 'index', 'message']);
  });

  it('the schema sees the whole event as it was sent', async () => {
    const { app, pool } = harness;
    await registerSchema(pool, 'Whole', {
      required: ['metadata', 'eventId'],
      additionalProperties: false,
      properties: {
        eventType: { const: 'Whole' },
        timestamp: { format: 'date-time' },
        payload: true,
        metadata: true,
        eventId: { pattern: '^w-' },
      },
    });
    const session = await harness.login('types-3');
    const whole = { ...event('Whole'), metadata: {}, eventId: 'w-1' };
    const { metadata: _, ...without } = whole;
    const response = await postEvents(app, session, [
      whole,
      without,
      { ...whole, eventId: 'x' },
      { ...whole, extra: 1 },
    ]);
    expect(response.json().data.rejected.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3]);
  });

  it('a retired type is not checked; registered again, it goes on with the next number', async () => {
    const { app, pool, clock } = harness;
    const gameId = await demoGameId(pool);
    const session = await harness.login('types-4');
    await registerPayload(pool, 'Retiring', LEVEL);
    expect(rejectedCodes(await postEvents(app, session, [event('Retiring')]))).toEqual(['schema_mismatch']);
    expect(await retireEventType(pool, gameId, 'Retiring', testActor(clock.now()))).toBe(true);
    expect(await retireEventType(pool, gameId, 'Retiring', testActor(clock.now()))).toBe(false);
    expectCounts(await postEvents(app, session, [event('Retiring')]), { accepted: 1, duplicates: 0 });
    expect(await registerPayload(pool, 'Retiring', LEVEL)).toBe(2);
    expect(rejectedCodes(await postEvents(app, session, [event('Retiring')]))).toEqual(['schema_mismatch']);
    expect(await findEventType(pool, gameId, 'Retiring')).toMatchObject({ version: 2, retiredAt: null });
    expect(await findEventType(pool, gameId, 'Retiring', 1)).toMatchObject({
      version: 1,
      retiredAt: clock.now(),
    });
    expect(await findEventType(pool, gameId, 'Retiring', 3)).toBeUndefined();
    expect(await retireEventType(pool, gameId, 'Never', testActor(clock.now()))).toBe(false);
  });

  it('unregistered types are accepted, or held; those with a meaning are always known', async () => {
    const { app, pool, clock } = harness;
    const session = await harness.login('types-5');
    await registerPayload(pool, 'Known', true);
    await setUnregisteredTypes(pool, 'hold');
    const held = await postEvents(app, session, [event('Unknown')]);
    expectGeneralError(held, 400, 'events_rejected');
    expect(held.json().error.rejected).toEqual([
      {
        index: 0,
        code: 'event_type_unregistered',
        message: 'The event type is not registered. It is held until it is.',
      },
    ]);
    expectCounts(
      await postEvents(app, session, [
        event('Known'),
        adImpression(1, clock.now()),
        ...['Session_Start', 'Session_End', 'Purchase', 'Store_View', 'Level_Start', 'Level_Complete'].map(
          (type) => event(type),
        ),
        event('Refund', { transactionId: 't' }),
      ]),
      { accepted: 9, duplicates: 0 },
    );
    await setUnregisteredTypes(pool, 'accept');
    expectCounts(await postEvents(app, session, [event('Unknown')]), { accepted: 1, duplicates: 0 });
  });

  it('the meaning of our own types holds beside a schema', async () => {
    const { app, pool } = harness;
    const session = await harness.login('types-6');
    await registerPayload(pool, 'Purchase', { required: ['shop'] });
    const codes = rejectedCodes(
      await postEvents(app, session, [
        event('Purchase', { shop: 1, price: -1 }),
        event('Purchase', { price: 1, currency: 'USD' }),
        event('Purchase', { shop: 1, price: 1, currency: 'USD' }),
      ]),
    );
    expect(codes).toEqual(['payload_invalid', 'schema_mismatch']);
    await retireEventType(pool, await demoGameId(pool), 'Purchase', testActor(harness.clock.now()));
  });

  it('one game does not see another one’s types', async () => {
    const other = await addStudio(harness, 'types-studio', 'types-game');
    await registerPayload(harness.pool, 'Private', false);
    const session = await other.login('types-7');
    expectCounts(await postEvents(harness.app, session, [event('Private')]), { accepted: 1, duplicates: 0 });
  });

  it('a schema is compiled once for all versions of the registry', async () => {
    const { pool, clock } = harness;
    const gameId = await demoGameId(pool);
    // As an older version of the service took it. It is reported each time that it is compiled.
    const schemaText = '{"pattern":"a(?=b)"}';
    await insertEventType(pool, { gameId, eventType: 'Compiled', schemaText }, testActor(clock.now()));
    await registerPayload(pool, 'Strict', LEVEL);
    const onUnusable = vi.fn();
    const registries = createRegistries(pool, onUnusable);
    const claims = { tenantId: 'demo-studio', gameId: 'demo-game' };
    const check = await registries.current(gameId);
    expect(onUnusable).not.toHaveBeenCalled();
    for (let n = 0; n < 3; n++) expect(check('Compiled', event('Compiled'))).toBeUndefined();
    await registerPayload(pool, 'Another', LEVEL);
    const { rows } = await pool.query<{ v: number }>(
      'select registry_version as v from games where id = $1',
      [gameId],
    );
    const moved = await registries.checkFor({ claims, player: { gameId, registryVersion: rows[0]?.v ?? 0 } });
    expect(moved('Compiled', event('Compiled'))).toBeUndefined();
    expect(moved('Strict', event('Strict'))?.code).toBe('schema_mismatch');
    expect(onUnusable.mock.calls).toEqual([
      [{ gameId, eventType: 'Compiled', version: 1, reason: expect.stringMatching(/looks ahead or behind/) }],
    ]);
    expect(registries.checkFor({ claims, player: { gameId, registryVersion: rows[0]?.v ?? 0 } })).toBe(moved);
    // While the database cannot be asked: as it was last known, and anything where nothing was.
    expect(registries.checkFor({ claims, player: undefined })).toBe(moved);
    const unknown = await registries.checkFor({ claims: { ...claims, gameId: 'x' }, player: undefined });
    expect(unknown('Compiled', event('Compiled'))).toBeUndefined();
  });

  it('registering at once from many sides gives the numbers no gap and no duplicate', async () => {
    const versions = await Promise.all(
      Array.from({ length: 12 }, () => registerPayload(harness.pool, 'Raced', LEVEL)),
    );
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  });

  it('a bad schema or name changes nothing', async () => {
    const { pool, clock } = harness;
    const gameId = await demoGameId(pool);
    const before = await listEventTypes(pool, gameId);
    for (const [eventType, schemaText] of [
      ['', 'true'],
      ['x'.repeat(129), 'true'],
      ['a\0b', 'true'],
      ['\ud800', 'true'],
      ['Good', '{"type":1}'],
    ] as const) {
      expect(
        await registerEventType(pool, { gameId, eventType, schemaText }, testActor(clock.now())),
      ).toEqual({
        ok: false,
        reason: expect.stringMatching(/^.+\.$/),
      });
    }
    expect(await listEventTypes(pool, gameId)).toEqual(before);
    expect(before.map(({ eventType }) => eventType)).toContain('Quest');
  });

  it('the schema is kept as it was written', async () => {
    const { pool, clock } = harness;
    const gameId = await demoGameId(pool);
    const schemaText = '{ "$comment" : "é\\u0000\\ud800",\n  "minimum":1.0, "title": "b", "title": "a" }';
    const added = { gameId, eventType: '💎 "quoted"', schemaText };
    expect(await registerEventType(pool, added, testActor(clock.now()))).toMatchObject({
      ok: true,
      version: 1,
    });
    expect((await findEventType(pool, gameId, '💎 "quoted"'))?.schemaText).toBe(schemaText);
  });

  it('there is an end to how many types a game can have', async () => {
    const { pool, clock } = harness;
    const { game, tenant } = await addStudio(harness, 'many-studio', 'many-game');
    const { rows } = await pool.query<{ id: number }>(
      'select g.id from games g join tenants t on t.id = g.tenant_id where t.slug = $1 and g.slug = $2',
      [tenant, game],
    );
    const gameId = rows[0]?.id ?? 0;
    await pool.query(
      `insert into event_types (game_id, event_type, version, schema, author, created_at)
       select $1, 'T' || n, 1, 'true', 'test', now() from generate_series(1, 1000) n`,
      [gameId],
    );
    const added = { gameId, schemaText: 'true' };
    expect(await insertEventType(pool, { ...added, eventType: 'T7' }, testActor(clock.now()))).toBe(2);
    expect(
      await registerEventType(pool, { ...added, eventType: 'New' }, testActor(clock.now())),
    ).toMatchObject({
      ok: false,
    });
  });
});
