import type { Pool } from '../db/pool.js';

/** How much of the database is sealed under one master key. */
export type SealedSecrets = {
  masterKeyId: string;
  apiKeys: number;
  signingKeys: number;
  /** Of accounts, those in force and those that wait for their first code. */
  secondFactors: number;
  /** 0 or 1: the key of the hashes of erased players. */
  erasureKeys: number;
  /** Service accounts of Google. */
  storeAccounts: number;
  /** 0 or 1: the key of the hashes of forgotten devices. */
  deviceKeys: number;
};

/**
 * By master key; empty while nothing is sealed. The id of the key stands in clear behind the first byte of each blob
 * (platform/security/master-keys.ts), so no blob has to be opened. Revoked API keys do not count: their secrets are never opened
 * again.
 */
export async function listSealedSecrets(pool: Pool): Promise<SealedSecrets[]> {
  const { rows } = await pool.query<SealedSecrets>(
    `select encode(substring(sealed from 2 for 4), 'hex') as "masterKeyId",
       (count(*) filter (where kind = 'api'))::int as "apiKeys",
       (count(*) filter (where kind = 'signing'))::int as "signingKeys",
       (count(*) filter (where kind = 'second factor'))::int as "secondFactors",
       (count(*) filter (where kind = 'erasure'))::int as "erasureKeys",
       (count(*) filter (where kind = 'store account'))::int as "storeAccounts",
       (count(*) filter (where kind = 'device'))::int as "deviceKeys"
     from (
       select 'api' as kind, sealed_secret as sealed from api_keys where revoked_at is null and kind = 'client'
       union all
       select 'signing', sealed_private from signing_keys
       union all
       select 'second factor', second_factor from accounts where second_factor is not null
       union all
       select 'second factor', second_factor_pending from accounts where second_factor_pending is not null
       union all
       select 'erasure', sealed_key from erasure_key
       union all
       select 'store account', sealed_key from google_accounts
       union all
       select 'device', sealed_key from device_forgetting
     ) secrets
     group by 1
     order by 1`,
  );
  return rows;
}
