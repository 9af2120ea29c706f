import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nearBuiltInType, type SentType } from '../../../src/insight/event-types/sent-types.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { expectForgedCursorsRefused, readPages } from '../../support/pages.js';
import {
  gameEvent,
  registerSchema,
  rejectedCodes,
  setUnregisteredTypes,
} from '../../support/registry-calls.js';

it.each([
  ['purchase', 'Purchase'],
  ['PURCHASE', 'Purchase'],
  ['Purchases', 'Purchase'],
  ['Purchse', 'Purchase'],
  ['ad_impression', 'Ad_Impression'],
  ['AdImpression', 'Ad_Impression'],
  ['ad-impresion', 'Ad_Impression'],
  ['SessionStart', 'Session_Start'],
  ['session end', 'Session_End'],
  ['level_completed', 'Level_Complete'],
  ['refunded', undefined],
  ['Level_Fail', undefined],
  ['Store_Open', undefined],
  ['Purchase', undefined],
  ['Win', undefined],
  ['', undefined],
  ['购买', undefined],
])('%j is nearly %s', (eventType, builtIn) => {
  expect(nearBuiltInType(eventType)).toBe(builtIn);
});

describe('types that are sent', () => {
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

  const send = async (...types: string[]) => {
    const session = await harness.login();
    const events = types.map((eventType, n) => ({
      ...{
        eventType,
        payload: { n, at: harness.clock.now() },
        timestamp: new Date(harness.clock.now()).toISOString(),
      },
    }));
    expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
  };
  const listed = async () =>
    (
      await admin.ask<{ days: number; eventTypes: SentType[] }>(
        'GET',
        `${GAME}/event-types`,
        undefined,
        admin.tokens.viewer,
      )
    ).eventTypes;
  const command = async () =>
    (
      await runCommand(
        harness.databaseUrl,
        'event-type',
        'list',
        '--tenant',
        'demo-studio',
        '--game',
        'demo-game',
      )
    ).out;

  it('are counted, with the built-in one that is probably meant, until they are registered', async () => {
    expect(await listed()).toEqual([]);
    expect(await command()).not.toContain('nearly a built-in type');

    await send('purchase', 'purchase', 'Win', 'Win', 'Win', 'Purchase', 'SessionStart');
    const lastDay = new Date(harness.clock.now()).toISOString().slice(0, 10);
    const none = Array<number>(27).fill(0);
    const type = (eventType: string, events: number, looksLike: string | null = null) => ({
      eventType,
      events,
      lastDay,
      volumes: [...none, events],
      registeredVersion: null,
      looksLike,
      isBuiltIn: eventType === 'Purchase',
    });
    expect(await listed()).toEqual([
      type('Win', 3),
      type('purchase', 2, 'Purchase'),
      type('Purchase', 1),
      type('SessionStart', 1, 'Session_Start'),
    ]);
    expect(await command()).toContain(
      [
        'Sent in the last 28 days, and nearly a built-in type:',
        '  purchase  2 events  did you mean Purchase?',
        '  SessionStart  1 event  did you mean Session_Start?',
        '',
      ].join('\n'),
    );

    await registerSchema(harness.pool, 'purchase', {});
    await registerSchema(harness.pool, 'Unsent', {});
    const [, purchase] = await listed();
    expect(purchase).toEqual({ ...type('purchase', 2), registeredVersion: 1 });
    expect((await listed()).at(-1)).toEqual({
      eventType: 'Unsent',
      events: 0,
      lastDay: null,
      volumes: [...none, 0],
      registeredVersion: 1,
      isBuiltIn: false,
      looksLike: null,
    });
    expect(await command()).not.toContain('  purchase  2 events');
  });

  it('are read in pages: those that were sent, then those that are registered only', async () => {
    const all = await listed();
    expect(all).toHaveLength(5);
    for (const limit of [1, 2, 4]) {
      const { rows, pages } = await readPages(admin, `${GAME}/event-types`, 'eventTypes', limit);
      expect(rows).toEqual(all);
      expect(pages).toBe(Math.ceil(5 / limit));
    }
    await expectForgedCursorsRefused(admin, `${GAME}/event-types`, [['failed groups', 1, 'x', 'y']]);
  });

  it('are those of the game and of the last 28 days', async () => {
    harness.clock.advance(28 * 86_400_000);
    expect((await listed()).map(({ eventType }) => eventType)).toEqual(['Unsent', 'purchase']);
    expectGeneralError(await admin.call('GET', '/games/other/event-types'), 404, 'game_not_found');
    expect((await admin.call('GET', `${GAME}/event-types`, undefined, null)).statusCode).toBe(401);
  });

  it('are named in the inbox, too, where unregistered types are held', async () => {
    await setUnregisteredTypes(harness.pool, 'hold');
    const session = await harness.login();
    const held = gameEvent('store_view', 1, harness.clock.now());
    expect(rejectedCodes(await postEvents(harness.app, session, [held]))).toEqual([
      'event_type_unregistered',
    ]);
    const { out } = await runCommand(harness.databaseUrl, 'failed-events', 'list');
    expect(out).toContain('event_type_unregistered  store_view  1 entry  did you mean Store_View?');
  });
});
