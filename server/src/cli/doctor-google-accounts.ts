import type { Pool } from '../db/pool.js';
import type { DoctorFinding } from './doctor-finding.js';

/** Games whose purchases Google could not be asked about last. Google refunds a purchase that is not acknowledged within three days. */
export async function checkGoogleAccounts(
  pool: Pool,
  { applied, known }: Readonly<{ applied?: number | undefined; known: number }>,
): Promise<DoctorFinding[]> {
  if (applied !== known) return [];
  const { rows } = await pool.query<{ tenant: string; game: string; lastError: string }>(
    `select t.slug as tenant, g.slug as game, a.last_error as "lastError"
     from google_accounts a join games g on g.id = a.game_id join tenants t on t.id = g.tenant_id
     where a.last_error is not null
     order by 1, 2`,
  );
  return rows.map(({ tenant, game, lastError }) => ({
    name: `service account of Google, ${tenant} ${game}`,
    warning: lastError,
    advice: `Try it: savepoint store test-google-account --tenant ${tenant} --game ${game}. Purchases are not acknowledged meanwhile, and Google refunds them after three days.`,
  }));
}
