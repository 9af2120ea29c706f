import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findConfigVersion } from '../../../src/core/configs/config-queries.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { ValueEntry } from '../../../src/decide/document/parts/values.js';
import { value } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, get, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addServerKey, call } from '../../support/server-calls.js';
import { postRefresh } from '../../support/session-calls.js';

const VALUES: ValueEntry[] = [
  value('jump_height', {
    defaultValue: 3,
    rules: [{ when: 'flags.isPayer', sharePercent: 100, value: 5 }],
  }),
  value('drop_rate', { type: 'number', defaultValue: 0.25, visibleTo: 'servers' }),
  value('greeting', { type: 'string', defaultValue: 'Grüß "dich" 🎮' }),
];

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

const publishValues = (values: ValueEntry[] | undefined) =>
  publish(
    harness.pool,
    values === undefined ? DEFAULT_DOCUMENT : { ...DEFAULT_DOCUMENT, values },
    harness.clock.now(),
  );
const read = (session: Session, headers = {}) => get(harness.app, '/v1/player/values', session, headers);
const configOf = ({ body }: Session) => body.playerConfig as Record<string, unknown>;
const buy = async (session: Session) => {
  const timestamp = new Date(harness.clock.now()).toISOString();
  const payload = { transactionId: 't-1', price: 4.99, currency: 'USD' };
  const sent = await postEvents(harness.app, session, [{ eventType: 'Purchase', timestamp, payload }]);
  expect(sent.statusCode, sent.body).toBe(202);
};

describe('a game that defines no values', () => {
  it('tells none, and logins do not mention them', async () => {
    await publishValues(undefined);
    const session = await harness.login('no-values');
    expect(Object.keys(configOf(session))).toEqual(['playerStatus', 'storeConfig']);
    expect((await read(session)).json()).toEqual({
      playerId: session.userId,
      asOf: expect.any(String),
      values: {},
      experiments: [],
    });
  });

  it('nor do logins where all values are for servers', async () => {
    await publishValues([value('secret', { visibleTo: 'servers' })]);
    const session = await harness.login('secret');
    expect(Object.keys(configOf(session))).toEqual(['playerStatus', 'storeConfig']);
    expect((await read(session)).json().values).toEqual({});
  });
});

describe('the values of a player', () => {
  it('are told to clients in login, refresh and their own route, and change with the next request', async () => {
    await publishValues(VALUES);
    const session = await harness.login('player');
    const values = { jump_height: 3, greeting: 'Grüß "dich" 🎮' };
    expect(configOf(session).values).toEqual(values);
    const response = await read(session);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toMatch(/^private, no-cache, stale-if-error=\d+$/);
    expect(Object.keys(response.json())).toEqual(['playerId', 'asOf', 'values', 'experiments']);
    expect(response.json()).toMatchObject({ playerId: session.userId, values, experiments: [] });

    const etag = String(response.headers.etag);
    const again = await read(session, { 'if-none-match': etag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    await buy(session);
    const changed = await read(session, { 'if-none-match': etag });
    expect(changed.json().values).toEqual({ ...values, jump_height: 5 });
    const refreshed = await postRefresh(harness.app, session.refreshToken);
    expect(refreshed.json().playerConfig.values).toEqual({ ...values, jump_height: 5 });
  });

  it('are explained, also those that clients are not told', async () => {
    await publishValues(VALUES);
    const { userId } = await harness.login('explained');
    const explained = await admin.ask<{ decision: object; because: { values: string[] } }>(
      'POST',
      `${GAME}/explain`,
      { playerId: userId },
    );
    expect(explained.decision).toMatchObject({ values: { jump_height: 3, drop_rate: 0.25 } });
    expect(explained.because.values.slice(0, 2)).toEqual([
      'Value jump_height is 3, its default: rule 1 says flags.isPayer is false (flags["isPayer"] = false).',
      'Value drop_rate is 0.25, its default: it has no rules.',
    ]);
  });

  it('are counted while a rule is written, by the rule', async () => {
    await publishValues(VALUES);
    const buyer = await harness.login('counted');
    await buy(buyer);
    const { audience, examples } = await admin.ask<{
      audience: { players: number };
      examples: { inside: string[] };
    }>('POST', `${GAME}/audience`, { value: { key: 'jump_height', rule: 0 } });
    expect(examples.inside).toContain(buyer.userId);
    expect(audience.players).toBe(examples.inside.length);
    const unknown = await admin.call('POST', `${GAME}/audience`, { value: { key: 'jump_height', rule: 9 } });
    expectGeneralError(unknown, 400, 'body_invalid');
  });

  it('are all told to the servers of the studio', async () => {
    await publishValues(VALUES);
    const session = await harness.login('served');
    const key = await addServerKey(harness);
    const url = `/v1/server/players/${session.userId}/values`;
    const response = await call(harness.app, { headers: key.headers, url });
    expect(response.json()).toMatchObject({
      playerId: session.userId,
      values: { jump_height: 3, drop_rate: 0.25, greeting: VALUES[2]?.defaultValue },
      experiments: [],
    });
    const headers = { ...key.headers, 'if-none-match': String(response.headers.etag) };
    expect((await call(harness.app, { headers, url })).statusCode).toBe(304);
  });
});

describe('a value of the wrong type', () => {
  const wrong = { ...DEFAULT_DOCUMENT, values: [value('jump_height', { defaultValue: 'high' })] };
  const PROBLEM = {
    pointer: '/values/0/defaultValue',
    subject: 'value "jump_height"',
    message: 'The value must be a whole number.',
    position: null,
  };

  it('cannot be saved, tried or explained', async () => {
    const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    for (const [method, path, body] of [
      ['PUT', 'draft', { revision, document: wrong }],
      ['POST', 'dry-run', { document: wrong }],
      ['POST', 'explain', { hypothetical: {}, document: wrong }],
    ] as const) {
      const refused = await admin.call(method, `${GAME}/${path}`, body);
      expectGeneralError(refused, 422, 'document_invalid');
      expect(refused.json().error.problems).toEqual([PROBLEM]);
    }
  });

  it('cannot be published by going back to a version that has one', async () => {
    const { version } = await versionWith(wrong);
    await publishValues(VALUES);
    const refused = await admin.call('POST', `${GAME}/versions/${version}/roll-back`, { note: '' });
    expectGeneralError(refused, 422, 'document_invalid');
  });

  it('cannot be published from a draft that has one', async () => {
    const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    const saved = { ...DEFAULT_DOCUMENT, values: VALUES.slice(1) };
    await admin.ask('PUT', `${GAME}/draft`, { revision, document: saved });
    // As an older release might have saved it.
    await harness.pool.query('update config_drafts set document = $1', [JSON.stringify(wrong)]);
    const draft = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    const body = { revision: draft.revision, note: '' };
    expectGeneralError(await admin.call('POST', `${GAME}/draft/publish`, body), 422, 'document_invalid');
  });

  /** As an older release might have published it. */
  const versionWith = async (document: unknown) => {
    const version = await publishValues([value('jump_height', { defaultValue: 7 })]);
    const { rows } = await harness.pool.query<{ gameId: number }>(
      'update config_versions set document = $2 where version = $1 returning game_id as "gameId"',
      [version, JSON.stringify(document)],
    );
    const found = await findConfigVersion(harness.pool, rows[0]?.gameId ?? 0, version);
    if (found === undefined) throw new Error('no such version');
    return found;
  };
});
