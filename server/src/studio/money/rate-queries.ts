import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { type ExchangeRate, type RateTable, rateTable } from './exchange-rates.js';

/** A version of a studio's rates, in full. */
export type RateVersion = Readonly<{
  version: number;
  /** Null: the studio has no reporting currency. */
  currency: string | null;
  rates: readonly ExchangeRate[];
  author: string | null;
  authorEmail: string | null;
  createdAt: number | null;
}>;

/** What a studio has that never set anything. */
const NO_RATES: RateVersion = {
  version: 0,
  currency: null,
  rates: [],
  author: null,
  authorEmail: null,
  createdAt: null,
};

const COLUMNS = 'version, currency, rates, author, author_email as "authorEmail", created_at as "createdAt"';

/** The version in force. */
export async function findNewestRates(db: Pool | Client, tenantId: number): Promise<RateVersion> {
  const rows = await query<RateVersion>(
    db,
    {
      name: 'find_newest_rates',
      text: `select ${COLUMNS} from reporting_rates where tenant_id = $1 order by version desc limit 1`,
    },
    [tenantId],
  );
  return rows[0] ?? NO_RATES;
}

export async function findRateVersion(
  pool: Pool,
  tenantId: number,
  version: number,
): Promise<RateVersion | undefined> {
  if (version === 0) return NO_RATES;
  const rows = await query<RateVersion>(
    pool,
    {
      name: 'find_rate_version',
      text: `select ${COLUMNS} from reporting_rates where tenant_id = $1 and version = $2`,
    },
    [tenantId, version],
  );
  return rows[0];
}

export type ListedRateVersion = Omit<RateVersion, 'rates'> & Readonly<{ rateCount: number }>;

/** The newest first, without their rates. */
export async function listRateVersions(
  pool: Pool,
  tenantId: number,
  { before, limit }: { before: number; limit: number },
): Promise<ListedRateVersion[]> {
  return query<ListedRateVersion>(
    pool,
    {
      name: 'list_rate_versions',
      text: `select version, currency, json_array_length(rates) as "rateCount", author, author_email as "authorEmail",
               created_at as "createdAt"
             from reporting_rates
             where tenant_id = $1 and version < $2
             order by version desc
             limit $3`,
    },
    [tenantId, before, limit],
  );
}

/** Changes of one studio's rates wait for each other. */
export async function lockRates(client: Client, tenantId: number): Promise<RateVersion> {
  await client.query('select from tenants where id = $1 for no key update', [tenantId]);
  return findNewestRates(client, tenantId);
}

export async function insertRateVersion(
  client: Client,
  tenantId: number,
  { version, currency, rates, author, authorEmail, createdAt }: RateVersion,
): Promise<void> {
  await client.query(
    `insert into reporting_rates (tenant_id, version, currency, rates, author, author_email, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenantId, version, currency, JSON.stringify(rates), author, authorEmail, new Date(createdAt ?? 0)],
  );
}

/** What the money of a game is converted with; null if its studio has no reporting currency. */
export async function findRateTable(
  db: Pool | Client | DedicatedConnection,
  gameId: number,
): Promise<RateTable | null> {
  const { rows } = await db.query<RateVersion>(
    `select ${COLUMNS} from reporting_rates
     where tenant_id = (select tenant_id from games where id = $1)
     order by version desc
     limit 1`,
    [gameId],
  );
  const { version, currency, rates: listed } = rows[0] ?? NO_RATES;
  return currency === null ? null : rateTable(currency, version, listed);
}
