import { describe, expect, it } from 'vitest';
import { unreachable } from '../../src/db/unreachable.js';

const URL_WITH_CA = 'postgres://u@db/game?sslmode=verify-full&sslrootcert=/ca.pem';

describe('a database that cannot be reached', () => {
  const sentence = (error: { code?: string; message: string }, url = 'postgres://u@db/game') =>
    unreachable(Object.assign(new Error(error.message), error), url).message;

  it.each([
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed' }, 'Add sslrootcert=/path/to/ca.pem'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'altnames' }, 'sslmode=verify-ca'],
    [{ code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' }, 'Renew it.'],
    [{ code: '28000', message: 'no pg_hba.conf entry for host "::1", no encryption' }, 'Add sslmode=require'],
    [{ message: 'The server does not support SSL connections' }, 'write sslmode=disable'],
    [{ code: 'ECONNREFUSED', message: '' }, 'ECONNREFUSED. Start it, or check DATABASE_URL.'],
  ])('because of %o says what to write', (error, advice) => {
    expect(sentence(error)).toContain(advice);
  });

  it('because another authority was named says so', () => {
    const error = { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: 'unable to verify' };
    expect(sentence(error, URL_WITH_CA)).toBe(
      'The database cannot be reached: unable to verify. The certificate of the server is not signed by the authority of sslrootcert. Name the file of the authority that signed it.',
    );
  });
});
