import type { EventContext } from '../../core/events/intake/event-context.js';
import type { PlayerContext } from '../../core/players/player-context.js';
import type { PlayerPredictions } from '../../core/predictions/player-predictions.js';
import { isDeviceIdText, MAX_DEVICE_ID_LENGTH } from '../../core/sessions/device-id.js';
import type { DeviceHashes } from '../../core/sessions/forgotten-devices.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import type { DevicePlace } from './served-player-queries.js';
import type { ServerKeys } from './server-keys.js';

/** What the routes for the studio's own servers need of the process. */
export type ServerContext = EventContext &
  PlayerContext &
  Readonly<{
    pool: Pool;
    serverKeys: ServerKeys;
    deviceHashes: DeviceHashes;
    /** All predictions, also those that are not visible to clients. */
    serverPredictions: PlayerPredictions;
  }>;

/** Where a device of a request is found. */
export function devicePlace({ deviceHashes }: ServerContext, gameId: number, deviceId: string): DevicePlace {
  return { gameId, deviceId, forgottenId: deviceHashes.forgottenId(gameId, deviceId) };
}

/** What a login would take, too. */
export function deviceIdOf(text: string): string {
  const isOne = text !== '' && [...text].length <= MAX_DEVICE_ID_LENGTH && isDeviceIdText(text);
  if (isOne) return text;
  throw new ApiError('parameter_invalid', {
    message: `deviceId must have 1 to ${MAX_DEVICE_ID_LENGTH} characters, and no control characters.`,
  });
}
