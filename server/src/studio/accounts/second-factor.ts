import { randomBytes } from 'node:crypto';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { findStep, otpauthUri, toBase32 } from '../../platform/lib/totp.js';
import { type MasterKeys, seal, unseal } from '../../platform/security/master-keys.js';
import { insertAccountEntries } from './account-audit.js';
import {
  type AccountRow,
  findPendingSecondFactor,
  updatePendingSecondFactor,
  updateSecondFactorConfirmed,
  updateSecondFactorEnded,
  useSecondFactorStep,
} from './account-queries.js';
import { deleteRecoveryCodes } from './recovery-code-queries.js';
import { insertNewRecoveryCodes } from './recovery-codes.js';
import { secondFactorBinding } from './second-factor-binding.js';

/** As long as the output of SHA-1 (RFC 4226, section 4). */
const SECRET_BYTES = 20;
const ISSUER = 'Savepoint';

type Account = Pick<AccountRow, 'accountId' | 'email'>;

/** Makes a secret. Sign-ins require it only after a code of it was confirmed, so a wrong set-up locks no member out. */
export async function startSecondFactor(
  pool: Pool,
  masterKeys: MasterKeys,
  { accountId, email }: Account,
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(SECRET_BYTES);
  await updatePendingSecondFactor(pool, accountId, seal(masterKeys, secret, secondFactorBinding(accountId)));
  return { secret: toBase32(secret), uri: otpauthUri(ISSUER, email, secret) };
}

/** The recovery codes; undefined if the code does not belong to the newest secret. */
export function confirmSecondFactor(
  pool: Pool,
  masterKeys: MasterKeys,
  { accountId, email }: Account,
  code: string,
  actor: Actor,
): Promise<string[] | undefined> {
  return transaction(pool, async (client) => {
    const sealed = await findPendingSecondFactor(client, accountId);
    if (sealed === undefined) return undefined;
    const secret = unseal(masterKeys, sealed, secondFactorBinding(accountId));
    const step = findStep(secret, code, actor.nowMs);
    if (step === undefined) return undefined;
    await updateSecondFactorConfirmed(client, accountId, step);
    const recoveryCodes = await insertNewRecoveryCodes(client, accountId);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.second_factor',
      target: `account ${email}`,
      before: null,
      after: { hasSecondFactor: true, unusedRecoveryCodes: recoveryCodes.length },
    });
    return recoveryCodes;
  });
}

/** False if the second factor was off. */
export function endSecondFactor(pool: Pool, { accountId, email }: Account, actor: Actor): Promise<boolean> {
  return transaction(pool, async (client) => {
    if (!(await updateSecondFactorEnded(client, accountId))) return false;
    await deleteRecoveryCodes(client, accountId);
    await insertAccountEntries(client, actor, accountId, {
      action: 'account.second_factor',
      target: `account ${email}`,
      before: { hasSecondFactor: true },
      after: { hasSecondFactor: false },
    });
    return true;
  });
}

/** Whether the code is right and was not used before. Marks the code as used. */
export async function useSecondFactorCode(
  pool: Pool,
  masterKeys: MasterKeys,
  accountId: string,
  { sealed, code, nowMs }: { sealed: Buffer; code: string; nowMs: number },
): Promise<boolean> {
  const secret = unseal(masterKeys, sealed, secondFactorBinding(accountId));
  const step = findStep(secret, code, nowMs);
  return step !== undefined && (await useSecondFactorStep(pool, accountId, step));
}
