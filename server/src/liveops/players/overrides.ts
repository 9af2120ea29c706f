import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { type Actor, emailOf, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { nearestName } from '../../platform/lib/nearest-name.js';
import {
  insertOverride,
  type LockedPlayer,
  lockPlayer,
  type OverrideRow,
  updateOverrideCleared,
  updateOverridesAt,
} from './override-queries.js';
import { NOT_CLEARED, saidOf } from './set-rows.js';

/**
 * What a studio says about one flag of one player, whatever the rule says.
 *
 *   none ──set──► current ──set──► current (the former is cleared)
 *     ▲              │ └──`until` passes: the rule decides again, nothing has to run
 *     └────clear─────┘
 *
 * Nothing is deleted: what a player was told at any time can be explained.
 */
export type OverridePlace = Readonly<{ gameId: number; userId: string; flagId: string }>;

export type OverrideChange = OverridePlace &
  Readonly<{ value: boolean; reason: string; until: number | null }>;

export type SetOutcome =
  | Readonly<{ outcome: 'set'; override: OverrideRow }>
  | Readonly<{ outcome: 'no_such_player' }>
  /** `nearest`: the flag that was probably meant. */
  | Readonly<{ outcome: 'no_such_flag'; nearest: string | undefined }>;

/** From the response on, every node tells the player so. */
export async function setOverride(pool: Pool, change: OverrideChange, actor: Actor): Promise<SetOutcome> {
  return transaction(pool, async (client) => {
    const { gameId, userId, flagId, value, reason, until } = change;
    const player = await lockPlayer(client, gameId, userId);
    if (player === undefined) return { outcome: 'no_such_player' };
    const flagIds = flagId === 'isPayer' ? [flagId] : await listFlags(client, gameId, player);
    if (!flagIds.includes(flagId)) return { outcome: 'no_such_flag', nearest: nearestName(flagId, flagIds) };
    const former = await updateOverrideCleared(client, { ...player, flagId }, actor);
    const author = { author: actor.name, authorEmail: emailOf(actor) };
    const said = { flagId, value, reason, ...author, setAt: actor.nowMs, until };
    await insertOverride(client, { ...said, playerId: player.playerId });
    await updateOverridesAt(client, player.playerId, actor.nowMs);
    const override = { ...said, ...NOT_CLEARED };
    await audit(client, player, change, actor, { action: 'override.set', former, override });
    return { outcome: 'set', override };
  });
}

export type ClearOutcome = Readonly<{
  outcome: 'cleared' | 'no_such_player' | 'no_such_override';
}>;

/** The rule decides again. */
export async function clearOverride(pool: Pool, place: OverridePlace, actor: Actor): Promise<ClearOutcome> {
  return transaction(pool, async (client) => {
    const player = await lockPlayer(client, place.gameId, place.userId);
    if (player === undefined) return { outcome: 'no_such_player' };
    const former = await updateOverrideCleared(client, { ...player, flagId: place.flagId }, actor);
    if (former === undefined) return { outcome: 'no_such_override' };
    await updateOverridesAt(client, player.playerId, actor.nowMs);
    await audit(client, player, place, actor, { action: 'override.clear', former, override: undefined });
    return { outcome: 'cleared' };
  });
}

async function listFlags(
  client: Client,
  gameId: number,
  { publishedVersion }: LockedPlayer,
): Promise<string[]> {
  const { document } = await requireConfigVersion(client, gameId, publishedVersion);
  return ['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)];
}

async function audit(
  client: Client,
  { tenantId }: LockedPlayer,
  { gameId, userId, flagId }: OverridePlace,
  actor: Actor,
  {
    action,
    former,
    override,
  }: {
    action: 'override.set' | 'override.clear';
    former: OverrideRow | undefined;
    override: OverrideRow | undefined;
  },
): Promise<void> {
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action,
    target: `player ${userId} ${flagId}`,
    before: former === undefined ? null : saidOf(former),
    after: override === undefined ? null : saidOf(override),
  });
}
