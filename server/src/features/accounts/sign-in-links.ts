import { type Client, type Pool, transaction } from '../../db/pool.js';
import { hashOfToken, newSecretToken } from '../../lib/secret-token.js';
import { insertAdminSession, type NewSession, type SessionOrigin } from '../studios/admin-sessions.js';
import { type AccountRow, findAccount } from './account-queries.js';

/** A link that signs in to an account, once. Whoever runs the installation makes it: at a start in development, or by command. */

/** The former links of the account end. */
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

/** A session by a link, which is used up by that; undefined if there is no such link, or no longer. */
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

/** The account of the link. */
async function deleteSignInLink(client: Client, token: string, nowMs: number): Promise<string | undefined> {
  const { rows } = await client.query<{ accountId: string }>(
    'delete from sign_in_links where token_hash = $1 and expires_at > $2 returning account_id as "accountId"',
    [hashOfToken(token), new Date(nowMs)],
  );
  return rows[0]?.accountId;
}

/** Where the console takes the token from. Browsers do not send what follows the `#`, so no proxy and no access log gets the token. */
export function signInPath(token: string): string {
  return `/console/sign-in#token=${token}`;
}
