import { createHmac, randomBytes } from 'node:crypto';
import type { Pool } from '../../platform/db/pool.js';
import { type MasterKeys, seal, unseal } from '../../platform/security/master-keys.js';

/**
 * The id of a device whose player has not come back for long is replaced by a keyed hash of it (forget-devices.ts). The device still finds
 * its player: whoever looks a device up looks for its id and for the hash.
 */
export type DeviceHashes = Readonly<{
  /** What stands in the place of the id once it is forgotten. */
  forgottenId(gameId: number, deviceId: string): string;
}>;

/** A control character, which no client can send: so nobody can log in by sending the hash. */
export const FORGOTTEN_MARK = '\u0001';
const KEY_BYTES = 32;
/** What the key is sealed for. */
export const DEVICE_KEY_BINDING = 'device-hashes';

function createDeviceHashes(key: Buffer): DeviceHashes {
  return {
    forgottenId: (gameId, deviceId) =>
      FORGOTTEN_MARK + createHmac('sha256', key).update(`${gameId}:${deviceId}`).digest('base64url'),
  };
}

/**
 * Every process loads the key at its start, and the first one makes it, also where no device is ever forgotten: a process that
 * started without a key would take a device that comes back for a new one.
 */
export async function loadDeviceHashes(pool: Pool, masterKeys: MasterKeys): Promise<DeviceHashes> {
  const sealed = (await findDeviceKey(pool)) ?? (await insertDeviceKey(pool, masterKeys));
  return createDeviceHashes(unseal(masterKeys, sealed, DEVICE_KEY_BINDING));
}

async function findDeviceKey(pool: Pool): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>('select sealed_key as sealed from device_forgetting');
  return rows[0]?.sealed;
}

/** Of several processes that start together, the key of the first one counts. */
async function insertDeviceKey(pool: Pool, masterKeys: MasterKeys): Promise<Buffer> {
  await pool.query('insert into device_forgetting (sealed_key) values ($1) on conflict do nothing', [
    seal(masterKeys, randomBytes(KEY_BYTES), DEVICE_KEY_BINDING),
  ]);
  const sealed = await findDeviceKey(pool);
  if (sealed === undefined) throw new Error('the key of device hashes was not stored');
  return sealed;
}

/** A device id for people: of a forgotten one, the hash. */
export function shownDeviceId(deviceId: string): string {
  return deviceId.replace(FORGOTTEN_MARK, 'forgotten:');
}
