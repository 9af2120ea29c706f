import { isDeepStrictEqual } from 'node:util';
import { type Actor, emailOf, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import type { RowError } from '../../platform/lib/row-errors.js';
import type { ExchangeRate } from './exchange-rates.js';
import { checkRates, keyOf, MAX_RATES, type StatedRate, sortedRates, TOO_MANY } from './rate-checks.js';
import { insertRateVersion, lockRates, type RateVersion } from './rate-queries.js';

export const IMPORT_MODES = ['merge', 'replace'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export type RatesOutcome =
  | Readonly<{ outcome: 'saved'; saved: RateVersion; isChange: boolean }>
  | Readonly<{ outcome: 'conflict'; current: RateVersion }>
  | Readonly<{ outcome: 'invalid'; errors: readonly RowError[] }>;

type Studio = Readonly<{
  tenantId: number;
  /** The version that was seen; left out: any. */
  basedOn?: number;
}>;

export type RatesChange = Readonly<{
  /** Null: money is shown as it was paid. Left out: as it is. */
  currency?: string | null;
  rates: readonly StatedRate[];
  /** `merge` changes and adds rates, `replace` makes these the whole table. */
  mode: ImportMode;
}>;

/**
 * Changes the reporting currency or its rates, as the next version. Rates say what a currency is worth in the reporting currency, so
 * none of them is kept for another one.
 */
export function changeRates(
  pool: Pool,
  { tenantId, basedOn }: Studio,
  { rates, mode, ...change }: RatesChange,
  actor: Actor,
): Promise<RatesOutcome> {
  return transaction(pool, async (client): Promise<RatesOutcome> => {
    const current = await lockRates(client, tenantId);
    if (basedOn !== undefined && basedOn !== current.version) return { outcome: 'conflict', current };
    const { currency = current.currency } = change;
    const errors = checkRates(rates, currency);
    if (errors.length > 0) return { outcome: 'invalid', errors };
    const stated = new Set(rates.map(keyOf));
    const isKept = mode === 'merge' && currency === current.currency;
    const kept = isKept ? current.rates.filter((rate) => !stated.has(keyOf(rate))) : [];
    const sorted = sortedRates([...rates, ...kept]);
    if (sorted.length > MAX_RATES) return { outcome: 'invalid', errors: [TOO_MANY] };
    if (currency === current.currency && isDeepStrictEqual(sorted, current.rates))
      return { outcome: 'saved', saved: current, isChange: false };
    const saved = await insertNext(client, tenantId, current, { currency, rates: sorted }, actor);
    return { outcome: 'saved', saved, isChange: true };
  });
}

async function insertNext(
  client: Client,
  tenantId: number,
  current: RateVersion,
  { currency, rates }: { currency: string | null; rates: readonly ExchangeRate[] },
  actor: Actor,
): Promise<RateVersion> {
  const { name: author, nowMs: createdAt } = actor;
  const next = {
    version: current.version + 1,
    currency,
    rates,
    author,
    authorEmail: emailOf(actor),
    createdAt,
  };
  await insertRateVersion(client, tenantId, next);
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId: null,
    action: 'reporting.update',
    target: `exchange rates version ${next.version}`,
    before: summary(current),
    after: summary(next),
  });
  return next;
}

/** The rates themselves are kept with their version. */
function summary({ version, currency, rates }: RateVersion) {
  return { version, currency, rates: rates.length };
}
