import { unseal } from '../../platform/security/master-keys.js';
import { apiKeyBinding } from './api-key-queries.js';
import type { SessionContext } from './session-context.js';
import { findApiKeys } from './session-queries.js';
import { signatureHint } from './signature-hint.js';
import type { SignedLogin } from './verify-signature.js';

const EXPECTED =
  'Expected is the Base64 (standard alphabet, with padding) of HMAC-SHA256 over apiKey|deviceId|timestamp, as sent, keyed with the secret.';

/**
 * Development only. Logs why a login was refused, after the response was sent, which is the same 401 for all reasons. An
 * unknown key id is not logged: it may be the secret, in the wrong place.
 */
export async function explainRefusedLogin(
  { pool, masterKeys, clock, logger }: Pick<SessionContext, 'pool' | 'masterKeys' | 'clock' | 'logger'>,
  requestId: string,
  login: SignedLogin,
): Promise<void> {
  try {
    const [row] = await findApiKeys(pool, [login.apiKey]);
    if (row === undefined) {
      logger.warn({ requestId }, 'a login was refused: no API key has the id that was sent');
      return;
    }
    const { keyId, tenantSlug, sealedSecret, revoked, expiresAt } = row;
    if (revoked) {
      logger.warn({ requestId, keyId }, 'a login was refused: the API key is revoked');
      return;
    }
    if (expiresAt !== null && expiresAt <= clock.now()) {
      logger.warn({ requestId, keyId }, 'a login was refused: the API key was rotated and has expired');
      return;
    }
    const secret = unseal(masterKeys, sealedSecret, apiKeyBinding(tenantSlug, keyId));
    const hint = signatureHint(secret, login);
    const looks = hint === undefined ? 'is wrong' : `looks like one ${hint}`;
    logger.warn({ requestId, keyId }, `a login was refused: the signature ${looks}. ${EXPECTED}`);
  } catch (error) {
    logger.debug({ requestId, err: error }, 'could not find out why a login was refused');
  }
}
