import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Pool, query } from '../db/pool.js';
import { type MasterKeys, seal, unseal } from './master-keys.js';

/**
 * What stands for the ids of erased players. Ids of stores can be guessed, so the hashes have a key, which is sealed under the master
 * key: whoever reads the database cannot try ids out.
 */
export type ErasureHashes = {
  player(userId: string): Buffer;
  /** Of the store's order id. */
  order(gameId: number, transactionId: string): Buffer;
  /** What the code is made of with which the player can ask for erasure. */
  codeSeed(userId: string, createdAt: number): Buffer;
  /** What is stored of the code. */
  code(gameId: number, code: string): Buffer;
};

export type OrderHashes = Pick<ErasureHashes, 'order'>;

/** What stands in place of the id of an erased player's transaction where the word of the store on it is kept. */
export function erasedOrder(hashes: OrderHashes, gameId: number, transactionId: string): string {
  return `erased:${hashes.order(gameId, transactionId).toString('hex')}`;
}

/** What an erased player is called in the audit log. As long as a user id, so that the index over targets finds it. */
export function erasedName(playerHash: Buffer): string {
  return `erased:${playerHash.toString('hex').slice(0, 29)}`;
}

export const ERASURE_KEY_BINDING = 'erasure-key';
const KEY_BYTES = 32;

/** Reads the key when it is needed first, and makes it if there is none. A failed read is tried again by the next call. */
export function createErasureHashes(
  pool: Pool,
  masterKeys: () => Promise<MasterKeys>,
): () => Promise<ErasureHashes> {
  let reading: Promise<ErasureHashes> | undefined;
  return () => {
    reading ??= masterKeys()
      .then(async (keys) => hashesOf(await readErasureKey(pool, keys)))
      .catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
    return reading;
  };
}

/** Of several nodes that make a key, the first one's counts. */
async function readErasureKey(pool: Pool, masterKeys: MasterKeys): Promise<KeyObject> {
  const known = await findErasureKey(pool);
  const sealed =
    known ?? (await insertErasureKey(pool, seal(masterKeys, randomBytes(KEY_BYTES), ERASURE_KEY_BINDING)));
  return openKey(masterKeys, sealed);
}

/** The hashes that were made with a sealed key. */
export function openErasureHashes(masterKeys: MasterKeys, sealed: Buffer): ErasureHashes {
  return hashesOf(openKey(masterKeys, sealed));
}

function openKey(masterKeys: MasterKeys, sealed: Buffer): KeyObject {
  return createSecretKey(unseal(masterKeys, sealed, ERASURE_KEY_BINDING));
}

export async function findErasureKey(pool: Pool): Promise<Buffer | undefined> {
  const rows = await query<{ sealed: Buffer }>(
    pool,
    { name: 'find_erasure_key', text: 'select sealed_key as sealed from erasure_key' },
    [],
  );
  return rows[0]?.sealed;
}

export async function insertErasureKey(pool: Pool, sealed: Buffer): Promise<Buffer> {
  const rows = await query<{ sealed: Buffer }>(
    pool,
    {
      name: 'insert_erasure_key',
      text: `insert into erasure_key as k (sealed_key) values ($1)
             on conflict (only_row) do update set sealed_key = k.sealed_key
             returning sealed_key as sealed`,
    },
    [sealed],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returned nothing');
  return row.sealed;
}

function hashesOf(key: KeyObject): ErasureHashes {
  const hash = (text: string) => createHmac('sha256', key).update(text).digest();
  return {
    player: (userId) => hash(`player:${userId}`),
    order: (gameId, transactionId) => hash(`order:${gameId}:${transactionId}`),
    codeSeed: (userId, createdAt) => hash(`code-seed:${userId}:${createdAt}`),
    code: (gameId, code) => hash(`code:${gameId}:${code}`),
  };
}
