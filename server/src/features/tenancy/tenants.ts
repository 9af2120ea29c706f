import type { Pool } from '../../db/pool.js';

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Ids of tenants and games stand in URLs, headers and tokens: short, lower-case, no surprises. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** False when the id is taken. */
export async function insertTenant(pool: Pool, slug: string, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'insert into tenants (slug, name) values ($1, $2) on conflict do nothing',
    [slug, name],
  );
  return rowCount === 1;
}

/** False when the tenant does not exist or the id is taken. */
export async function insertGame(pool: Pool, tenant: string, slug: string, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into games (tenant_id, slug, name)
     select id, $2, $3 from tenants where slug = $1
     on conflict do nothing`,
    [tenant, slug, name],
  );
  return rowCount === 1;
}

export type GameRow = { id: number; publishedVersion: number };

export async function findGame(pool: Pool, tenant: string, slug: string): Promise<GameRow | undefined> {
  const { rows } = await pool.query<GameRow>(
    `select g.id, g.published_version as "publishedVersion"
     from games g join tenants t on t.id = g.tenant_id
     where t.slug = $1 and g.slug = $2`,
    [tenant, slug],
  );
  return rows[0];
}

export async function findTenant(pool: Pool, slug: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from tenants where slug = $1', [slug]);
  return rowCount === 1;
}

export async function listTenants(pool: Pool): Promise<{ id: number; slug: string }[]> {
  const { rows } = await pool.query<{ id: number; slug: string }>(
    'select id, slug from tenants order by slug',
  );
  return rows;
}
