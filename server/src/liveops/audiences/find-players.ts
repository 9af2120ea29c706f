import type { Pool } from '../../platform/db/pool.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import {
  findPlayerOfDevice,
  listHoldersOfTransaction,
  listPlayersByEndOfId,
  listPlayersByStartOfId,
  listPlayersOfFailedTransaction,
  listPlayersOfTransaction,
  type UuidRange,
} from './find-player-queries.js';
import { findListedPlayers, findPlayersByUserId, type PlayerListRow } from './player-list-queries.js';

/** In the order of the list. */
const FOUND_BY = [
  'userId',
  'deviceId',
  'transactionId',
  'failedTransactionId',
  'userIdStart',
  'userIdEnd',
] as const;
export type FoundBy = (typeof FOUND_BY)[number];

export type FoundPlayer = PlayerListRow & { foundBy: FoundBy };

/** A position in the list: the kind of id that matched, and the player. */
export type FoundKey = Readonly<{ rank: number; id: string }>;

export const BEFORE_ALL: FoundKey = { rank: 0, id: '0' };

export function keyOf({ foundBy, id }: FoundPlayer): FoundKey {
  return { rank: FOUND_BY.indexOf(foundBy), id };
}

/** The digits of ids that a person reads aloud, with the dots that stand for the rest: `…0a945b97`. */
const PART_OF_ID = /^(?:…|\.\.\.)?([0-9a-f-]+)(?:…|\.\.\.)?$/i;
/** Ids begin with the time: eight digits are a minute, less are the players of hours. */
const MIN_START = 8;
/** Ids end at random: four digits are one player in 65,536. */
const MIN_END = 4;
/** With more, the part has to be longer. */
const MAX_LESS_EXACT = 100;
const TRANSACTION_RANK = FOUND_BY.indexOf('transactionId');

/**
 * The players whose user id, device id or transaction id is exactly this text, also the transaction id of a refused purchase, and
 * those whose user id begins or ends with it, each once, after a key. All are look-ups by index, and what is read is bounded, so
 * the time does not depend on the number of players.
 */
export async function findPlayers(
  pool: Pool,
  gameId: number,
  text: string,
  {
    after,
    limit,
    forgottenId,
  }: Readonly<{
    after: FoundKey;
    limit: number;
    /** What stands in the place of the text if it is the id of a device that was forgotten. */
    forgottenId: string;
  }>,
): Promise<FoundPlayer[]> {
  const found = new Map<string, FoundBy>();
  const add = (ids: readonly string[], foundBy: FoundBy) => {
    for (const id of ids) if (!found.has(id)) found.set(id, foundBy);
  };
  if (UUID_ANY_CASE.test(text)) {
    add((await findPlayersByUserId(pool, gameId, [text])).map(idOf), 'userId');
  }
  const ofDevice = await findPlayerOfDevice(pool, gameId, [text, forgottenId]);
  if (ofDevice !== undefined) add([ofDevice], 'deviceId');
  if (after.rank <= TRANSACTION_RANK) {
    const afterId = after.rank < TRANSACTION_RANK ? BEFORE_ALL.id : after.id;
    // Leaves out players that an earlier page has shown.
    const page = { afterId, limit: limit + found.size };
    add(await listPlayersOfTransaction(pool, gameId, text, page), 'transactionId');
  }
  const others = await findLessExactly(pool, gameId, text);
  // They are in the list already, on this page or another.
  const shown = await listHoldersOfTransaction(pool, [...others.keys()], text);
  for (const [id, foundBy] of others) if (!shown.has(id)) add([id], foundBy);
  const rows = new Map(
    (await findListedPlayers(pool, gameId, [...found.keys()])).map((row) => [row.id, row]),
  );
  const players = [...found].flatMap(([id, foundBy]) => {
    const row = rows.get(id);
    return row === undefined ? [] : [{ ...row, foundBy }];
  });
  return players
    .filter((player) => isBehind(keyOf(player), after))
    .sort((a, b) => (isBehind(keyOf(a), keyOf(b)) ? 1 : -1))
    .slice(0, limit);
}

/** By what is not an id of the player: by a refused purchase, or by a part of the id. Some of each. */
async function findLessExactly(pool: Pool, gameId: number, text: string): Promise<Map<string, FoundBy>> {
  const part = partOf(text);
  const [start, end] = [uuidRange(part), uuidRange([...part].reverse().join(''))];
  const kinds: [FoundBy, string[]][] = [
    ['failedTransactionId', await listPlayersOfFailedTransaction(pool, gameId, text, MAX_LESS_EXACT)],
    [
      'userIdStart',
      part.length < MIN_START ? [] : await listPlayersByStartOfId(pool, gameId, start, MAX_LESS_EXACT),
    ],
    ['userIdEnd', part.length < MIN_END ? [] : await listPlayersByEndOfId(pool, gameId, end, MAX_LESS_EXACT)],
  ];
  const found = new Map<string, FoundBy>();
  for (const [foundBy, ids] of kinds) for (const id of ids) if (!found.has(id)) found.set(id, foundBy);
  return found;
}

const idOf = ({ id }: PlayerListRow): string => id;

/** The hexadecimal digits of a part of an id; none if it is not one. */
function partOf(text: string): string {
  const digits = PART_OF_ID.exec(text)?.[1]?.replaceAll('-', '').toLowerCase() ?? '';
  return digits.length < UUID_DIGITS ? digits : '';
}

const UUID_DIGITS = 32;

/** The first and the last UUID that begin with these digits. */
function uuidRange(digits: string): UuidRange {
  return { first: digits.padEnd(UUID_DIGITS, '0'), last: digits.padEnd(UUID_DIGITS, 'f') };
}

function isBehind(key: FoundKey, after: FoundKey): boolean {
  return key.rank === after.rank ? BigInt(key.id) > BigInt(after.id) : key.rank > after.rank;
}
