import { type Pool, query } from '../../platform/db/pool.js';
import { type DatedAmounts, type ReportedAmount, reportAmounts } from './exchange-rates.js';
import { datedRevenue } from './rate-days.js';
import { findRateTable } from './rate-queries.js';

/** A player, by the internal id. */
type Payer = Readonly<{ id: string; purchaseCount: number }>;

/**
 * What each player has spent so far, in the reporting currency: each payment with the rate of its day. Null for all of them if the
 * studio has no reporting currency.
 */
export async function reportSpend(
  pool: Pool,
  gameId: number,
  players: readonly Payer[],
): Promise<(id: string) => ReportedAmount | null> {
  const rates = await findRateTable(pool, gameId);
  if (rates === null) return () => null;
  const payers = players.filter(({ purchaseCount }) => purchaseCount > 0).map(({ id }) => id);
  const spent = payers.length === 0 ? [] : await listDatedSpend(pool, payers, rates.changeDays);
  const datedOf = new Map(spent.map(({ id, dated }) => [id, dated]));
  return (id) => reportAmounts(rates, datedOf.get(id) ?? []);
}

type DatedSpend = { id: string; dated: DatedAmounts[] | null };

function listDatedSpend(
  pool: Pool,
  ids: readonly string[],
  changeDays: readonly string[],
): Promise<DatedSpend[]> {
  return query<DatedSpend>(
    pool,
    {
      name: 'list_dated_spend',
      text: `select p.id::text, s.dated
             from unnest($1::bigint[]) p(id)
             cross join lateral (${DATED_REVENUE}
             ) s`,
    },
    [ids, changeDays],
  );
}

const DATED_REVENUE = datedRevenue('d.player_id = p.id', '$2');
