import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { hashOfToken, newSecretToken } from '../../platform/lib/secret-token.js';
import { insertAdminSession, type NewSession, type SessionOrigin } from '../admin-api/admin-sessions.js';
import { type AccountRow, findAccount } from './account-queries.js';

/** A link signs in to an account, once. A start in development makes one, or an operator by command. */

/** Creates a link. The former links of the account are deleted. */
export async function replaceSignInLink(
  client: Client,
  accountId: string,
  expiresAt: number,
): Promise<string> {
  const { token, tokenHash } = newSecretToken();
  await deleteSignInLinks(client, accountId);
  await client.query('insert into sign_in_links (token_hash, account_id, expires_at) values ($1, $2, $3)', [
    tokenHash,
    accountId,
    new Date(expiresAt),
  ]);
  return token;
}

export async function deleteSignInLinks(client: Client, accountId: string): Promise<void> {
  await client.query('delete from sign_in_links where account_id = $1', [accountId]);
}

/** Opens a session, and deletes the link. Undefined if the link is unknown, used or expired. */
export function signInByLink(
  pool: Pool,
  token: string,
  origin: SessionOrigin,
  nowMs: number,
): Promise<{ account: AccountRow; session: NewSession } | undefined> {
  return transaction(pool, async (client) => {
    const accountId = await deleteSignInLink(client, token, nowMs);
    const account = accountId === undefined ? undefined : await findAccount(client, accountId);
    if (account === undefined) return undefined;
    const session = await insertAdminSession(client, account, origin, nowMs);
    return session === undefined ? undefined : { account, session };
  });
}

/** Returns the account of the link. */
async function deleteSignInLink(client: Client, token: string, nowMs: number): Promise<string | undefined> {
  const { rows } = await client.query<{ accountId: string }>(
    'delete from sign_in_links where token_hash = $1 and expires_at > $2 returning account_id as "accountId"',
    [hashOfToken(token), new Date(nowMs)],
  );
  return rows[0]?.accountId;
}

/** The address in the console. Browsers do not send what follows the `#`, so the token reaches no proxy and no access log. */
export function signInPath(token: string): string {
  return `/console/sign-in#token=${token}`;
}
