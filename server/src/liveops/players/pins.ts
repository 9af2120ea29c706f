import { requireConfigVersion } from '../../core/configs/config-queries.js';
import type { PinKind } from '../../decide/attributes/player-facts.js';
import { type Actor, emailOf, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { nearestName } from '../../platform/lib/nearest-name.js';
import { lockPlayer, updateOverridesAt } from './override-queries.js';
import { PIN_KINDS } from './pin-kinds.js';
import { countCurrentPins, insertPin, type PinRow, updatePinCleared } from './pin-queries.js';
import { NOT_CLEARED, saidOf } from './set-rows.js';

/**
 * What a studio pins for one player, whatever the rules say: mostly for test devices. Pins come and go like overrides (overrides.ts),
 * and nothing is deleted: what a player was told at any time can be explained.
 */
export type PinPlace = Readonly<{ gameId: number; userId: string; kind: PinKind; target: string }>;

export type PinChange = PinPlace & Readonly<{ value: unknown; reason: string; until: number | null }>;

/** They are read with every decision for the player. */
export const MAX_PINS = 50;

export type PinOutcome =
  | Readonly<{ outcome: 'set'; pin: PinRow }>
  | Readonly<{ outcome: 'no_such_player' | 'too_many' }>
  /** `nearest`: the target that was probably meant. */
  | Readonly<{ outcome: 'no_such_target'; nearest: string | undefined }>
  | Readonly<{ outcome: 'wrong_value'; problem: string }>;

/** From the response on, every node tells the player so. */
export async function setPin(pool: Pool, change: PinChange, actor: Actor): Promise<PinOutcome> {
  return transaction(pool, async (client) => {
    const { gameId, userId, kind, target, value, reason, until } = change;
    const player = await lockPlayer(client, gameId, userId);
    if (player === undefined) return { outcome: 'no_such_player' };
    const { document } = await requireConfigVersion(client, gameId, player.publishedVersion);
    const targets = PIN_KINDS[kind].targets(document);
    if (!targets.includes(target))
      return { outcome: 'no_such_target', nearest: nearestName(target, targets) };
    const problem = PIN_KINDS[kind].problem(document, target, value);
    if (problem !== undefined) return { outcome: 'wrong_value', problem };
    // A pin that replaces another one has its place.
    const former = await updatePinCleared(client, { ...player, kind, target }, actor);
    if ((await countCurrentPins(client, player.playerId)) >= MAX_PINS) return { outcome: 'too_many' };
    const author = { author: actor.name, authorEmail: emailOf(actor) };
    const said = { kind, target, value, reason, ...author, setAt: actor.nowMs, until };
    await insertPin(client, { ...said, playerId: player.playerId });
    await updateOverridesAt(client, player.playerId, actor.nowMs);
    const pin = { ...said, ...NOT_CLEARED };
    await audit(client, player.tenantId, change, actor, { action: 'pin.set', former, pin });
    return { outcome: 'set', pin };
  });
}

export type ClearPinOutcome = 'cleared' | 'no_such_player' | 'no_such_pin';

/** The rules decide again. */
export async function clearPin(pool: Pool, place: PinPlace, actor: Actor): Promise<ClearPinOutcome> {
  return transaction(pool, async (client) => {
    const { gameId, userId, kind, target } = place;
    const player = await lockPlayer(client, gameId, userId);
    if (player === undefined) return 'no_such_player';
    const former = await updatePinCleared(client, { ...player, kind, target }, actor);
    if (former === undefined) return 'no_such_pin';
    await updateOverridesAt(client, player.playerId, actor.nowMs);
    await audit(client, player.tenantId, place, actor, { action: 'pin.clear', former, pin: undefined });
    return 'cleared';
  });
}

type Audited = Readonly<{
  action: 'pin.set' | 'pin.clear';
  former: PinRow | undefined;
  pin: PinRow | undefined;
}>;

async function audit(
  client: Client,
  tenantId: number,
  { gameId, userId, kind, target }: PinPlace,
  actor: Actor,
  { action, former, pin }: Audited,
): Promise<void> {
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action,
    target: `player ${userId} ${kind} ${target}`,
    before: former === undefined ? null : saidOf(former),
    after: pin === undefined ? null : saidOf(pin),
  });
}
