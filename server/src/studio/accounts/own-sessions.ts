import type { Actor } from '../../platform/admin-api/audit-log.js';
import { NEWEST, type TimePage } from '../../platform/admin-api/page-cursor.js';
import { type Client, type Pool, query, transaction } from '../../platform/db/pool.js';
import { deleteSessionsOfAccount } from '../admin-api/admin-sessions.js';
import { insertAccountEntries } from './account-audit.js';
import type { AccountRow } from './account-queries.js';

/** The sessions of one account, for its owner. */

/** A session id is the beginning of the hash of its token: enough to find the session, useless for signing in. */
const ID_BYTES = 12;
export const SESSION_ID = /^[0-9a-f]{24}$/;

export function sessionIdOf(tokenHash: Buffer): string {
  return tokenHash.subarray(0, ID_BYTES).toString('hex');
}

export type OwnSession = {
  sessionId: string;
  createdAt: number;
  seenAt: number;
  expiresAt: number;
  network: string | null;
  browser: string | null;
};

/** A page of sessions, newest first, and one row more if there is a next page. */
export async function listOwnSessions(
  pool: Pool,
  accountId: string,
  { after = { ...NEWEST, id: '' }, limit }: TimePage,
  nowMs: number,
): Promise<OwnSession[]> {
  return query<OwnSession>(
    pool,
    {
      name: 'list_own_sessions',
      text: `select encode(substring(token_hash for ${ID_BYTES}), 'hex') as "sessionId", created_at as "createdAt",
               seen_at as "seenAt", expires_at as "expiresAt", network, browser
             from account_sessions
             where account_id between $1 and $1 and (created_at, token_hash) < ($2, $3) and expires_at > $5
             order by account_id desc, created_at desc, token_hash desc
             limit $4`,
    },
    [...[accountId, new Date(after.at), Buffer.from(after.id, 'hex')], ...[limit + 1, new Date(nowMs)]],
  );
}

type Account = Pick<AccountRow, 'accountId' | 'email'>;

/** False if the account has no such session. */
export function endOwnSession(
  pool: Pool,
  account: Account,
  sessionId: string,
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `delete from account_sessions where account_id = $1 and substring(token_hash for ${ID_BYTES}) = $2`,
      [account.accountId, Buffer.from(sessionId, 'hex')],
    );
    if (rowCount !== 1) return false;
    await insertEnded(client, account, 1, actor);
    return true;
  });
}

/** Ends all sessions of the account except `kept`. Returns how many ended. */
export function endOtherSessions(pool: Pool, account: Account, kept: Buffer, actor: Actor): Promise<number> {
  return transaction(pool, async (client) => {
    const sessionsEnded = await deleteSessionsOfAccount(client, account.accountId, kept);
    if (sessionsEnded > 0) await insertEnded(client, account, sessionsEnded, actor);
    return sessionsEnded;
  });
}

async function insertEnded(
  client: Client,
  { accountId, email }: Account,
  sessionsEnded: number,
  actor: Actor,
): Promise<void> {
  await insertAccountEntries(client, actor, accountId, {
    action: 'account.sign_out',
    target: `account ${email}`,
    before: null,
    after: { sessionsEnded },
  });
}
