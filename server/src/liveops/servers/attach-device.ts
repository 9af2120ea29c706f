import { type Pool, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import {
  type DevicePlace,
  deleteDevice,
  deleteSessionsOfDevice,
  findPlayersOfGame,
  insertAttachedDevice,
  lockDevice,
  restoreDeviceId,
  updateDeviceOwner,
} from './served-player-queries.js';

/**
 * Attaches a device to a player: from the next login on it belongs to that player, and its sessions under the player that it had end.
 * The player that the device had at first is kept, for `detachDevice`.
 * @throws ApiError `player_not_found`
 */
export async function attachDevice(
  pool: Pool,
  place: DevicePlace,
  userId: string,
  nowMs: number,
): Promise<void> {
  const { gameId, deviceId } = place;
  const [player] = await findPlayersOfGame(pool, gameId, [userId]);
  if (player === undefined) throw new ApiError('player_not_found');
  const { playerId } = player;
  const former = await transaction(pool, async (client) => {
    await restoreDeviceId(client, place);
    if ((await insertAttachedDevice(client, { gameId, deviceId, playerId, nowMs })) === 1) return undefined;
    const device = await lockDevice(client, gameId, deviceId);
    if (device === undefined || device.playerId === playerId) return undefined;
    const ownPlayerId = device.attachedAt === null ? device.playerId : device.ownPlayerId;
    const isOwn = ownPlayerId === playerId;
    await updateDeviceOwner(client, gameId, deviceId, {
      playerId,
      ownPlayerId: isOwn ? null : ownPlayerId,
      attachedAt: isOwn ? null : nowMs,
    });
    await deleteSessionsOfDevice(client, device.playerId, deviceId);
    return device.playerId;
  });
  await endLateSessions(pool, former, deviceId);
}

/**
 * Gives a device back to the player that it had before it was attached. If it had none, its next login creates one.
 * @throws ApiError `device_not_attached`
 */
export async function detachDevice(pool: Pool, place: DevicePlace): Promise<void> {
  const { gameId, deviceId } = place;
  const former = await transaction(pool, async (client) => {
    await restoreDeviceId(client, place);
    const device = await lockDevice(client, gameId, deviceId);
    if (device === undefined || device.attachedAt === null) throw new ApiError('device_not_attached');
    const { ownPlayerId } = device;
    if (ownPlayerId === null) await deleteDevice(client, gameId, deviceId);
    else {
      const given = { playerId: ownPlayerId, ownPlayerId: null, attachedAt: null };
      await updateDeviceOwner(client, gameId, deviceId, given);
    }
    await deleteSessionsOfDevice(client, device.playerId, deviceId);
    return device.playerId;
  });
  await endLateSessions(pool, former, deviceId);
}

/** A login that read the device just before the commit has opened its session by now. */
async function endLateSessions(pool: Pool, playerId: string | undefined, deviceId: string): Promise<void> {
  if (playerId !== undefined) await deleteSessionsOfDevice(pool, playerId, deviceId);
}
