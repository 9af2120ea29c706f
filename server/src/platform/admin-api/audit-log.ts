import type { DedicatedConnection } from '../db/dedicated-connection.js';
import { type Client, type Pool, query } from '../db/pool.js';
import { MAX_ROW_ID } from '../lib/row-id.js';
import type { AuditAction } from './audit-actions.js';

/** Who changes something, and when. Every function that makes a change takes one. */
export type Actor = Readonly<{
  name: string;
  nowMs: number;
  /** Set if a person has signed in. Names are not unique, addresses are. */
  account?: Readonly<{ accountId: string; email: string }>;
  /** Set if an admin token was used. */
  tokenId?: string;
}>;

/** Who it was, where names are not enough: null for a token, a command and the service itself. */
export function emailOf({ account }: Actor): string | null {
  return account?.email ?? null;
}

/** For what the service does by itself: at its first start, and in its hourly maintenance. */
export function serviceActor(nowMs: number): Actor {
  return { name: 'savepoint', nowMs };
}

export type AuditEntry = Readonly<{
  /** If null, the studio of the game. If there is no game either, the entry belongs to the installation. */
  tenantId: number | null;
  gameId: number | null;
  action: AuditAction;
  /** What was changed: `version 7`, `player 0199… isPayer`. */
  target: string;
  before: unknown;
  after: unknown;
}>;

/** To be called in the transaction of the change, so that there is neither a change without an entry nor an entry without a change. */
export function insertAuditEntry(
  client: Client | DedicatedConnection,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  return insertAuditEntries(client, actor, [entry]);
}

/** For a change of many things at once that has an entry for each of them. */
export async function insertAuditEntries(
  client: Client | DedicatedConnection,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
  await client.query(
    `insert into audit_log (tenant_id, game_id, at, actor, actor_email, actor_token, action, target, before, after)
     select coalesce(e.tenant_id, (select tenant_id from games where id = e.game_id)), e.game_id, $1, $2, $3, $4,
       e.action, e.target, e.before, e.after
     from unnest($5::int[], $6::int[], $7::text[], $8::text[], $9::json[], $10::json[])
       as e(tenant_id, game_id, action, target, before, after)`,
    [
      new Date(actor.nowMs),
      actor.name,
      emailOf(actor),
      actor.tokenId ?? null,
      entries.map(({ tenantId }) => tenantId),
      entries.map(({ gameId }) => gameId),
      entries.map(({ action }) => action),
      entries.map(({ target }) => target),
      entries.map(({ before }) => toJson(before)),
      entries.map(({ after }) => toJson(after)),
    ],
  );
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

export type AuditRow = {
  id: string;
  game: string | null;
  at: number;
  actor: string;
  /** Of the person who was signed in. This and the token are null for commands and the service itself. */
  actorEmail: string | null;
  actorTokenId: string | null;
  action: string;
  target: string;
  before: unknown;
  after: unknown;
};

export type ListedAuditRow = AuditRow & {
  /** True: `before` and `after` are too large for a list, and are null. */
  isShortened: boolean;
};

/** The limit for each of `before` and `after`. A page in which all entries are this large has a few megabytes. */
const MAX_LISTED_BYTES = 64 * 1024;

/** Measures the compressed size first, which PostgreSQL knows without reading the value. So very large values are never unpacked. */
const LISTED_ENTRIES = `select a.id, g.slug as game, a.at, a.actor, a.actor_email as "actorEmail", a.actor_token as "actorTokenId",
               a.action, a.target,
               case when s.short then null else a.before end as before,
               case when s.short then null else a.after end as after,
               s.short as "isShortened"
             from audit_log a left join games g on g.id = a.game_id
               cross join lateral (
                 select case
                   when greatest(pg_column_size(a.before), pg_column_size(a.after)) > $4 then true
                   else coalesce(greatest(octet_length(a.before::text), octet_length(a.after::text)) > $4, false)
                 end as short
               ) s`;

type AuditPage = { beforeId: string | null; limit: number };

/**
 * The newest entries of a studio, or the entries before one. The statement uses `between` and sorts by all columns of the index:
 * with `=`, PostgreSQL may go through the newest entries of all studios, if it expects many of them to be of this studio.
 */
export async function listAuditEntries(
  pool: Pool,
  tenantId: number,
  { beforeId, limit }: AuditPage,
): Promise<ListedAuditRow[]> {
  return query<ListedAuditRow>(
    pool,
    {
      name: 'list_audit_entries',
      text: `${LISTED_ENTRIES}
             where a.tenant_id between $1 and $1 and a.id < $2
             order by a.tenant_id desc, a.id desc
             limit $3`,
    },
    [tenantId, beforeId ?? MAX_ROW_ID, limit, MAX_LISTED_BYTES],
  );
}

/** The same for one game. The caller must have checked that the game belongs to the studio. */
export async function listAuditEntriesOfGame(
  pool: Pool,
  gameId: number,
  { beforeId, limit }: AuditPage,
): Promise<ListedAuditRow[]> {
  return query<ListedAuditRow>(
    pool,
    {
      name: 'list_audit_entries_of_game',
      text: `${LISTED_ENTRIES}
             where a.game_id between $1 and $1 and a.id < $2
             order by a.game_id desc, a.id desc
             limit $3`,
    },
    [gameId, beforeId ?? MAX_ROW_ID, limit, MAX_LISTED_BYTES],
  );
}

/** An entry in full; undefined if the studio has no such entry. */
export async function findAuditEntry(
  pool: Pool,
  tenantId: number,
  id: string,
): Promise<AuditRow | undefined> {
  const rows = await query<AuditRow>(
    pool,
    {
      name: 'find_audit_entry',
      text: `select a.id, g.slug as game, a.at, a.actor, a.actor_email as "actorEmail", a.actor_token as "actorTokenId",
               a.action, a.target, a.before, a.after
             from audit_log a left join games g on g.id = a.game_id
             where a.tenant_id = $1 and a.id = $2`,
    },
    [tenantId, id],
  );
  return rows[0];
}
