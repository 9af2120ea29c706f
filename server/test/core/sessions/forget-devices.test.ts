import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetDevicesSteps } from '../../../src/app/core-operations.js';
import { forgetDevices } from '../../../src/core/sessions/forget-devices.js';
import { loadDeviceHashes } from '../../../src/core/sessions/forgotten-devices.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { resealAll } from '../../../src/studio/sessions/reseal-secrets.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import {
  createHarness,
  type Harness,
  postLogin,
  signedLogin,
  testActor,
  testMasterKeys,
} from '../../support/harness.js';
import { addServerKey, call } from '../../support/server-calls.js';
import { expectDead } from '../../support/session-calls.js';

const AFTER_DAYS = 90;

let harness: Harness;
let admin: AdminClient;
const masterKey = generateMasterKey();
beforeAll(async () => {
  harness = await createHarness({ masterKey });
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** Runs the walk so many days from now, from its beginning to its end. */
async function forget(daysFromNow: number, devicesPerChunk = 1_000): Promise<number> {
  return withDedicatedConnection(harness.pool, (connection) =>
    forgetDevices(connection, {
      hashes: harness.ctx.deviceHashes,
      afterDays: AFTER_DAYS,
      nowMs: harness.clock.now() + daysFromNow * DAY_MS,
      devicesPerChunk,
    }),
  );
}
const endSessions = () => harness.pool.query('delete from sessions');
const storedIds = async () => {
  const { rows } = await harness.pool.query<{ id: string }>('select device_id as id from devices order by 1');
  return rows.map(({ id }) => id);
};

it('replaces the id of a device by a hash once its player is away for long, and the device still finds its player', async () => {
  const { userId } = await harness.login('the phone');
  expect(await forget(0)).toBe(0);
  // the session has not expired; then the time has not passed
  expect(await forget(AFTER_DAYS + 1)).toBe(0);
  await endSessions();
  expect(await forget(AFTER_DAYS - 1)).toBe(0);
  expect(await storedIds()).toEqual(['the phone']);

  expect(await forget(AFTER_DAYS + 1)).toBe(1);
  const [stored] = await storedIds();
  expect(stored).not.toContain('phone');
  // nobody can send it: it begins with a control character
  expect(stored?.charCodeAt(0)).toBe(1);
  const sent = await postLogin(
    harness.app,
    signedLogin({ deviceId: stored ?? '', nowMs: harness.clock.now() }),
  );
  expect(sent.statusCode).toBe(400);

  const otherNode = await harness.addNode();
  expect((await harness.login('the phone', otherNode.app)).userId).toBe(userId);
  expect((await harness.login('another phone')).userId).not.toBe(userId);
  expect(await forget(AFTER_DAYS + 1)).toBe(0);
});

it('is found by its id in the console and by servers, and can be attached and detached', async () => {
  const { userId } = await harness.login('old phone');
  const { userId: account } = await harness.login('new phone');
  await endSessions();
  await forget(AFTER_DAYS + 1);
  expect(await storedIds()).not.toContain('old phone');

  const found = await admin.ask<{ players: { playerId: string }[] }>(
    'GET',
    '/games/demo-game/players?find=old%20phone',
  );
  expect(found.players.map(({ playerId }) => playerId)).toEqual([userId]);
  const devices = await admin.ask<{ devices: { deviceId: string }[] }>(
    'GET',
    `/games/demo-game/players/${userId}/devices`,
  );
  expect(devices.devices.map(({ deviceId }) => deviceId)).toEqual([
    expect.stringMatching(/^forgotten:[\w-]{43}$/),
  ]);

  const { headers } = await addServerKey(harness);
  const url = '/v1/server/devices/old%20phone';
  const byServer = await call(harness.app, { url: '/v1/server/players?deviceId=old%20phone', headers });
  expect(byServer.json()).toMatchObject({ data: { userId } });
  const former = await harness.login('old phone');
  expect(former.userId).toBe(userId);
  const attached = await call(harness.app, { method: 'PUT', url, headers, payload: { userId: account } });
  expect(attached.statusCode).toBe(200);
  await expectDead(harness.app, former);
  expect((await harness.login('old phone')).userId).toBe(account);
  expect((await call(harness.app, { method: 'DELETE', url, headers })).statusCode).toBe(200);
  expect((await harness.login('old phone')).userId).toBe(userId);
});

it('walks over all devices in chunks, and leaves those that were used since', async () => {
  for (let n = 0; n < 5; n++) await harness.login(`chunked-${n}`);
  const { userId } = await harness.login('used since');
  await endSessions();
  await harness.pool.query('update players set last_event_at = $2 where user_id = $1', [
    userId,
    new Date(harness.clock.now() + 2 * DAY_MS),
  ]);
  await forget(AFTER_DAYS + 1, 2);
  const stored = await storedIds();
  expect(stored.filter((id) => id.startsWith('chunked'))).toEqual([]);
  expect(stored).toContain('used since');
});

it('keeps its key when the master key is rotated', async () => {
  const both = testMasterKeys(`${generateMasterKey()},${masterKey}`);
  const before = harness.ctx.deviceHashes.forgottenId(1, 'device');
  await resealAll(harness.pool, both, testActor());
  const { rows } = await harness.pool.query<{ id: string }>(
    "select encode(substring(sealed_key from 2 for 4), 'hex') as id from device_forgetting",
  );
  expect(rows).toEqual([{ id: both.primaryId }]);
  expect((await loadDeviceHashes(harness.pool, both)).forgottenId(1, 'device')).toBe(before);
});

it('is a step of maintenance only where it is asked for', () => {
  expect(forgetDevicesSteps(harness.ctx.deviceHashes, 0)).toEqual([]);
  expect(forgetDevicesSteps(harness.ctx.deviceHashes, 30)).toMatchObject([{ name: 'devices' }]);
});
