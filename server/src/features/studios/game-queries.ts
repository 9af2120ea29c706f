import { type Pool, query } from '../../db/pool.js';
import type { UnregisteredTypes } from './tenants.js';

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
};

export async function listGamesOfTenant(pool: Pool, tenantId: number): Promise<ListedGame[]> {
  return query<ListedGame>(
    pool,
    {
      name: 'list_games_of_tenant',
      text: `select g.slug as game, g.name, g.published_version as "publishedVersion",
               coalesce(d.revision, 0) as "draftRevision", d.document is not null as "isDraftEdited",
               g.retention_days as "retentionDays", g.unregistered_types as "unregisteredTypes"
             from games g left join config_drafts d on d.game_id = g.id
             where g.tenant_id = $1
             order by g.slug`,
    },
    [tenantId],
  );
}
