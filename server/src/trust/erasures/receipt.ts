import { type KeyObject, sign } from 'node:crypto';
import type { FinishedErasure } from './finish-queries.js';

export type ReceiptSigner = Readonly<{
  issuer: string;
  /** The key that signs now: see core/sessions/signing-keys.ts. */
  current(): { kid: string; privateKey: KeyObject };
}>;

/** Other than that of access tokens, so that neither is taken for the other. */
export const RECEIPT_TYPE = 'savepoint-erasure+jwt';

/** What was erased, as a JWS that anybody can check against /.well-known/jwks.json. It names the player by the hash only. */
export function signReceipt(signer: ReceiptSigner, erasure: FinishedErasure, finishedAtMs: number): string {
  const { kid, privateKey } = signer.current();
  const {
    exports_expired: exportsExpired = 0,
    erased_transactions: taxRecordsKept = 0,
    ...deleted
  } = erasure.counts;
  const claims = {
    iss: signer.issuer,
    iat: Math.floor(finishedAtMs / 1000),
    jti: erasure.erasureId,
    tenantId: erasure.tenant,
    gameId: erasure.game,
    playerHash: erasure.playerHash.toString('hex'),
    requestedAt: new Date(erasure.requestedAt).toISOString(),
    startedAt: new Date(erasure.startedAt).toISOString(),
    finishedAt: new Date(finishedAtMs).toISOString(),
    deleted,
    exportsExpired,
    taxRecordsKept,
  };
  const signed = [{ alg: 'ES256', typ: RECEIPT_TYPE, kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
