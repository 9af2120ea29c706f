import type { Logger } from 'pino';
import { serviceActor } from '../platform/admin-api/audit-log.js';
import { listTenants } from '../platform/admin-api/tenants.js';
import { readDatabaseClock } from '../platform/db/database-clock.js';
import type { Pool } from '../platform/db/pool.js';
import { HOUR_MS } from '../platform/lib/day.js';
import { addMember, createSignInLink } from '../studio/accounts/account-changes.js';
import { emailKeyOf, findAccountByEmail } from '../studio/accounts/account-queries.js';
import { signInPath } from '../studio/accounts/sign-in-links.js';
import { DEMO } from './demo-studio.js';

const EMAIL = 'demo@localhost';
const LINK_MS = HOUR_MS;

/**
 * Development only: the address in the console that signs in to the demo studio, once. The links of earlier starts end. The account
 * is made at the first start.
 */
export async function demoSignInPath(pool: Pool, nowMs: number): Promise<string> {
  const actor = serviceActor(nowMs);
  const tenant = (await listTenants(pool)).find(({ slug }) => slug === DEMO.tenant);
  if (tenant === undefined) throw new Error('the demo studio is missing');
  const linkExpiresAt = nowMs + LINK_MS;
  const demo = { email: EMAIL, name: 'Demo', role: 'owner', tenantId: tenant.id, linkExpiresAt } as const;
  const added = await addMember(pool, demo, actor);
  if (added.outcome === 'added' && added.token !== null) return signInPath(added.token);
  const account = await findAccountByEmail(pool, emailKeyOf(EMAIL));
  if (account === undefined) throw new Error('the account of the demo studio is missing');
  return signInPath(await createSignInLink(pool, account, linkExpiresAt, actor));
}

/** Undefined when the database is away just now: players are being served already, and only the link would be missing. */
export async function demoSignInPathIfPossible(
  pool: Pool,
  logger: Pick<Logger, 'warn'>,
): Promise<string | undefined> {
  try {
    return await demoSignInPath(pool, (await readDatabaseClock(pool)).databaseMs);
  } catch (error) {
    const advice = `for another one, run: savepoint admin reset --email ${EMAIL}`;
    logger.warn({ err: error }, `could not create the sign-in link of the demo studio; ${advice}`);
    return undefined;
  }
}
