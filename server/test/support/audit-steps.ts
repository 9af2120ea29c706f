import { generateKeyPairSync } from 'node:crypto';
import type { AuditAction } from '../../src/platform/admin-api/audit-actions.js';
import type { Pool } from '../../src/platform/db/pool.js';

/** The entry that a command or route leaves in the audit log and how to call it, or the reason why it leaves none. */
export type AuditStep<Call> = { action: AuditAction; target: string; call: Call } | { reason: string };

export const READS = 'it only reads';

type Entry = { id: string; tenant: string | null; actor: string; action: string; target: string };

export async function entriesAfter(pool: Pool, id: string): Promise<Entry[]> {
  const { rows } = await pool.query<Entry>(
    `select a.id, t.slug as tenant, a.actor, a.action, a.target
     from audit_log a left join tenants t on t.id = a.tenant_id
     where a.id > $1 order by a.id`,
    [id],
  );
  return rows;
}

export async function lastEntryId(pool: Pool): Promise<string> {
  return (await entriesAfter(pool, '0')).at(-1)?.id ?? '0';
}

/** The key of a service account of Google. */
export const ACCOUNT_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString();
