import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** Replaces all recovery codes of an account. The caller holds the lock on the account, so that two replacements do not mix. */
export async function replaceRecoveryCodes(
  client: Client,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(client, accountId);
  await client.query(
    'insert into account_recovery_codes (account_id, code_hash) select $1, unnest($2::bytea[])',
    [accountId, hashes],
  );
}

export async function deleteRecoveryCodes(client: Client, accountId: string): Promise<void> {
  await client.query('delete from account_recovery_codes where account_id = $1', [accountId]);
}

/** False if the account has no such unused code. Of two concurrent requests one succeeds. */
export async function deleteRecoveryCode(client: Client, accountId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from account_recovery_codes where account_id = $1 and code_hash = $2',
    [accountId, hash],
  );
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Pool | Client, accountId: string): Promise<number> {
  const rows = await query<{ unused: number }>(
    db,
    {
      name: 'count_recovery_codes',
      text: 'select count(*)::int as unused from account_recovery_codes where account_id = $1',
    },
    [accountId],
  );
  return rows[0]?.unused ?? 0;
}
