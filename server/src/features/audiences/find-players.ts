import type { Pool } from '../../db/pool.js';
import { UUID_ANY_CASE } from '../../lib/uuid.js';
import {
  findListedPlayers,
  findPlayerOfDevice,
  findPlayersByUserId,
  listPlayersOfTransaction,
  type PlayerListRow,
} from './player-list-queries.js';

/** In the order of the list. */
const FOUND_BY = ['userId', 'deviceId', 'transactionId'] as const;
export type FoundBy = (typeof FOUND_BY)[number];

export type FoundPlayer = PlayerListRow & { foundBy: FoundBy };

/** A position in the list: the kind of id that matched, and the player. */
export type FoundKey = Readonly<{ rank: number; id: string }>;

export const BEFORE_ALL: FoundKey = { rank: 0, id: '0' };
const TRANSACTION_RANK = FOUND_BY.indexOf('transactionId');

export function keyOf({ foundBy, id }: FoundPlayer): FoundKey {
  return { rank: FOUND_BY.indexOf(foundBy), id };
}

/**
 * The players whose user id, device id or transaction id is exactly this text, each once, after a key. It takes three look-ups
 * by index, so the time does not depend on the number of players.
 */
export async function findPlayers(
  pool: Pool,
  gameId: number,
  text: string,
  { after, limit }: Readonly<{ after: FoundKey; limit: number }>,
): Promise<FoundPlayer[]> {
  const found = new Map<string, FoundBy>();
  if (UUID_ANY_CASE.test(text)) {
    const [player] = await findPlayersByUserId(pool, gameId, [text]);
    if (player !== undefined) found.set(player.id, 'userId');
  }
  const ofDevice = await findPlayerOfDevice(pool, gameId, text);
  if (ofDevice !== undefined && !found.has(ofDevice)) found.set(ofDevice, 'deviceId');
  const afterId = after.rank < TRANSACTION_RANK ? BEFORE_ALL.id : after.id;
  // Leaves out players that an earlier page has shown.
  const page = { afterId, limit: limit + found.size };
  for (const id of await listPlayersOfTransaction(pool, gameId, text, page)) {
    if (!found.has(id)) found.set(id, 'transactionId');
  }
  const rows = new Map(
    (await findListedPlayers(pool, gameId, [...found.keys()])).map((row) => [row.id, row]),
  );
  const players = [...found].flatMap(([id, foundBy]) => {
    const row = rows.get(id);
    return row === undefined ? [] : [{ ...row, foundBy }];
  });
  return players.filter((player) => isBehind(keyOf(player), after)).slice(0, limit);
}

function isBehind(key: FoundKey, after: FoundKey): boolean {
  return key.rank === after.rank ? BigInt(key.id) > BigInt(after.id) : key.rank > after.rank;
}
