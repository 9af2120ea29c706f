import type { Page } from '../../platform/admin-api/keyset-page.js';
import type { UnregisteredTypes } from '../../platform/admin-api/tenants.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

export type AdminGame = { gameId: number; game: string; publishedVersion: number };

export async function findGameOfTenant(
  pool: Pool,
  tenantId: number,
  slug: string,
): Promise<AdminGame | undefined> {
  const rows = await query<AdminGame>(
    pool,
    {
      name: 'find_game_of_tenant',
      text: `select id as "gameId", slug as game, published_version as "publishedVersion"
             from games where tenant_id = $1 and slug = $2`,
    },
    [tenantId, slug],
  );
  return rows[0];
}

export type ListedGame = {
  game: string;
  name: string;
  publishedVersion: number;
  draftRevision: number;
  isDraftEdited: boolean;
  retentionDays: number | null;
  unregisteredTypes: UnregisteredTypes;
  erasureWaitDays: number;
  erasurePage: boolean;
};

/** Of the row `g`. The draft is looked up for each game: statistics may call for reading the drafts of all games. */
const LISTED = `g.slug as game, g.name, g.published_version as "publishedVersion",
               coalesce(d.revision, 0) as "draftRevision", coalesce(d.is_edited, false) as "isDraftEdited",
               g.retention_days as "retentionDays", g.unregistered_types as "unregisteredTypes",
               g.erasure_wait_days as "erasureWaitDays", g.erasure_page as "erasurePage"`;
const DRAFT = `left join lateral (
               select revision, document is not null as is_edited from config_drafts where game_id = g.id offset 0
             ) d on true`;

/** A page of the games of a studio, and one row more if there is a next page. */
export async function listGamesOfTenant(
  pool: Pool,
  tenantId: number,
  { after, limit }: Page,
): Promise<ListedGame[]> {
  return query<ListedGame>(
    pool,
    {
      name: 'list_games_of_tenant',
      text: `select ${LISTED}
             from (select * from games where tenant_id = $1 and slug > $2 order by slug limit $3) g
             ${DRAFT}
             order by g.slug`,
    },
    [tenantId, after ?? '', limit + 1],
  );
}

export async function findListedGame(pool: Pool, gameId: number): Promise<ListedGame | undefined> {
  const rows = await query<ListedGame>(
    pool,
    {
      name: 'find_listed_game',
      text: `select ${LISTED} from games g ${DRAFT} where g.id = $1`,
    },
    [gameId],
  );
  return rows[0];
}

/** How many games a studio has, counted up to `atMost`. */
export async function countGamesOfTenant(pool: Pool, tenantId: number, atMost: number): Promise<number> {
  const rows = await query<{ games: number }>(
    pool,
    {
      name: 'count_games_of_tenant',
      text: 'select count(*)::int as games from (select from games where tenant_id = $1 limit $2) g',
    },
    [tenantId, atMost],
  );
  return rows[0]?.games ?? 0;
}

/** The day before which the game's events have been deleted. */
export async function findDeletedBefore(db: Pool | Client, gameId: number): Promise<string | null> {
  const { rows } = await db.query<{ day: string | null }>(
    'select events_deleted_before::text as day from games where id = $1',
    [gameId],
  );
  return rows[0]?.day ?? null;
}
