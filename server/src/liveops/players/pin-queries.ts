import type { PinKind } from '../../decide/attributes/player-facts.js';
import { type Actor, emailOf } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import {
  type Cleared,
  PAGE_OF_PLAYER,
  pageValues,
  SET_COLUMNS,
  type SetPage,
  type SetRow,
} from './set-rows.js';

/** A value or a variant that a studio has pinned for a player, and what became of that. */
export type PinRow = SetRow & { kind: PinKind; target: string; value: unknown };

export const PIN_COLUMNS = `kind, target, value, ${SET_COLUMNS}`;

export type ListedPin = PinRow & { id: string };

/** The current ones first, then those that are over, newest first. */
export async function listPins(pool: Pool, playerId: string, page: SetPage): Promise<ListedPin[]> {
  return query<ListedPin>(
    pool,
    { name: 'list_pins', text: `select id, ${PIN_COLUMNS} from player_pins ${PAGE_OF_PLAYER}` },
    pageValues(playerId, page),
  );
}

/** Clears the current pin; undefined if there is none. */
export async function updatePinCleared(
  client: Client,
  { playerId, kind, target }: { playerId: string; kind: PinKind; target: string },
  actor: Actor,
): Promise<PinRow | undefined> {
  const { rows } = await client.query<PinRow>(
    `update player_pins set cleared_at = $4, cleared_by = $5, cleared_by_email = $6
     where player_id = $1 and kind = $2 and target = $3 and cleared_at is null
     returning ${PIN_COLUMNS}`,
    [playerId, kind, target, new Date(actor.nowMs), actor.name, emailOf(actor)],
  );
  return rows[0];
}

export type NewPin = Omit<PinRow, Cleared> & { playerId: string };

/** There must be no current pin of the same. */
export async function insertPin(client: Client, pin: NewPin): Promise<void> {
  const { playerId, kind, target, value, reason, author, authorEmail, setAt, until } = pin;
  await client.query(
    `insert into player_pins (player_id, kind, target, value, reason, author, author_email, set_at, until)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9)`,
    [
      ...[playerId, kind, target, JSON.stringify(value), reason, author, authorEmail],
      ...[new Date(setAt), until === null ? null : new Date(until)],
    ],
  );
}

/** The pins that were not cleared, ended ones included. */
export async function countCurrentPins(client: Client, playerId: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from player_pins where player_id = $1 and cleared_at is null',
    [playerId],
  );
  return rows[0]?.n ?? 0;
}
