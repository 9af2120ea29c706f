import type { Actor } from '../platform/admin-api/audit-log.js';
import { findTenantId } from '../platform/admin-api/tenants.js';
import type { Pool } from '../platform/db/pool.js';
import { changeRates } from '../studio/money/rate-changes.js';

/** Round numbers, for all days. The simulator sells in these currencies. */
const RATES = {
  AUD: '0.65',
  BRL: '0.18',
  EUR: '1.1',
  GBP: '1.3',
  INR: '0.012',
  JPY: '0.0066',
  KRW: '0.00072',
  MXN: '0.054',
  PLN: '0.26',
};
const FROM = '2020-01-01';

/** The demo studio reports in US dollars, so that a newcomer sees one number. */
export async function saveDemoRates(pool: Pool, tenant: string, actor: Actor): Promise<void> {
  const tenantId = await findTenantId(pool, tenant);
  if (tenantId === undefined) throw new Error('the demo studio is missing');
  const rates = Object.entries(RATES).map(([currency, rate], index) => ({
    currency,
    from: FROM,
    rate,
    row: index + 1,
  }));
  await changeRates(pool, { tenantId }, { currency: 'USD', rates, mode: 'replace' }, actor);
}
