import { type Actor, insertAuditEntry } from '../../../platform/admin-api/audit-log.js';
import { type Client, type Pool, query, transaction } from '../../../platform/db/pool.js';
import { type GoogleAccount, readAccountKey } from '../../../platform/lib/google-play/google-api.js';
import { accountBinding } from '../../../platform/security/google-account-binding.js';
import { type MasterKeys, seal, unseal } from '../../../platform/security/master-keys.js';

/** Of a service account: what may be shown. */
export type AccountStatus = Readonly<{
  email: string;
  setAt: number;
  /** Why Google could not be asked last; null while it can. */
  lastError: string | null;
  /** Purchases that wait for Google, 1,000 at most. */
  waiting: number;
  /** Voided purchases before this time are known. */
  voidedUntil: number | null;
}>;

const TARGET = 'service account of Google';

export async function findAccountStatus(
  db: Pool | Client,
  gameId: number,
): Promise<AccountStatus | undefined> {
  const { rows } = await db.query<AccountStatus>(
    `select email, set_at as "setAt", last_error as "lastError", voided_from as "voidedUntil",
       (select count(*)::int from (select from google_purchases p where p.game_id = a.game_id limit 1000) w) as waiting
     from google_accounts a where game_id = $1`,
    [gameId],
  );
  return rows[0];
}

/** Sets or replaces the account. What is known about voided purchases stays. */
export function saveAccount(
  pool: Pool,
  masterKeys: MasterKeys,
  { gameId, email, privateKey }: Readonly<{ gameId: number; email: string; privateKey: string }>,
  actor: Actor,
): Promise<void> {
  return transaction(pool, async (client) => {
    const before = await findAccountStatus(client, gameId);
    await client.query(
      `insert into google_accounts (game_id, email, sealed_key, set_at, retry_at) values ($1, $2, $3, $4, $4)
       on conflict (game_id) do update
       set email = excluded.email, sealed_key = excluded.sealed_key, set_at = excluded.set_at, failures = 0,
         retry_at = excluded.retry_at, last_error = null`,
      [gameId, email, seal(masterKeys, privateKey, accountBinding(gameId)), new Date(actor.nowMs)],
    );
    await auditAccount(client, gameId, actor, before?.email ?? null, email);
  });
}

/** False if the game has no account. Purchases that wait are not asked about any more. */
export function deleteAccount(pool: Pool, gameId: number, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    const before = await findAccountStatus(client, gameId);
    if (before === undefined) return false;
    await client.query('delete from google_accounts where game_id = $1', [gameId]);
    await client.query('delete from google_purchases where game_id = $1', [gameId]);
    await auditAccount(client, gameId, actor, before.email, null);
    return true;
  });
}

function auditAccount(
  client: Client,
  gameId: number,
  actor: Actor,
  before: string | null,
  after: string | null,
): Promise<void> {
  return insertAuditEntry(client, actor, {
    tenantId: null,
    gameId,
    action: 'stores.google_account',
    target: TARGET,
    before: before === null ? null : { email: before },
    after: after === null ? null : { email: after },
  });
}

/** Undefined without an account, or without settings for receipts of Google. */
export async function openAccount(
  pool: Pool,
  masterKeys: MasterKeys,
  gameId: number,
): Promise<GoogleAccount | undefined> {
  type Row = { email: string; sealed: Buffer; packageName: string | null };
  const [row] = await query<Row>(
    pool,
    {
      name: 'find_google_account',
      text: `select a.email, a.sealed_key as sealed, s.settings -> 'google' ->> 'packageName' as "packageName"
             from google_accounts a join game_stores s on s.game_id = a.game_id
             where a.game_id = $1`,
    },
    [gameId],
  );
  if (row === undefined || row.packageName === null) return undefined;
  const { email, packageName } = row;
  const privateKey = readAccountKey(unseal(masterKeys, row.sealed, accountBinding(gameId)).toString());
  if (privateKey === undefined) throw new Error(`the service account of game ${gameId} cannot be read`);
  return { gameId, email, privateKey, packageName };
}

/** The pause before Google is asked again doubles with each failure. */
const FIRST_PAUSE_SECONDS = 30;
const MAX_PAUSE_SECONDS = 3_600;

/** Returns when Google may be asked again. */
export async function noteFailure(
  pool: Pool,
  gameId: number,
  message: string,
  nowMs: number,
): Promise<number> {
  const [row] = await query<{ retryAt: number }>(
    pool,
    {
      name: 'note_google_failure',
      text: `update google_accounts
             set failures = least(failures + 1, 100), last_error = $2,
               retry_at = $3::timestamptz + least(${FIRST_PAUSE_SECONDS} * 2.0 ^ least(failures, 20), ${MAX_PAUSE_SECONDS}) * interval '1 second'
             where game_id = $1
             returning retry_at as "retryAt"`,
    },
    [gameId, message, new Date(nowMs)],
  );
  return row?.retryAt ?? nowMs;
}

export async function noteSuccess(pool: Pool, gameId: number): Promise<void> {
  await query(
    pool,
    {
      name: 'note_google_success',
      text: 'update google_accounts set failures = 0, last_error = null where game_id = $1 and last_error is not null',
    },
    [gameId],
  );
}

export type FailingAccount = { tenant: string; game: string; lastError: string };

/** Games whose account Google refused last, or that could not reach Google. */
export async function listFailingAccounts(pool: Pool): Promise<FailingAccount[]> {
  const { rows } = await pool.query<FailingAccount>(
    `select t.slug as tenant, g.slug as game, a.last_error as "lastError"
     from google_accounts a
     join lateral (select * from games g where g.id = a.game_id offset 0) g on true
     join lateral (select * from tenants t where t.id = g.tenant_id offset 0) t on true
     where a.last_error is not null
     order by 1, 2`,
  );
  return rows;
}
