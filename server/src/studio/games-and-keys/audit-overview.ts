import type { AuditRow } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';

/** For operators: entries of all studios, and entries that belong to no studio. */
export type AuditFilter = Readonly<{
  tenantId?: number;
  gameId?: number;
  /** Only entries that belong to no studio. */
  installationOnly?: boolean;
  beforeId?: string;
  limit: number;
}>;

export type AuditLine = Omit<AuditRow, 'before' | 'after'> & {
  tenant: string | null;
  /** The first characters of the JSON. */
  before: string | null;
  after: string | null;
};

const SHOWN_CHARACTERS = 200;

/** Newest first. */
export async function listAuditLines(pool: Pool, filter: AuditFilter): Promise<AuditLine[]> {
  const { tenantId, gameId, installationOnly = false, beforeId, limit } = filter;
  // Not prepared, so that the plan is made for these values: a filter that is not set must not keep an index from being used.
  const { rows } = await pool.query<AuditLine>(
    `select a.id, t.slug as tenant, g.slug as game, a.at, a.actor, a.actor_email as "actorEmail",
       a.actor_token as "actorTokenId", a.action, a.target, left(a.before::text, $6) as before, left(a.after::text, $6) as after
     from audit_log a
     left join tenants t on t.id = a.tenant_id
     left join games g on g.id = a.game_id
     where ($1::int is null or a.tenant_id = $1) and ($2::int is null or a.game_id = $2)
       and (not $3 or a.tenant_id is null) and ($4::bigint is null or a.id < $4)
     order by a.id desc
     limit $5`,
    [tenantId ?? null, gameId ?? null, installationOnly, beforeId ?? null, limit, SHOWN_CHARACTERS],
  );
  return rows;
}

/** An entry in full, of any studio. */
export async function findAuditRow(
  pool: Pool,
  id: string,
): Promise<(AuditRow & { tenant: string | null }) | undefined> {
  const { rows } = await pool.query<AuditRow & { tenant: string | null }>(
    `select a.id, t.slug as tenant, g.slug as game, a.at, a.actor, a.actor_email as "actorEmail",
       a.actor_token as "actorTokenId", a.action, a.target, a.before, a.after
     from audit_log a
     left join tenants t on t.id = a.tenant_id
     left join games g on g.id = a.game_id
     where a.id = $1`,
    [id],
  );
  return rows[0];
}
