import { type Pool, query } from '../../platform/db/pool.js';
import { type ErasureHashes, erasedName } from '../../platform/security/erasure-hashes.js';
import { createRenamer, USER_IDS } from './rename-ids.js';

/** Tells erased players, and those that will be, from players that never were. */
export type ErasedPlayers = { has(userId: string): Promise<boolean> };

/** `hashes` undefined: this process has no master key, and can tell of nobody. */
export function createErasedPlayers(
  pool: Pool,
  hashes: () => Promise<ErasureHashes | undefined>,
): ErasedPlayers {
  return {
    async has(userId) {
      const known = await hashes();
      if (known === undefined) return false;
      return (await listErasedHashes(pool, [known.player(userId)])).length > 0;
    },
  };
}

/** Which of these players are erased, or will be. */
export async function listErasedUsers(
  pool: Pool,
  hashes: ErasureHashes,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const userOf = new Map(userIds.map((userId) => [hashes.player(userId).toString('hex'), userId]));
  const erased = await listErasedHashes(pool, userIds.map(hashes.player));
  return new Set(erased.map(({ hash }) => userOf.get(hash.toString('hex')) ?? ''));
}

/** Which of these are of players that are erased, or will be. */
export function listErasedHashes(pool: Pool, playerHashes: readonly Buffer[]): Promise<{ hash: Buffer }[]> {
  return query<{ hash: Buffer }>(
    pool,
    {
      name: 'list_erased_hashes',
      text: `select w.hash
             from unnest($1::bytea[]) w(hash)
             where exists (
               select from erasures e where e.player_hash = w.hash and e.state <> 'withdrawn' offset 0
             )`,
    },
    [playerHashes],
  );
}

/** A text that a person of the studio wrote, as it may be stored: the ids of players who are erased, or will be, become hashes. */
export async function renameErasedUsers(
  pool: Pool,
  hashes: () => Promise<ErasureHashes>,
  text: string,
): Promise<string> {
  const userIds = new Set(text.toLowerCase().match(USER_IDS));
  if (userIds.size === 0) return text;
  const known = await hashes();
  const erased = await listErasedUsers(pool, known, [...userIds]);
  const renamer = createRenamer(new Map([...erased].map((userId) => [userId, userId])), (userId) =>
    erasedName(known.player(userId)),
  );
  return renamer(text).text;
}
