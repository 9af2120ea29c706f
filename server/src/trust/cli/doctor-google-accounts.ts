import type { Pool } from '../../platform/db/pool.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { listFailingAccounts } from '../stores/google/account-queries.js';

/** Games whose purchases Google could not be asked about last. Google refunds a purchase that is not acknowledged within three days. */
export async function checkGoogleAccounts(
  pool: Pool,
  { applied, known }: Readonly<{ applied?: number | undefined; known: number }>,
): Promise<DoctorFinding[]> {
  if (applied !== known) return [];
  const failing = await listFailingAccounts(pool);
  return failing.map(({ tenant, game, lastError }) => ({
    name: `service account of Google, ${tenant} ${game}`,
    warning: lastError,
    advice: `Try it: savepoint store test-google-account --tenant ${tenant} --game ${game}. Purchases are not acknowledged meanwhile, and Google refunds them after three days.`,
  }));
}
