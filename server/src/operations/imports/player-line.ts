import { isDeviceIdText, MAX_DEVICE_ID_LENGTH } from '../../core/sessions/device-id.js';
import type { AgeGroup } from '../../decide/attributes/player-facts.js';
import { isUserId, type LineError, readInstant, readLine, USER_ID_INVALID } from './event-line.js';
import type { HistoricPlayer } from './import-queries.js';

/** A line of `savepoint export players`: all players come first, then their devices. */
export type PlayerLine =
  | ({ is: 'player' } & HistoricPlayer)
  | {
      is: 'device';
      deviceId: string;
      userId: string;
      createdAtMs: number;
      attachedAtMs: number | null;
      /** The player that the device had before the studio attached it to this one. */
      ownUserId: string | null;
    };

const AGE_GROUPS: readonly AgeGroup[] = ['child', 'teen', 'adult'];

export function readPlayerLine(bytes: Buffer | undefined, nowMs: number): PlayerLine | LineError {
  const line = readLine(bytes);
  if ('code' in line) return line;
  const { members } = line;
  const userId = readUserId(members.userId);
  if (userId === undefined) return USER_ID_INVALID;
  const createdAtMs = readInstant(members.createdAt);
  if (createdAtMs === undefined || createdAtMs > nowMs) {
    return {
      code: 'created_at_invalid',
      message: 'createdAt must be RFC 3339 with a zone, and in the past.',
    };
  }
  return 'deviceId' in members
    ? readDevice(members, userId, createdAtMs)
    : readPlayer(members, userId, createdAtMs);
}

function readPlayer(
  { ageGroup = null, ageGroupAt }: Record<string, unknown>,
  userId: string,
  createdAtMs: number,
): PlayerLine | LineError {
  if (ageGroup !== null && !AGE_GROUPS.includes(ageGroup as AgeGroup)) {
    return { code: 'age_group_invalid', message: `ageGroup must be ${AGE_GROUPS.join(', ')} or null.` };
  }
  return {
    is: 'player',
    userId,
    createdAtMs,
    ageGroup: ageGroup as AgeGroup | null,
    ageGroupAtMs: readInstant(ageGroupAt) ?? null,
  };
}

function readDevice(
  { deviceId, attachedAt, ownUserId }: Record<string, unknown>,
  userId: string,
  createdAtMs: number,
): PlayerLine | LineError {
  if (typeof deviceId !== 'string' || !isDeviceId(deviceId)) {
    return {
      code: 'device_id_invalid',
      message: `deviceId must be 1 to ${MAX_DEVICE_ID_LENGTH} characters, none of them a control character.`,
    };
  }
  const attachedAtMs = readInstant(attachedAt) ?? null;
  return {
    is: 'device',
    deviceId,
    userId,
    createdAtMs,
    attachedAtMs,
    ownUserId: readUserId(ownUserId) ?? null,
  };
}

function isDeviceId(text: string): boolean {
  return text !== '' && [...text].length <= MAX_DEVICE_ID_LENGTH && isDeviceIdText(text);
}

function readUserId(value: unknown): string | undefined {
  return isUserId(value) ? value.toLowerCase() : undefined;
}
