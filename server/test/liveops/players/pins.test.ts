import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { ValueEntry } from '../../../src/decide/document/parts/values.js';
import { MAX_PINS } from '../../../src/liveops/players/pins.js';
import { value } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { expectGeneralError, get, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { expectForgedCursorsRefused, readPages } from '../../support/pages.js';
import { addServerKey, call } from '../../support/server-calls.js';

const VALUES: ValueEntry[] = [
  value('jump_height', {
    type: { kind: 'integer', minimum: 0, maximum: 9 },
    defaultValue: 3,
    rules: [{ when: null, sharePercent: 100, value: 4 }],
  }),
  value('greeting', { type: 'string', defaultValue: 'hello' }),
  value('drop_rate', { type: 'number', defaultValue: 0.25, visibleTo: 'servers' }),
];

let harness: Harness;
let admin: AdminClient;
let nodes: FastifyInstance[];
let session: Session;
let player = '';
let deviceNumber = 0;
const publishValues = (values: ValueEntry[]) =>
  publish(harness.pool, { ...DEFAULT_DOCUMENT, values }, harness.clock.now());
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  nodes = [harness.app, (await harness.addNode()).app];
});
beforeEach(async () => {
  await publishValues(VALUES);
  session = await harness.login(`device-${deviceNumber++}`);
  player = `${GAME}/players/${session.userId}`;
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** What every node tells at its next request. */
const told = async (key = 'jump_height'): Promise<unknown> => {
  const found = [];
  for (const node of nodes) {
    const response = await get(node, '/v1/player/values', session);
    expect(response.statusCode, response.body).toBe(200);
    found.push(response.json().values[key]);
  }
  expect(found[1]).toEqual(found[0]);
  return found[0];
};
const set = (target: string, body: unknown, kind = 'value') =>
  admin.call('PUT', `${player}/pins/${kind}/${target}`, body);
const clear = (target: string, kind = 'value') => admin.call('DELETE', `${player}/pins/${kind}/${target}`);
const listed = async () =>
  (await admin.ask<{ pins: unknown[] }>('GET', `${player}/pins`, undefined, admin.tokens.viewer)).pins;
const explained = async (at?: number) => {
  const { because } = await admin.ask<{ because: { values: string[] } }>('POST', `${GAME}/explain`, {
    playerId: session.userId,
    ...(at === undefined ? {} : { at: iso(at) }),
  });
  return because.values[0];
};
const iso = (ms: number) => new Date(ms).toISOString();

describe('a pin of a value', () => {
  it('is told by every node at the next request: set, replaced, taken back', async () => {
    expect(await told()).toBe(4);
    const setAt = harness.clock.now();
    const response = await set('jump_height', { value: 7, reason: 'QA' });
    expect(response.statusCode, response.body).toBe(200);
    const first = {
      kind: 'value',
      target: 'jump_height',
      value: 7,
      reason: 'QA',
      author: 'editor of demo-studio',
      authorEmail: null,
      setAt: iso(setAt),
      until: null,
      clearedAt: null,
      clearedBy: null,
      clearedByEmail: null,
      state: 'in_force',
    };
    expect(response.json().data).toEqual(first);
    expect(await told()).toBe(7);
    await set('jump_height', { value: 0, reason: 'QA' });
    expect(await told()).toBe(0);
    await set('greeting', { value: 'Grüß "dich" 🎮', reason: 'QA' });
    expect(await told('greeting')).toBe('Grüß "dich" 🎮');
    expect((await clear('jump_height')).json().data).toEqual({ kind: 'value', target: 'jump_height' });
    expect(await told()).toBe(4);
    expect(await told('greeting')).toBe('Grüß "dich" 🎮');
    expectGeneralError(await clear('jump_height'), 404, 'pin_not_found');
    const pins = await listed();
    expect(pins).toHaveLength(3);
    expect(pins[2]).toEqual({
      ...first,
      clearedAt: iso(setAt),
      clearedBy: 'editor of demo-studio',
      state: 'cleared',
    });
  });

  it('changes the ETag, also for the servers of the studio', async () => {
    const etag = async () => (await get(harness.app, '/v1/player/values', session)).headers.etag;
    const before = await etag();
    await set('jump_height', { value: 7, reason: 'QA' });
    expect(await etag()).not.toBe(before);
    await set('drop_rate', { value: 0.5, reason: 'QA' });
    const { headers } = await addServerKey(harness);
    const response = await call(harness.app, { url: `/v1/server/players/${session.userId}/values`, headers });
    expect(response.json().values).toEqual({ jump_height: 7, greeting: 'hello', drop_rate: 0.5 });
  });

  it('ends by itself, to the millisecond', async () => {
    const until = harness.clock.now() + 60_000;
    await set('jump_height', { value: 7, reason: 'trial', until: iso(until) });
    harness.clock.advance(59_999);
    expect(await told()).toBe(7);
    harness.clock.advance(1);
    expect(await told()).toBe(4);
    expect(await listed()).toMatchObject([{ state: 'expired', clearedAt: null }]);
  });

  it('is explained, also as it was', async () => {
    const setAt = harness.clock.now();
    const until = setAt + 3_600_000;
    await set('jump_height', { value: 7, reason: 'QA', until: iso(until) });
    const sentence = `Value jump_height is 7: pinned by editor of demo-studio because “QA”, since ${iso(setAt)}, until ${iso(until)}.`;
    expect(await explained()).toBe(sentence);
    harness.clock.advance(1_000);
    await clear('jump_height');
    harness.clock.advance(1_000);
    expect(await explained()).toContain('Value jump_height is 4: rule 1');
    expect(await explained(setAt + 500)).toBe(sentence);
  });

  it('is ignored while what is published does not allow it', async () => {
    await set('jump_height', { value: 7, reason: 'QA' });
    const [entry, ...others] = VALUES;
    const narrowed = { ...(entry as ValueEntry), type: { kind: 'integer', maximum: 6 } as const };
    await publishValues([narrowed, ...others]);
    expect(await told()).toBe(4);
    expect(await explained()).toMatch(
      /^Value jump_height is 4: rule 1 is for everybody\. It was pinned by .*, but the pin is ignored: The value must be at most 6\.$/,
    );
    await publishValues(VALUES);
    expect(await told()).toBe(7);
  });

  it('is in the timeline of the player', async () => {
    await set('jump_height', { value: 7, reason: 'QA' });
    await clear('jump_height');
    const { items } = await admin.ask<{ items: unknown[] }>('GET', `${player}/timeline?kinds=pin`);
    const pin = { kind: 'pin', pinKind: 'value', target: 'jump_height', value: 7, reason: 'QA' };
    expect(items).toMatchObject([
      { ...pin, change: 'cleared', by: 'editor of demo-studio' },
      { ...pin, change: 'set' },
    ]);
  });

  it('is listed in pages', async () => {
    for (let n = 0; n < 4; n++) await set('jump_height', { value: n, reason: `number ${n}` });
    const pins = await listed();
    expect(pins).toMatchObject([3, 2, 1, 0].map((n) => ({ value: n })));
    for (const limit of [1, 3]) {
      const { rows } = await readPages(admin, `${player}/pins`, 'pins', limit);
      expect(rows).toEqual(pins);
    }
    await expectForgedCursorsRefused(admin, `${player}/pins`, [['pins', 1, 'x']]);
  });
});

describe('what cannot be pinned', () => {
  it.each([
    ['a text for a number', 'jump_height', 'high', 'The value must be a whole number.'],
    ['a number out of range', 'jump_height', 10, 'The value must be at most 9.'],
    ['nothing', 'greeting', null, 'The value must be a text.'],
    ['too much', 'greeting', 'x'.repeat(17_000), 'The value may take 16384 bytes at most.'],
  ])('%s is refused', async (_what, target, wrong, message) => {
    const response = await set(target, { value: wrong, reason: 'QA' });
    expectGeneralError(response, 422, 'pin_invalid');
    expect(response.json().error.message).toBe(message);
    expect(await listed()).toEqual([]);
  });

  it('is a key, a kind or an experiment that is not published, or an unknown player', async () => {
    const body = { value: 7, reason: 'QA' };
    const misspelt = await set('jump_hight', body);
    expectGeneralError(misspelt, 404, 'pin_target_not_found');
    expect(misspelt.json().error.message).toContain('jump_height');
    expectGeneralError(await set('jump_height', body, 'flag'), 404, 'pin_target_not_found');
    expectGeneralError(await set('%00', body), 404, 'pin_target_not_found');
    expectGeneralError(
      await set('price_test', { ...body, value: 'b' }, 'variant'),
      404,
      'pin_target_not_found',
    );
    expectGeneralError(await set('jump_height', { value: 7 }), 400, 'body_invalid');
    expectGeneralError(
      await set('jump_height', { ...body, until: iso(harness.clock.now()) }),
      400,
      'body_invalid',
    );
    const unknown = `${GAME}/players/${crypto.randomUUID()}/pins/value/jump_height`;
    expectGeneralError(await admin.call('PUT', unknown, body), 404, 'player_not_found');
  });

  it('is more than a player may have', async () => {
    await harness.pool.query(
      `insert into player_pins (player_id, kind, target, value, reason, author, set_at)
       select id, 'value', 'key_' || n, '1', '', '', now() from players, generate_series(2, $2::int) n where user_id = $1`,
      [session.userId, MAX_PINS],
    );
    expect((await set('jump_height', { value: 1, reason: 'the last' })).statusCode).toBe(200);
    expectGeneralError(await set('greeting', { value: 'hi', reason: 'one more' }), 409, 'pin_limit');
    expect((await set('jump_height', { value: 2, reason: 'replaces' })).statusCode).toBe(200);
    expect((await clear('key_2')).statusCode).toBe(200);
    expect((await set('greeting', { value: 'hi', reason: 'one more' })).statusCode).toBe(200);
  });
});

it.each(['half', '"half"'])('by command, as the value %s, tells how a variant is pinned', async (text) => {
  const inGame = ['--tenant', 'demo-studio', '--game', 'demo-game', '--reason', 'QA'];
  const pin = ['pin', 'set', session.userId, 'first_offer', '--value', text, ...inGame];
  const { errors, code } = await runCommand(harness.databaseUrl, ...pin);
  expect(errors).toContain('For the variant of an experiment add --kind variant.');
  expect(code).toBe(1);
});
