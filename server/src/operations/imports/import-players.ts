import type { Client } from '../../platform/db/pool.js';
import { ERASED, type FindErased, OTHER_GAME } from './import-events.js';
import { type FoundPlayer, findPlayersByUserId, insertDevices, insertPlayers } from './import-queries.js';
import { type PlayerLine, readPlayerLine } from './player-line.js';
import type { LineImporter, LineOutcome } from './run-import.js';

type Line<Is extends PlayerLine['is']> = Extract<PlayerLine, { is: Is }>;

/** Creates the players of a file with their ids and times, and their devices. What is there already stays as it is. */
export function playerImporter(
  gameId: number,
  nowMs: number,
  findErased: FindErased,
): LineImporter<PlayerLine> {
  return {
    kind: 'players',
    read: (bytes) => readPlayerLine(bytes, nowMs),
    async apply(client, lines) {
      const players = lines.filter((line) => line.is === 'player');
      const devices = lines.filter((line) => line.is === 'device');
      const ofPlayers = players.length > 0 ? await addPlayers(client, gameId, players, findErased) : [];
      const ofDevices = devices.length > 0 ? await addDevices(client, gameId, devices) : [];
      return lines.map(({ is }) => (is === 'player' ? ofPlayers : ofDevices).shift() as LineOutcome);
    },
  };
}

async function addPlayers(
  client: Client,
  gameId: number,
  lines: readonly Line<'player'>[],
  findErased: FindErased,
): Promise<LineOutcome[]> {
  const first = new Map(lines.map((line) => [line.userId, line]));
  const erased = await findErased([...first.keys()]);
  for (const userId of erased) first.delete(userId);
  const created = await insertPlayers(client, gameId, [...first.values()]);
  const isNew = new Set(created.map(({ userId }) => userId));
  const known = await playersBy(client, [...first.keys()]);
  return lines.map(({ userId }) => {
    if (erased.has(userId)) return ERASED;
    if (known.get(userId)?.gameId !== gameId) return OTHER_GAME;
    return isNew.delete(userId) ? 'imported' : 'duplicate';
  });
}

async function addDevices(
  client: Client,
  gameId: number,
  lines: readonly Line<'device'>[],
): Promise<LineOutcome[]> {
  const userIds = lines.flatMap(({ userId, ownUserId }) =>
    ownUserId === null ? [userId] : [userId, ownUserId],
  );
  const players = await playersBy(client, userIds);
  const idOf = (userId: string | null) => {
    const player = players.get(userId ?? '');
    return player?.gameId === gameId ? player.playerId : null;
  };
  const ready = new Map(
    lines.flatMap(({ deviceId, userId, ownUserId, createdAtMs, attachedAtMs }) => {
      const playerId = idOf(userId);
      if (playerId === null) return [];
      return [
        [deviceId, { deviceId, playerId, createdAtMs, attachedAtMs, ownPlayerId: idOf(ownUserId) }] as const,
      ];
    }),
  );
  const stored = await insertDevices(client, gameId, [...ready.values()]);
  const storedOf = new Map(stored.map((device) => [device.deviceId, device]));
  return lines.map(({ deviceId, userId }) => {
    const playerId = idOf(userId);
    if (playerId === null) return UNKNOWN_PLAYER;
    const device = storedOf.get(deviceId);
    if (device?.playerId !== playerId) return OTHER_PLAYER;
    if (!device.isNew) return 'duplicate';
    device.isNew = false;
    return 'imported';
  });
}

const UNKNOWN_PLAYER: LineOutcome = {
  code: 'player_unknown',
  message: 'The player of the device is not in the game: the line of the player comes first.',
};

const OTHER_PLAYER: LineOutcome = {
  code: 'device_of_another_player',
  message:
    'The device has logged in here before, as another player. A server can attach it: PUT /v1/server/devices/{deviceId}.',
};

async function playersBy(client: Client, userIds: readonly string[]): Promise<Map<string, FoundPlayer>> {
  const found = await findPlayersByUserId(client, userIds);
  return new Map(found.map((player) => [player.userId, player]));
}
