import { readFile } from 'node:fs/promises';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPlayerApp } from '../../../src/app/player-app.js';
import type { ServerScope } from '../../../src/core/sessions/api-key-queries.js';
import { updateKeyExpiry, updateKeyRevoked } from '../../../src/core/sessions/api-key-queries.js';
import { PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { insertGame } from '../../../src/platform/admin-api/tenants.js';
import { transaction } from '../../../src/platform/db/pool.js';
import { createMetrics } from '../../../src/platform/telemetry/metrics.js';
import { expectGeneralError, gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { requestDeletion } from '../../support/erasure-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { gameEvent, rejectedCodes } from '../../support/registry-calls.js';
import { addServerKey, call, type ServerRequest } from '../../support/server-calls.js';
import {
  addStudio,
  expectAlive,
  expectDead,
  expectRefusedToken,
  expectStringError,
  type Studio,
} from '../../support/session-calls.js';

const API_DOCUMENT = new URL('../../../../openapi/player.json', import.meta.url);

let harness: Harness;
let key: Awaited<ReturnType<typeof addServerKey>>;
let other: Studio;
beforeAll(async () => {
  harness = await createHarness();
  key = await addServerKey(harness);
  other = await addStudio(harness, 'other-studio', 'other-game');
  await insertGame(harness.pool, 'demo-studio', 'second-game', 'Second game');
});
afterAll(() => harness.close());

const ask = (request: Omit<ServerRequest, 'headers'> & { headers?: Record<string, string> }) =>
  call(harness.app, { headers: key.headers, ...request });
const send = (events: unknown, headers = key.headers) =>
  ask({ method: 'POST', url: '/v1/server/events', headers, payload: events });
const event = (session: Session, n = 0) => ({
  userId: session.userId,
  ...gameEvent('Match_End', n, harness.clock.now()),
  eventId: `${session.userId}-${n}`,
});
const eventCount = async ({ userId }: Session): Promise<number> => {
  const { rows } = await harness.pool.query('select event_count as n from players where user_id = $1', [
    userId,
  ]);
  return Number(rows[0].n);
};

/** Every route, with the scope that it needs, and what a key of another game gets for a player and a device of the demo game. */
const ROUTES: (Omit<ServerRequest, 'headers'> & { scope: ServerScope; elsewhere: ElsewhereCode })[] = [
  {
    scope: 'events:write',
    method: 'POST',
    url: '/v1/server/events',
    payload: [{ ...gameEvent('Match_End', 0, 0), userId: 'USER' }],
    elsewhere: 'events_rejected',
  },
  ...['status', 'store_configs', 'segments', 'values', 'predictions'].map((read) => ({
    scope: 'players:read' as const,
    url: `/v1/server/players/USER/${read}`,
    elsewhere: 'player_not_found' as const,
  })),
  { scope: 'players:read', url: '/v1/server/players?deviceId=DEVICE', elsewhere: 'player_not_found' },
  {
    scope: 'players:write',
    method: 'PUT',
    url: '/v1/server/devices/DEVICE',
    payload: { userId: 'USER' },
    elsewhere: 'player_not_found',
  },
  {
    scope: 'players:write',
    method: 'DELETE',
    url: '/v1/server/devices/DEVICE',
    elsewhere: 'device_not_attached',
  },
  {
    scope: 'players:write',
    method: 'PATCH',
    url: '/v1/server/players/USER',
    payload: { ageGroup: null },
    elsewhere: 'player_not_found',
  },
];
type ElsewhereCode = 'player_not_found' | 'device_not_attached' | 'events_rejected';
const DEVICE = 'a-device-of-the-demo-game';

it('lists every route of the app, and each is in the OpenAPI document', async () => {
  const registered: string[] = [];
  const metrics = createMetrics();
  const app = await buildPlayerApp({ ...harness.ctx, metrics }, async (building) => {
    building.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) {
        if (url.startsWith('/v1/server') && name !== 'HEAD') registered.push(`${name} ${url}`);
      }
    });
  });
  await app.close();
  metrics.stop();
  const listed = ROUTES.map(({ method = 'GET', url }) => `${method} ${patternOf(url)}`);
  expect(registered.sort()).toEqual(listed.sort());
  const { paths } = JSON.parse(await readFile(API_DOCUMENT, 'utf8')) as { paths: Record<string, object> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(documented.filter((name) => name.includes(' /v1/server')).sort()).toEqual(listed);
});

describe.each(ROUTES)('$method $url', ({ scope, elsewhere, ...route }) => {
  const sendAs = async (headers: Record<string, string>) => {
    const { userId } = await harness.login(DEVICE);
    const filled = JSON.stringify(route).replaceAll('USER', userId).replaceAll('DEVICE', DEVICE);
    return ask({ ...(JSON.parse(filled) as typeof route), headers });
  };
  const withKey = (text: string) => ({ ...key.headers, authorization: `Bearer ${text}` });

  it('takes the key of its game, and finds nothing for the key of another game of the studio', async () => {
    const found = await sendAs(key.headers);
    expect([200, 202, 404], found.body).toContain(found.statusCode);
    const { headers } = await addServerKey(harness, { game: 'second-game' });
    const refused = await sendAs(headers);
    expectGeneralError(refused, elsewhere === 'events_rejected' ? 400 : 404, elsewhere);
  });

  it('refuses whoever has no server key that works', async () => {
    expectStringError(await sendAs({ 'x-tenant-id': 'demo-studio' }), 401, 'token_missing');
    const session = await harness.login('device-of-a-client');
    expectRefusedToken(await sendAs(session.headers), 'token_invalid');
    const changed = key.secret.slice(0, -1) + (key.secret.endsWith('0') ? '1' : '0');
    expectRefusedToken(await sendAs(withKey(changed)), 'token_invalid');
    const stranger = await addServerKey(harness);
    const mixed = stranger.secret.replace(stranger.keyId, key.keyId);
    expectRefusedToken(await sendAs(withKey(mixed)), 'token_invalid');
  });

  it('refuses a key that is revoked or has ended', async () => {
    const revoked = await addServerKey(harness);
    await transaction(harness.pool, (client) =>
      updateKeyRevoked(client, revoked.keyId, { endSessions: false }),
    );
    expectRefusedToken(await sendAs(revoked.headers), 'token_invalid');
    const ended = await addServerKey(harness);
    await transaction(harness.pool, (client) => updateKeyExpiry(client, ended.keyId, harness.clock.now()));
    expectRefusedToken(await sendAs(ended.headers), 'token_invalid');
  });

  it('refuses a key without the scope, from a browser, and of another tenant', async () => {
    const others = (['events:write', 'players:read', 'players:write', 'purchases:write'] as const).filter(
      (one) => one !== scope,
    );
    const narrow = await addServerKey(harness, { scopes: others });
    expectGeneralError(await sendAs(narrow.headers), 403, 'scope_missing');
    expectGeneralError(
      await sendAs({ ...key.headers, origin: 'https://game.example' }),
      403,
      'server_key_in_browser',
    );
    expectGeneralError(
      await sendAs({ ...key.headers, 'x-tenant-id': 'other-studio' }),
      403,
      'tenant_mismatch',
    );
    expectGeneralError(await sendAs({ authorization: key.headers.authorization }), 400, 'header_missing');
  });
});

function patternOf(url: string): string {
  const [path = ''] = url.split('?');
  return path.replace('DEVICE', ':deviceId').replace('USER', ':userId');
}

describe('a server key', () => {
  it('is refused where a token of a player is expected, and by logins', async () => {
    const session = await harness.login();
    expectRefusedToken(await get(harness.app, '/v1/player/status', session, key.headers), 'token_invalid');
  });

  it('says when and from where it was last used', async () => {
    const used = await addServerKey(harness);
    await ask({ url: '/v1/server/players?deviceId=x', headers: used.headers });
    await expect
      .poll(async () => {
        const { rows } = await harness.pool.query(
          'select last_used_at as at, last_used_from as address from api_keys where key_id = $1',
          [used.keyId],
        );
        return rows[0];
      })
      .toEqual({ at: harness.clock.now(), address: '127.0.0.1' });
  });

  it('has rate limits of its own', async () => {
    const { app } = await harness.addNode({
      rateLimits: { ...harness.ctx.settings.rateLimits, requestsPerServerKey: 2, eventsPerServerKey: 500 },
    });
    const busy = await addServerKey(harness);
    const read = (headers: Record<string, string>) =>
      call(app, { url: '/v1/server/players?deviceId=x', headers });
    const codes = async (headers: Record<string, string>) => [
      (await read(headers)).statusCode,
      (await read(headers)).statusCode,
      (await read(headers)).statusCode,
    ];
    expect(await codes(busy.headers)).toEqual([404, 404, 429]);
    expect((await read(key.headers)).statusCode).toBe(404);
  });
});

describe('events of a server', () => {
  it('count for their players, each once, with those that the player sends under the same eventId', async () => {
    const [anna, ben] = [await harness.login('anna'), await harness.login('ben')];
    const batch = [event(anna, 1), event(ben, 1), event(anna, 2)];
    expect((await send(batch)).json()).toEqual({
      data: { accepted: 3, duplicates: 0, rejected: [] },
      status: 'success',
    });
    expect((await send(batch)).json().data).toEqual({ accepted: 0, duplicates: 3, rejected: [] });
    const { userId: _, ...own } = event(anna, 2);
    expect((await postEvents(harness.app, anna, [own])).json().data).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    expect([await eventCount(anna), await eventCount(ben)]).toEqual([2, 1]);
  });

  it('of an unknown player, or of a player of another game, are rejected alone', async () => {
    const carla = await harness.login('carla');
    const stranger = await other.login('stranger');
    const bad = [
      { ...event(carla, 1), userId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a' },
      { ...event(carla, 2), userId: stranger.userId },
      { ...event(carla, 3), userId: 'nobody' },
      { ...event(carla, 4), userId: 7 },
      null,
    ];
    const response = await send([...bad, event(carla, 5)]);
    expect(response.statusCode).toBe(202);
    expect(rejectedCodes(response)).toEqual(bad.map(() => 'player_unknown'));
    expect([await eventCount(carla), await eventCount(stranger)]).toEqual([1, 0]);
    expectGeneralError(await send(bad), 400, 'events_rejected');
  });

  it('that are wrong wait in the inbox, each with its place in the batch', async () => {
    const [dora, emil] = [await harness.login('dora'), await harness.login('emil')];
    const bad = { ...event(emil, 2), timestamp: 'yesterday' };
    const response = await send([event(dora, 1), event(emil, 1), bad]);
    expect(response.json().data).toMatchObject({
      accepted: 2,
      rejected: [{ index: 2, code: 'timestamp_malformed' }],
    });
    const { rows } = await harness.pool.query(
      'select f.raw from failed_events f join players p on p.id = f.player_id where p.user_id = $1',
      [emil.userId],
    );
    expect(rows.map(({ raw }) => JSON.parse(raw))).toEqual([bad]);
  });

  it('are refused as a whole where the body is no batch', async () => {
    expectGeneralError(await send({}), 400, 'body_invalid');
    const fritz = await harness.login('fritz');
    const many = Array.from({ length: 501 }, (_, n) => event(fritz, n));
    expectGeneralError(await send(many), 413, 'batch_too_large');
  });

  it('of five hundred players make one batch', async () => {
    const sessions = await Promise.all(Array.from({ length: 60 }, (_, n) => harness.login(`many-${n}`)));
    const padding = 'x'.repeat(1_500);
    const batch = Array.from({ length: 500 }, (_, n) => {
      const one = event(sessions[n % sessions.length] as Session, n);
      return { ...one, payload: { padding } };
    });
    expect((await send(batch)).json().data).toEqual({ accepted: 500, duplicates: 0, rejected: [] });
  });
});

describe('reads of a server', () => {
  it('are the bodies of the player API, with their ETag', async () => {
    const session = await harness.login('gina');
    for (const read of ['status', 'store_configs', 'segments', 'predictions']) {
      const own = await get(harness.app, `/v1/player/${read}`, session);
      const served = await ask({ url: `/v1/server/players/${session.userId.toUpperCase()}/${read}` });
      expect(served.statusCode).toBe(200);
      if (read !== 'predictions') expect(served.json()).toEqual(own.json());
      const { etag } = served.headers;
      expect(etag === undefined).toBe(read === 'status');
      if (etag === undefined) continue;
      const again = await ask({
        url: `/v1/server/players/${session.userId}/${read}`,
        headers: { ...key.headers, 'if-none-match': String(etag) },
      });
      expect(again.statusCode).toBe(304);
    }
  });

  it('show all predictions, also those that clients do not see', async () => {
    const { headers } = await addServerKey(harness, { tenant: 'other-studio', game: 'other-game' });
    const session = await other.login('hans');
    const served = await ask({ url: `/v1/server/players/${session.userId}/predictions`, headers });
    expect(Object.keys(served.json().predictions)).toEqual([...PREDICTION_NAMES]);
    const own = await get(harness.app, '/v1/player/predictions', session);
    expect(own.json().predictions).toEqual({});
  });

  it('find no player of another game', async () => {
    const stranger = await other.login('hidden');
    for (const read of ['status', 'store_configs', 'segments', 'predictions']) {
      expectGeneralError(
        await ask({ url: `/v1/server/players/${stranger.userId}/${read}` }),
        404,
        'player_not_found',
      );
    }
    expectGeneralError(await ask({ url: '/v1/server/players?deviceId=hidden' }), 404, 'player_not_found');
    expectGeneralError(await ask({ url: '/v1/server/players/nobody/status' }), 404, 'player_not_found');
  });
});

describe('a device', () => {
  const attach = (deviceId: string, userId: string) =>
    ask({ method: 'PUT', url: `/v1/server/devices/${encodeURIComponent(deviceId)}`, payload: { userId } });
  const detach = (deviceId: string) =>
    ask({ method: 'DELETE', url: `/v1/server/devices/${encodeURIComponent(deviceId)}` });
  const playerOf = async (deviceId: string): Promise<LightMyRequestResponse> =>
    ask({ url: `/v1/server/players?deviceId=${encodeURIComponent(deviceId)}` });

  it('that is attached belongs to the player from its next login on, and comes back when it is detached', async () => {
    const ida = await harness.login('old phone');
    const newPhone = await harness.login('new phone');
    expect(newPhone.userId).not.toBe(ida.userId);
    expect((await attach('new phone', ida.userId)).json()).toEqual({
      data: { deviceId: 'new phone', userId: ida.userId },
      status: 'success',
    });
    await expectDead(harness.app, newPhone);
    await expectAlive(harness.app, ida);
    expect((await playerOf('new phone')).json().data).toEqual({ userId: ida.userId });

    const again = await harness.login('new phone');
    expect(again.userId).toBe(ida.userId);
    await expectAlive(harness.app, again);
    expect((await attach('new phone', ida.userId)).statusCode).toBe(200);
    await expectAlive(harness.app, again);

    expect((await detach('new phone')).statusCode).toBe(200);
    await expectDead(harness.app, again);
    await expectAlive(harness.app, ida);
    expect((await harness.login('new phone')).userId).toBe(newPhone.userId);
    expectGeneralError(await detach('new phone'), 404, 'device_not_attached');
  });

  it('that moves between players goes back to its first one', async () => {
    const [first, second, own] = [
      await harness.login('jo-1'),
      await harness.login('jo-2'),
      await harness.login('jo-3'),
    ];
    await attach('jo-3', first.userId);
    await attach('jo-3', second.userId);
    expect((await harness.login('jo-3')).userId).toBe(second.userId);
    await detach('jo-3');
    expect((await harness.login('jo-3')).userId).toBe(own.userId);
    await attach('jo-3', first.userId);
    await attach('jo-3', own.userId);
    expectGeneralError(await detach('jo-3'), 404, 'device_not_attached');
  });

  it('that never logged in can be attached, and is new again when it is detached', async () => {
    const karl = await harness.login('karl');
    const deviceId = '📱'.repeat(256);
    expect((await attach(deviceId, karl.userId)).statusCode).toBe(200);
    expect((await harness.login(deviceId)).userId).toBe(karl.userId);
    await detach(deviceId);
    expectGeneralError(await playerOf(deviceId), 404, 'player_not_found');
    expect((await harness.login(deviceId)).userId).not.toBe(karl.userId);
  });

  it('is attached only to a player of the game', async () => {
    const stranger = await other.login('l');
    await harness.login('lena');
    for (const userId of [stranger.userId, 'nobody', '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a']) {
      expectGeneralError(await attach('lena', userId), 404, 'player_not_found');
    }
    expectGeneralError(await attach(`d${'x'.repeat(256)}`, stranger.userId), 400, 'parameter_invalid');
    expectGeneralError(await attach('line\nbreak', stranger.userId), 400, 'parameter_invalid');
    expectGeneralError(await playerOf('nul\0'), 400, 'parameter_invalid');
    const body = { method: 'PUT', url: '/v1/server/devices/lena' } as const;
    expectGeneralError(await ask({ ...body, payload: { userID: 'x' } }), 400, 'body_invalid');
  });

  it('is attached once by fifty servers at a time', async () => {
    const players = await Promise.all(Array.from({ length: 5 }, (_, n) => harness.login(`m-${n}`)));
    const calls = Array.from({ length: 50 }, (_, n) => attach('contested', players[n % 5]?.userId ?? ''));
    expect(new Set((await Promise.all(calls)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const winner = (await playerOf('contested')).json().data.userId;
    expect((await harness.login('contested')).userId).toBe(winner);
  });
});

describe('the age group of a player', () => {
  it('is stored, and forgotten with null', async () => {
    const session = await harness.login('nils');
    const change = (ageGroup: unknown) =>
      ask({ method: 'PATCH', url: `/v1/server/players/${session.userId}`, payload: { ageGroup } });
    const stored = async () => {
      const { rows } = await harness.pool.query('select age_group as g from players where user_id = $1', [
        session.userId,
      ]);
      return rows[0].g;
    };
    expect((await change('child')).json().data).toEqual({ userId: session.userId, ageGroup: 'child' });
    expect(await stored()).toBe('child');
    expectGeneralError(await change('baby'), 400, 'body_invalid');
    expect((await change('child')).statusCode).toBe(200);
    await change(null);
    expect(await stored()).toBe(null);
  });

  it('is not changed while the erasure of the player waits, as nothing else is', async () => {
    const session = await harness.login('leaving');
    expect((await requestDeletion(harness, session)).statusCode).toBe(202);
    const url = `/v1/server/players/${session.userId}`;
    expectGeneralError(
      await ask({ method: 'PATCH', url, payload: { ageGroup: 'child' } }),
      404,
      'player_not_found',
    );
    expectGeneralError(await ask({ url: `${url}/status` }), 404, 'player_not_found');
    const { rows } = await harness.pool.query('select age_group as g from players where user_id = $1', [
      session.userId,
    ]);
    expect(rows).toEqual([{ g: null }]);
  });

  it('takes predictions and personal prices away from a child, at once and in explanations', async () => {
    const personal = offer('personal', {
      when: 'eventCount.total >= 0',
      effect: { price: { discountPercent: '50' }, promoId: 'personal' },
    });
    const gems = sku('gems', { actualPrice: '10', offerPrice: '10' });
    await publish(harness.pool, gameDocument([gems], { offers: [personal] }), harness.clock.now());
    const session = await harness.login('olga');
    const price = async () =>
      (await get(harness.app, '/v1/player/store_configs', session)).json().activeSkus[0].offerPrice;
    const states = async () => {
      const served = await ask({ url: `/v1/server/players/${session.userId}/predictions` });
      const predictions: { state: string }[] = Object.values(served.json().predictions);
      return [...new Set(predictions.map(({ state }) => state))];
    };
    const update = async () =>
      (await get(harness.app, '/v1/player/store_configs', session)).json().lastUpdatedTimestamp;
    expect([await price(), await states()]).toEqual([5, ['cold_start']]);
    const before = await update();
    harness.clock.advance(1_000);
    await ask({
      method: 'PATCH',
      url: `/v1/server/players/${session.userId}`,
      payload: { ageGroup: 'child' },
    });
    expect([await price(), await states()]).toEqual([10, ['off']]);
    expect(await update()).toBeGreaterThan(before);
    await ask({
      method: 'PATCH',
      url: `/v1/server/players/${session.userId}`,
      payload: { ageGroup: 'adult' },
    });
    expect([await price(), await states()]).toEqual([5, ['cold_start']]);
  });
});
