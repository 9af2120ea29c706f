import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireReachable } from '../../../src/platform/db/migrate.js';
import { unreachable } from '../../../src/platform/db/unreachable.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

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
    [{ code: 'ECONNREFUSED', message: '' }, 'ECONNREFUSED. No server listens there. Start it, or check host'],
    [{ code: 'ENOENT', message: 'connect ENOENT /run/.s.PGSQL.5432' }, 'There is no socket of a server.'],
    [{ code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND db' }, 'No machine has this host name.'],
    [{ code: 'EAI_AGAIN', message: 'getaddrinfo EAI_AGAIN db' }, 'the DNS of this machine'],
    [{ code: 'EHOSTUNREACH', message: 'connect EHOSTUNREACH' }, 'There is no way to this host.'],
    [{ message: 'timeout expired' }, 'The host does not respond.'],
    [{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'The server closed the connection at once.'],
    [{ code: 'XX000', message: 'odd' }, 'Start it, or check DATABASE_URL.'],
  ])('because of %o says what to write', (error, advice) => {
    expect(sentence(error)).toContain(advice);
  });

  it.each([
    [
      {
        code: '28000',
        message: 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", SSL encryption',
      },
      /^PostgreSQL refused the connection: .*Its pg_hba.conf lets this role/,
    ],
    [
      {
        code: '28000',
        message: 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption',
      },
      /^PostgreSQL refused the connection: .*The server wants encrypted connections/,
    ],
    [
      { code: '28000', message: 'role "u" is not permitted to log in' },
      /^PostgreSQL refused the role: .*the role exists and may log in/,
    ],
    [{ code: '57P03', message: 'the database system is starting up' }, /^PostgreSQL is not ready: .*Wait/],
    [
      { code: '42501', message: 'permission denied for database "d"' },
      /^PostgreSQL refused the role: .*grant connect on database/,
    ],
    [
      { message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' },
      /^PostgreSQL asks for a password: .*DATABASE_URL has none/,
    ],
  ])('because of %o says what was refused', (error, expected) => {
    expect(sentence(error)).toMatch(expected);
  });

  it('because another authority was named says so', () => {
    const error = { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: 'unable to verify' };
    expect(sentence(error, URL_WITH_CA)).toBe(
      'The database cannot be reached: unable to verify. The certificate of the server is not signed by the authority of sslrootcert. Name the file of the authority that signed it.',
    );
  });
});

describe('a server that does not let the connection in', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'empty' });
  });
  afterAll(() => database.drop());

  const sentenceOf = async (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    const error = await requireReachable(url.href).catch((thrown: Error) => thrown);
    return error?.message;
  };

  it.each([
    [
      'a wrong password',
      (url: URL) => (url.password = 'wrong'),
      /^PostgreSQL refused the password: password authentication failed .*Check user and password/,
    ],
    [
      'a database that does not exist',
      (url: URL) => (url.pathname = '/no_such'),
      /^PostgreSQL has no such database: .*Create it/,
    ],
  ])('because of %s says so', async (_name, change, expected) => {
    expect(await sentenceOf(change)).toMatch(expected);
  });
});
