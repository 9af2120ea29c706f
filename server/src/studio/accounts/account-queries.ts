import { type Client, type Pool, query } from '../../platform/db/pool.js';

export type AccountRow = {
  accountId: string;
  email: string;
  name: string;
  passwordHash: string | null;
  /** The sealed secret; null while the second factor is off. */
  secondFactor: Buffer | null;
};

const ACCOUNT_COLUMNS = `id as "accountId", email, name, password_hash as "passwordHash", second_factor as "secondFactor"`;

/** The form of an address that accounts are found by. */
export function emailKeyOf(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

export async function findAccountByEmail(
  db: Pool | Client,
  emailKey: string,
): Promise<AccountRow | undefined> {
  const rows = await query<AccountRow>(
    db,
    {
      name: 'find_account_by_email',
      text: `select ${ACCOUNT_COLUMNS} from accounts where email_key = $1`,
    },
    [emailKey],
  );
  return rows[0];
}

export async function findAccount(db: Pool | Client, accountId: string): Promise<AccountRow | undefined> {
  const rows = await query<AccountRow>(
    db,
    {
      name: 'find_account',
      text: `select ${ACCOUNT_COLUMNS} from accounts where id = $1`,
    },
    [accountId],
  );
  return rows[0];
}

export type NewAccount = Readonly<{
  accountId: string;
  email: string;
  name: string;
  passwordHash: string | null;
  createdAt: number;
}>;

/** False when the address has an account already. */
export async function insertAccount(db: Pool | Client, account: NewAccount): Promise<boolean> {
  const { accountId, email, name, passwordHash, createdAt } = account;
  const { rowCount } = await db.query(
    `insert into accounts (id, email, email_key, name, password_hash, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (email_key) do nothing`,
    [accountId, email, emailKeyOf(email), name, passwordHash, new Date(createdAt)],
  );
  return rowCount === 1;
}

/** False if the password is no longer `former`. */
export async function updatePasswordHash(
  client: Client,
  accountId: string,
  former: string | null,
  passwordHash: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'update accounts set password_hash = $3 where id = $1 and password_hash is not distinct from $2',
    [accountId, former, passwordHash],
  );
  return rowCount === 1;
}

/** Changes nothing if the password is no longer `former`. */
export async function updateOutdatedHash(
  db: Pool | Client,
  accountId: string,
  former: string,
  passwordHash: string,
): Promise<void> {
  await db.query('update accounts set password_hash = $3 where id = $1 and password_hash = $2', [
    accountId,
    former,
    passwordHash,
  ]);
}

/** Deletes the password and the second factor. From then on the account can only sign in by a link. */
export async function updateAccountReset(client: Client, accountId: string): Promise<void> {
  await client.query(
    `update accounts set password_hash = null, second_factor = null, second_factor_pending = null where id = $1`,
    [accountId],
  );
}

export async function updatePendingSecondFactor(
  db: Pool | Client,
  accountId: string,
  sealed: Buffer,
): Promise<void> {
  await db.query('update accounts set second_factor_pending = $2 where id = $1', [accountId, sealed]);
}

export async function findPendingSecondFactor(
  db: Pool | Client,
  accountId: string,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer | null }>(
    'select second_factor_pending as sealed from accounts where id = $1 for update',
    [accountId],
  );
  return rows[0]?.sealed ?? undefined;
}

/** Puts the pending secret in force. The code of `step`, which proved it, counts as used. */
export async function updateSecondFactorConfirmed(
  client: Client,
  accountId: string,
  step: number,
): Promise<void> {
  await client.query(
    `update accounts
     set second_factor = second_factor_pending, second_factor_pending = null, second_factor_step = $2
     where id = $1`,
    [accountId, step],
  );
}

/** False if the second factor was off. */
export async function updateSecondFactorEnded(client: Client, accountId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update accounts set second_factor = null, second_factor_pending = null
     where id = $1 and second_factor is not null`,
    [accountId],
  );
  return rowCount === 1;
}

/** Locks the account until the transaction ends. */
export async function isSecondFactorOn(client: Client, accountId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from accounts where id = $1 and second_factor is not null for update',
    [accountId],
  );
  return rowCount === 1;
}

/** False if the code of this interval, or of a later one, is used already. Of two concurrent requests one succeeds. */
export async function useSecondFactorStep(
  db: Pool | Client,
  accountId: string,
  step: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update accounts set second_factor_step = $2 where id = $1 and second_factor_step < $2',
    [accountId, step],
  );
  return rowCount === 1;
}
