import type { FailureCode } from '../../core/events/failed/failed-event.js';
import type { Pool } from '../../platform/db/pool.js';

/** The open entries with one code; of one type, of those whose type could not be read (null), or of any (undefined). */
export type FailedGroup = { gameId: number; code: string; eventType?: string | null };

export type FailedGroupRow = {
  gameId: number;
  tenant: string;
  game: string;
  code: FailureCode;
  eventType: string | null;
  entries: number;
  firstAt: number;
  lastAt: number;
  /** The newest of them. */
  exampleId: string;
  exampleMessage: string;
};

export type FailedGroupPage = {
  /** All games if left out. */
  gameId?: number | undefined;
  /** Clients choose the names of types, so there may be as many groups as entries. */
  limit: number;
  /** The last group of the page before. */
  after?: Pick<FailedGroupRow, 'entries' | 'code' | 'eventType'> | undefined;
};

/** What is open, by reason and type, the largest groups first. They are counted anew for each page. */
export async function listFailedGroups(
  pool: Pool,
  { gameId, limit, after }: FailedGroupPage,
): Promise<FailedGroupRow[]> {
  const { rows } = await pool.query<FailedGroupRow>(
    `select o.game_id as "gameId", t.slug as tenant, g.slug as game, o.code, o.event_type as "eventType",
       o.entries, o.first_at as "firstAt", o.last_at as "lastAt", e.id as "exampleId", e.message as "exampleMessage"
     from (
       select game_id, code, event_type, count(*)::int as entries, min(received_at) as first_at,
         max(received_at) as last_at, max(id) as newest
       from failed_events
       where replayed_at is null and ($1::int is null or game_id = $1)
       group by 1, 2, 3
       having $2::int is null or (-count(*), code, coalesce(event_type, '')) > (-$2, $3, $4)
       order by entries desc, code, coalesce(event_type, '')
       limit $5
     ) o
     cross join lateral (select id, message from failed_events where id = o.newest offset 0) e
     cross join lateral (select slug, tenant_id from games where id = o.game_id offset 0) g
     cross join lateral (select slug from tenants where id = g.tenant_id offset 0) t
     order by t.slug, g.slug, o.entries desc, o.code, coalesce(o.event_type, '')`,
    [gameId ?? null, after?.entries ?? null, after?.code ?? '', after?.eventType ?? '', limit],
  );
  return rows;
}

export type FailedEventRow = {
  id: string;
  gameId: number;
  tenant: string;
  game: string;
  userId: string;
  code: FailureCode;
  message: string;
  path: string;
  eventType: string | null;
  /** The event as it was sent; only its beginning if `isCut`. */
  raw: string;
  isCut: boolean;
  clientBuild: string | null;
  receivedAt: number;
  replayedAt: number | null;
  /** The event that was replayed, where it was edited first. */
  replayedAs: string | null;
};

const ENTRY = `
  select f.id, f.game_id as "gameId", t.slug as tenant, g.slug as game, p.user_id as "userId", f.code, f.message, f.path,
    f.event_type as "eventType", f.raw, f.is_cut as "isCut", f.client_build as "clientBuild",
    f.received_at as "receivedAt", f.replayed_at as "replayedAt", f.replayed_as as "replayedAs"
  from failed_events f
  join players p on p.id = f.player_id
  join games g on g.id = f.game_id
  join tenants t on t.id = g.tenant_id`;

export type FailedEventPage = {
  limit: number;
  /** The last id of the page before. */
  beforeId?: string;
};

/** The open entries of a group, newest first. */
export async function listFailedEvents(
  pool: Pool,
  { gameId, code, eventType }: FailedGroup,
  { limit, beforeId }: FailedEventPage,
): Promise<FailedEventRow[]> {
  const { rows } = await pool.query<FailedEventRow>(
    `${ENTRY}
     where f.game_id = $1 and f.code = $2 and f.replayed_at is null
       and ($3 or f.event_type is not distinct from $4) and ($5::bigint is null or f.id < $5)
     order by f.id desc
     limit $6`,
    [gameId, code, eventType === undefined, eventType ?? null, beforeId ?? null, limit],
  );
  return rows;
}

/** One entry, open or replayed; of any game, unless a game is given. */
export async function findFailedEvent(
  pool: Pool,
  id: string,
  gameId?: number,
): Promise<FailedEventRow | undefined> {
  const { rows } = await pool.query<FailedEventRow>(
    `${ENTRY} where f.id = $1 and ($2::int is null or f.game_id = $2)`,
    [id, gameId ?? null],
  );
  return rows[0];
}
