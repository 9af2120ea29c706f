import { type Actor, emailOf } from '../../admin/audit-log.js';
import { type Client, type Pool, query } from '../../db/pool.js';
import type { PinKind } from '../../personalisation/attributes/player-facts.js';

/** A value or a variant that a studio has pinned for a player, and what became of that. */
export type PinRow = {
  kind: PinKind;
  target: string;
  value: unknown;
  reason: string;
  author: string;
  /** Of the person who was signed in, like `clearedByEmail`; null for a token, a command and the service itself. */
  authorEmail: string | null;
  setAt: number;
  until: number | null;
  clearedAt: number | null;
  clearedBy: string | null;
  clearedByEmail: string | null;
};

export const PIN_COLUMNS = `kind, target, value, reason, author, author_email as "authorEmail", set_at as "setAt", until,
  cleared_at as "clearedAt", cleared_by as "clearedBy", cleared_by_email as "clearedByEmail"`;

export type ListedPin = PinRow & { id: string };

/** The current ones first, then those that are over, newest first. `after`: the last pin of the page before. */
export async function listPins(
  pool: Pool,
  playerId: string,
  { limit, after }: { limit: number; after?: Readonly<{ isCleared: boolean; id: string }> | undefined },
): Promise<ListedPin[]> {
  return query<ListedPin>(
    pool,
    {
      name: 'list_pins',
      text: `select id, ${PIN_COLUMNS} from player_pins
             where player_id = $1 and ($2::boolean is null or (cleared_at is not null, -id) > ($2, -$3::bigint))
             order by cleared_at is not null, id desc
             limit $4`,
    },
    [playerId, after?.isCleared ?? null, after?.id ?? null, limit],
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

export type NewPin = Omit<PinRow, 'clearedAt' | 'clearedBy' | 'clearedByEmail'> & { playerId: string };

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
