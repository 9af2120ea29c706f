import { serviceActor } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import {
  createErasureHashes,
  findErasureKey,
  insertErasureKey,
  openErasureHashes,
} from '../../platform/security/erasure-hashes.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import { appendToErasedList, type ErasedEntry, readErasedList } from './erased-list.js';
import { listErasedHashes } from './erased-players.js';
import { insertListedErasures, listDoneErasures, listPlayersAfter } from './list-queries.js';
import { requestErasure } from './request-erasure.js';

const PER_STATEMENT = 5_000;

/**
 * Before the service is ready: whoever is in the list and not erased in this database has been brought back by an older backup. The
 * request ends the player's sessions and refuses events from here on; the operations process erases the rest. Players are
 * read only if there is such an entry. Returns how many players were found.
 */
export async function applyErasedList(
  pool: Pool,
  masterKeys: MasterKeys,
  file: string,
  nowMs: number,
): Promise<number> {
  const sections = await readErasedList(file);
  let found = 0;
  for (const { sealedKey, entries } of sections) {
    const sealed = Buffer.from(sealedKey, 'base64');
    // A backup from before the first erasure has no key yet.
    if ((await findErasureKey(pool)) === undefined) {
      // One that the master key does not open, of another installation, would be in the database for good.
      openErasureHashes(masterKeys, sealed);
      await insertErasureKey(pool, sealed);
    }
    const missing = await listMissing(pool, entries);
    if (missing.size > 0) found += await requestMissing(pool, masterKeys, sealed, missing, nowMs);
  }
  return found;
}

async function listMissing(pool: Pool, entries: readonly ErasedEntry[]): Promise<Map<string, ErasedEntry>> {
  const missing = new Map(entries.map((entry) => [entry.playerHash, entry]));
  for (const hashes of chunksOf([...missing.keys()], PER_STATEMENT)) {
    const known = await listErasedHashes(
      pool,
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    );
    for (const { hash } of known) missing.delete(hash.toString('hex'));
  }
  return missing;
}

async function requestMissing(
  pool: Pool,
  masterKeys: MasterKeys,
  sealed: Buffer,
  missing: Map<string, ErasedEntry>,
  nowMs: number,
): Promise<number> {
  const listed = openErasureHashes(masterKeys, sealed);
  const hashes = await createErasureHashes(pool, async () => masterKeys)();
  const by = serviceActor(nowMs);
  let found = 0;
  let players = await listPlayersAfter(pool, '0', PER_STATEMENT);
  while (players.length > 0) {
    for (const { gameId, userId } of players) {
      if (!missing.delete(listed.player(userId).toString('hex'))) continue;
      await requestErasure(pool, hashes, { gameId, userId, by, isAtOnce: true });
      found++;
    }
    players = await listPlayersAfter(pool, players.at(-1)?.playerId ?? '0', PER_STATEMENT);
  }
  const others = [...missing.values()].map(({ gameId, playerHash, erasedAt }) => ({
    erasureId: uuid7(Date.parse(erasedAt)),
    gameId,
    playerHash: Buffer.from(playerHash, 'hex'),
    erasedAt: Date.parse(erasedAt),
  }));
  for (const chunk of chunksOf(others, PER_STATEMENT)) await insertListedErasures(pool, chunk);
  return found;
}

const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** Adds to the list who was erased by other nodes, or before there was a list. Returns how many. */
export async function completeErasedList(pool: Pool, file: string): Promise<number> {
  const sealed = await findErasureKey(pool);
  if (sealed === undefined) return 0;
  const known = new Set(
    (await readErasedList(file)).flatMap(({ entries }) => entries.map(({ playerHash }) => playerHash)),
  );
  let added = 0;
  let done = await listDoneErasures(pool, NO_UUID, PER_STATEMENT);
  while (done.length > 0) {
    const entries = done.map(toEntry).filter(({ playerHash }) => !known.has(playerHash));
    await appendToErasedList(file, sealed.toString('base64'), entries);
    added += entries.length;
    done = await listDoneErasures(pool, done.at(-1)?.erasureId ?? NO_UUID, PER_STATEMENT);
  }
  return added;
}

function toEntry({
  gameId,
  playerHash,
  erasedAt,
}: {
  gameId: number;
  playerHash: Buffer;
  erasedAt: number;
}): ErasedEntry {
  return { gameId, playerHash: playerHash.toString('hex'), erasedAt: new Date(erasedAt).toISOString() };
}
