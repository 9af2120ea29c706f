import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertEventType } from '../../../src/core/events/types/event-type-queries.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, testActor } from '../../support/harness.js';
import { demoGameId, gameEvent, rejectedCodes } from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const path = (eventType: string, rest = '') =>
  `${GAME}/event-types/schema?eventType=${encodeURIComponent(eventType)}${rest}`;
const payload = (schema: object) => ({ properties: { payload: schema } });

describe('the schema of an event type', () => {
  it('says why it is not checked, if an older version of the service took it', async () => {
    const { app, pool, clock } = harness;
    const old = { gameId: await demoGameId(pool), eventType: 'Old', schemaText: '{"$dynamicRef":"#a"}' };
    await insertEventType(pool, old, testActor(clock.now()));
    expect(await admin.ask('GET', path('Old'))).toMatchObject({
      version: 1,
      notChecked: '$dynamicRef and $recursiveRef are not supported. Use $ref.',
    });
    const session = await harness.login();
    const sent = gameEvent('Old', 1, clock.now(), {});
    expect(rejectedCodes(await postEvents(app, session, [sent]))).toEqual([]);
  });

  it.each(['Level', 'Level/Up', 'é "quoted"', '\u{1F600}'.repeat(128)])(
    'is registered, shown, checked by and retired: %s',
    async (eventType) => {
      const first = payload({ properties: { level: { type: 'integer' } } });
      expect(await admin.ask('PUT', path(eventType), { schema: first })).toEqual({
        eventType,
        version: 1,
        warnings: [],
      });
      const second = payload({ properties: { level: { type: 'integer' } }, requird: [] });
      const registered = await admin.ask<{ version: number; warnings: string[] }>('PUT', path(eventType), {
        schema: second,
      });
      expect(registered.version).toBe(2);
      expect(registered.warnings.join()).toContain('requird');
      const shown = await admin.ask('GET', path(eventType), undefined, admin.tokens.viewer);
      expect(shown).toEqual({
        eventType,
        version: 2,
        author: 'editor of demo-studio',
        createdAt: expect.stringMatching(/Z$/),
        retiredAt: null,
        schema: second,
        notChecked: null,
      });
      expect(await admin.ask('GET', path(eventType, '&version=1'))).toMatchObject({ schema: first });

      const session = await harness.login();
      const wrong = gameEvent(eventType, 1, harness.clock.now(), { level: 'x' });
      expect(rejectedCodes(await postEvents(harness.app, session, [wrong]))).toEqual(['schema_mismatch']);
      expect(await admin.ask('DELETE', path(eventType))).toEqual({ eventType });
      expect(rejectedCodes(await postEvents(harness.app, session, [wrong]))).toEqual([]);
      expect(await admin.ask('GET', path(eventType))).toMatchObject({
        retiredAt: expect.stringMatching(/Z$/),
      });
      expectGeneralError(await admin.call('DELETE', path(eventType)), 404, 'event_type_not_found');
    },
  );

  it.each([
    ['a schema that is none', { schema: { type: 'nothing' } }, 422, 'event_schema_invalid'],
    ['a schema that is a text', { schema: 'text' }, 422, 'event_schema_invalid'],
    [
      'a schema from elsewhere',
      { schema: { $ref: 'http://example.com/a.json' } },
      422,
      'event_schema_invalid',
    ],
    ['no schema', {}, 400, 'body_invalid'],
    ['a list', [], 400, 'body_invalid'],
  ])('is not registered with %s', async (_name, body, status, code) => {
    expectGeneralError(await admin.call('PUT', path('Refused'), body), status, code);
    expectGeneralError(await admin.call('GET', path('Refused')), 404, 'event_type_not_found');
  });

  it.each(['', 'eventType=', 'eventType=a&eventType=b', `eventType=${'x'.repeat(129)}`, 'eventType=a%00'])(
    'needs one event type, not %s',
    async (query) => {
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const body = method === 'PUT' ? { schema: {} } : undefined;
        const response = await admin.call(method, `${GAME}/event-types/schema?${query}`, body);
        expectGeneralError(response, 400, 'parameter_invalid');
      }
    },
  );

  it('has the version that is asked for', async () => {
    await admin.ask('PUT', path('Versioned'), { schema: {} });
    expectGeneralError(await admin.call('GET', path('Versioned', '&version=2')), 404, 'event_type_not_found');
    for (const version of ['0', 'x', '-1']) {
      const response = await admin.call('GET', path('Versioned', `&version=${version}`));
      expectGeneralError(response, 400, 'parameter_invalid');
    }
  });

  it('is of a game of the studio, and changed by its editors', async () => {
    await admin.ask('PUT', path('Own'), { schema: {} });
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schema: {} }],
      ['DELETE', undefined],
    ] as const) {
      expectGeneralError(await admin.call(method, path('Own'), body, token), 404, 'game_not_found');
      expect((await admin.call(method, path('Own'), body, null)).statusCode).toBe(401);
      if (method === 'GET') continue;
      expectGeneralError(
        await admin.call(method, path('Own'), body, admin.tokens.viewer),
        403,
        'role_too_low',
      );
    }
    const elsewhere = '/games/other-game/event-types/schema?eventType=Own';
    expectGeneralError(await admin.call('GET', elsewhere, undefined, token), 404, 'event_type_not_found');
    expect(await admin.ask('GET', path('Own'))).toMatchObject({ version: 1, retiredAt: null });
  });
});
