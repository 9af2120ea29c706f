import { randomBytes } from 'node:crypto';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { hashOfToken } from '../../platform/lib/secret-token.js';
import { toBase32 } from '../../platform/lib/totp.js';
import { insertAccountEntries } from './account-audit.js';
import { type AccountRow, isSecondFactorOn } from './account-queries.js';
import { countRecoveryCodes, deleteRecoveryCode, replaceRecoveryCodes } from './recovery-code-queries.js';

/**
 * Recovery codes: each replaces one code of the authenticator app, for a person who has lost the phone. They exist only while the
 * second factor is on.
 */
const RECOVERY_CODES = 10;
/** 80 bits cannot be guessed from their hash, and still fit on a slip of paper: four groups of four characters. */
const CODE_BYTES = 10;

type Account = Pick<AccountRow, 'accountId' | 'email'>;

/** Gives an account ten new codes; the former ones end. The caller holds the lock on the account. */
export async function insertNewRecoveryCodes(client: Client, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => inGroups(toBase32(randomBytes(CODE_BYTES))));
  await replaceRecoveryCodes(client, accountId, codes.map(hashOfRecoveryCode));
  return codes;
}

/** Undefined if the second factor is off. */
export function renewRecoveryCodes(
  pool: Pool,
  { accountId, email }: Account,
  actor: Actor,
): Promise<string[] | undefined> {
  return transaction(pool, async (client) => {
    if (!(await isSecondFactorOn(client, accountId))) return undefined;
    const unused = await countRecoveryCodes(client, accountId);
    const codes = await insertNewRecoveryCodes(client, accountId);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.recovery_codes',
      target: `account ${email}`,
      before: { unusedRecoveryCodes: unused },
      after: { unusedRecoveryCodes: codes.length },
    });
    return codes;
  });
}

/** Whether the account has such an unused code. Marks the code as used. */
export function useRecoveryCode(
  pool: Pool,
  { accountId, email, name }: Account & Pick<AccountRow, 'name'>,
  code: string,
  nowMs: number,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    if (!(await deleteRecoveryCode(client, accountId, hashOfRecoveryCode(code)))) return false;
    const actor = { name, account: { accountId, email }, nowMs };
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.recovery_code_used',
      target: `account ${email}`,
      before: null,
      after: { unusedRecoveryCodes: await countRecoveryCodes(client, accountId) },
    });
    return true;
  });
}

/** People type codes from paper: in lower case, with spaces, without hyphens. */
function hashOfRecoveryCode(code: string): Buffer {
  return hashOfToken(code.replace(/[\s-]/g, '').toUpperCase());
}

function inGroups(code: string): string {
  return code.match(/.{4}/g)?.join('-') ?? code;
}
