import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { MAX_ROW_ERRORS, type RowError } from '../../platform/lib/row-errors.js';
import type { OverrideReading, StatedOverride } from './override-file.js';
import {
  insertOverrides,
  listKnownPlayers,
  listStandingOverrides,
  lockPlayers,
  type SetOverride,
  type StandingOverride,
  updateOverridesAtOf,
  updateOverridesCleared,
} from './override-import-queries.js';

/**
 * Overrides of many players from a file. All rows are checked first: with anything wrong, nothing is changed. Then they are applied some
 * at a time. A row that says what stands already changes nothing, so an import that was interrupted is simply run again.
 */

const CHECKED_AT_ONCE = 1_000;
/** Short locks on players, frequent progress, and entries in the audit log that can be read. */
const CHUNK = 200;

export type ImportGame = Readonly<{ gameId: number; publishedVersion: number }>;

/** What is wrong with the rows, as far as only the game can tell. */
export async function checkOverrides(
  pool: Pool,
  { gameId, publishedVersion }: ImportGame,
  { rows, errors }: OverrideReading,
): Promise<readonly RowError[]> {
  const found: RowError[] = [...errors];
  const { document } = await requireConfigVersion(pool, gameId, publishedVersion);
  const flags = new Set(['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)]);
  for (const { row, flagId } of rows) {
    if (!flags.has(flagId))
      found.push({ row, column: 'flagId', message: `The published configuration has no flag "${flagId}".` });
  }
  for (const portion of chunksOf(rows, CHECKED_AT_ONCE)) {
    const userIds = portion.map(({ userId }) => userId);
    const known = new Set(await listKnownPlayers(pool, gameId, userIds));
    for (const { row, userId } of portion) {
      if (!known.has(userId))
        found.push({ row, column: 'playerId', message: 'The game has no such player.' });
    }
  }
  return found.toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0)).slice(0, MAX_ROW_ERRORS);
}

export type OverrideImport = { total: number; set: number; cleared: number; unchanged: number };

export type ImportOptions = {
  actor: Actor;
  /** Ends the import before the next portion, with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: (progress: OverrideImport) => void;
};

/** Of rows that were checked. A player who has gone since is left out. */
export async function importOverrides(
  pool: Pool,
  gameId: number,
  rows: readonly StatedOverride[],
  { actor, signal, onProgress }: ImportOptions,
): Promise<OverrideImport> {
  const progress: OverrideImport = { total: rows.length, set: 0, cleared: 0, unchanged: 0 };
  for (const portion of chunksOf(rows, CHUNK)) {
    signal?.throwIfAborted();
    const done = await transaction(pool, (client) => applyPortion(client, gameId, portion, actor));
    progress.set += done.set;
    progress.cleared += done.cleared;
    progress.unchanged += portion.length - done.set - done.cleared;
    onProgress?.({ ...progress });
  }
  return progress;
}

type Change = Readonly<{ stated: StatedOverride; playerId: string; former: StandingOverride | undefined }>;

async function applyPortion(
  client: Client,
  gameId: number,
  portion: readonly StatedOverride[],
  actor: Actor,
): Promise<{ set: number; cleared: number }> {
  const players = await lockPlayers(client, gameId, [...new Set(portion.map(({ userId }) => userId))]);
  const idOf = new Map(players.map(({ userId, playerId }) => [userId, playerId]));
  const standing = await listStandingOverrides(
    client,
    players.map(({ playerId }) => playerId),
  );
  const formerOf = new Map(standing.map((each) => [`${each.playerId} ${each.flagId}`, each]));
  const changes = portion.flatMap((stated): Change[] => {
    const playerId = idOf.get(stated.userId);
    if (playerId === undefined) return [];
    const former = formerOf.get(`${playerId} ${stated.flagId}`);
    return isAsStated(stated, former) ? [] : [{ stated, playerId, former }];
  });
  if (changes.length === 0) return { set: 0, cleared: 0 };
  const places = changes.map(({ stated: { flagId }, playerId }) => ({ playerId, flagId }));
  await updateOverridesCleared(client, places, actor);
  const set = changes.flatMap(({ stated: { flagId, value, reason, until }, playerId }): SetOverride[] =>
    value === null ? [] : [{ playerId, flagId, value, reason, until }],
  );
  if (set.length > 0) await insertOverrides(client, set, actor);
  await updateOverridesAtOf(client, [...new Set(places.map(({ playerId }) => playerId))], actor.nowMs);
  await audit(client, gameId, changes, actor);
  return { set: set.length, cleared: changes.length - set.length };
}

function isAsStated(stated: StatedOverride, former: StandingOverride | undefined): boolean {
  if (stated.value === null || former === undefined) return stated.value === null && former === undefined;
  return former.value === stated.value && former.reason === stated.reason && former.until === stated.until;
}

/** One entry for all of a portion, with each flag of each player before and after. */
async function audit(
  client: Client,
  gameId: number,
  changes: readonly Change[],
  actor: Actor,
): Promise<void> {
  await insertAuditEntry(client, actor, {
    tenantId: null,
    gameId,
    action: 'override.import',
    target: `${changes.length} flags of players`,
    before: changes.flatMap(({ stated: { userId, flagId }, former }) =>
      former === undefined
        ? []
        : [
            {
              playerId: userId,
              flagId,
              value: former.value,
              reason: former.reason,
              until: toTime(former.until),
            },
          ],
    ),
    after: changes.flatMap(({ stated: { userId, flagId, value, reason, until } }) =>
      value === null ? [] : [{ playerId: userId, flagId, value, reason, until: toTime(until) }],
    ),
  });
}
