import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { type DeviceHashes, FORGOTTEN_MARK } from './forgotten-devices.js';

const DEVICES_PER_CHUNK = 1_000;
/** Some seconds. Ten million devices are walked over in two days. */
const DEVICES_PER_RUN = 200_000;

type WalkedDevice = { gameId: number; deviceId: string; isDue: boolean };

/**
 * Replaces the ids of devices whose players have not come back for some days by hashes, and returns how many. It walks over all devices
 * in the order of their key, some of them in each run, and starts again at the end:
 *
 *   [ chunk of devices ──► which players are away? ──► hash their ids, move the position ] … ──► the next run continues
 *
 * A device that logs in meanwhile is found by the hash as well as by the id.
 */
export async function forgetDevices(
  connection: DedicatedConnection,
  options: {
    hashes: DeviceHashes;
    afterDays: number;
    nowMs: number;
    signal?: AbortSignal;
    devicesPerChunk?: number;
  },
): Promise<number> {
  const { hashes, afterDays, nowMs, signal, devicesPerChunk = DEVICES_PER_CHUNK } = options;
  const before = new Date(nowMs - afterDays * DAY_MS);
  let forgotten = 0;
  for (let walked = 0; walked < DEVICES_PER_RUN && signal?.aborted !== true; ) {
    const devices = await listDevicesAfterPosition(connection, before, devicesPerChunk);
    const isEnd = devices.length < devicesPerChunk;
    await inTransaction(connection, async () => {
      for (const { gameId, deviceId, isDue } of devices) {
        if (!isDue) continue;
        forgotten += await updateDeviceId(connection, gameId, deviceId, hashes.forgottenId(gameId, deviceId));
      }
      await updatePosition(connection, isEnd ? undefined : devices.at(-1));
    });
    if (isEnd) break;
    walked += devices.length;
  }
  return forgotten;
}

/** A player who has a session was here within the lifetime of a refresh token. */
async function listDevicesAfterPosition(
  connection: DedicatedConnection,
  before: Date,
  limit: number,
): Promise<WalkedDevice[]> {
  const { rows } = await connection.query<WalkedDevice>(
    `select d.game_id as "gameId", d.device_id as "deviceId",
       left(d.device_id, 1) <> $3 and greatest(d.created_at, d.attached_at, p.last_event_at) < $1 and s.player_id is null as "isDue"
     from (
       select * from devices
       where (game_id, device_id) > (
         (select walked_game_id from device_forgetting), (select walked_device_id from device_forgetting)
       )
       order by game_id, device_id
       limit $2
     ) d
     left join lateral (select last_event_at from players p where p.id = d.player_id offset 0) p on true
     left join lateral (select s.player_id from sessions s where s.player_id = d.player_id limit 1) s on true
     order by d.game_id, d.device_id`,
    [before, limit, FORGOTTEN_MARK],
  );
  return rows;
}

/** Zero if the device has been stored under its hash, too: the row with the id is the later one, and stays. */
async function updateDeviceId(
  connection: DedicatedConnection,
  gameId: number,
  deviceId: string,
  forgottenId: string,
): Promise<number> {
  const { rowCount } = await connection.query(
    `update devices set device_id = $3
     where game_id = $1 and device_id = $2 and not exists (select from devices where game_id = $1 and device_id = $3)`,
    [gameId, deviceId, forgottenId],
  );
  return rowCount ?? 0;
}

/** Without a device the walk starts again. */
async function updatePosition(
  connection: DedicatedConnection,
  last: WalkedDevice | undefined,
): Promise<void> {
  await connection.query('update device_forgetting set walked_game_id = $1, walked_device_id = $2', [
    last?.gameId ?? 0,
    last?.deviceId ?? '',
  ]);
}
