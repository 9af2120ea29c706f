import { StartupError } from '../lib/startup-error.js';

/** What to write in DATABASE_URL, by the code of Node's TLS or of PostgreSQL. */
const ADVICE: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the server is not for this host. Write the host that the certificate names, or sslmode=verify-ca to check the authority only.',
  CERT_HAS_EXPIRED: 'The certificate of the server has expired. Renew it.',
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet. Compare the clocks of both machines.',
};

/** An authority that is not known, in the words of Node's TLS. */
const UNKNOWN_AUTHORITY = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** Says why the database cannot be reached, and what to write where TLS is the reason. */
export function unreachable(error: Error & { code?: string }, databaseUrl: string): StartupError {
  // Where a name has several addresses and none can be reached, the error has no message.
  const reason = (error.message || error.code) ?? 'no reason given';
  return new StartupError(
    `The database cannot be reached: ${reason.replace(/\.$/, '')}. ${connectionAdvice(error, databaseUrl)}`,
    {
      cause: error,
    },
  );
}

/** What to do about a connection that failed. */
export function connectionAdvice(
  { code = '', message }: Error & { code?: string },
  databaseUrl: string,
): string {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return databaseUrl.includes('sslrootcert=')
      ? 'The certificate of the server is not signed by the authority of sslrootcert. Name the file of the authority that signed it.'
      : 'The certificate of the server is signed by an authority that this machine does not know. Add sslrootcert=/path/to/ca.pem to DATABASE_URL.';
  }
  if (message.includes('does not support SSL')) {
    return 'The server has TLS turned off: turn it on there (ssl = on), or write sslmode=disable in DATABASE_URL.';
  }
  // "no pg_hba.conf entry for host …, no encryption"
  if (code === '28000' && message.includes('no encryption')) {
    return 'The server wants encrypted connections. Add sslmode=require to DATABASE_URL, or sslmode=verify-full.';
  }
  return ADVICE[code] ?? 'Start it, or check DATABASE_URL.';
}
