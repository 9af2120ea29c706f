import { StartupError } from '../lib/startup-error.js';

type ConnectionError = Error & { code?: string };

/** Why there is no connection, in the words of an operator, and what to do. */
type Reason = Readonly<{ what: string; advice: string }>;

const CANNOT_BE_REACHED = 'The database cannot be reached';

/** What to write in DATABASE_URL, by the code of Node's TLS. */
const TLS_ADVICE: Readonly<Record<string, string>> = {
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

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No server listens there. Start it, or check host and port in DATABASE_URL.',
  ENOENT: 'There is no socket of a server. Start it, or check host and port in DATABASE_URL.',
  ENOTFOUND: 'No machine has this host name. Check the host in DATABASE_URL.',
  EAI_AGAIN:
    'The host name cannot be looked up now. Check the host in DATABASE_URL, and the DNS of this machine.',
  ECONNRESET:
    'The server closed the connection at once. Check the port in DATABASE_URL, sslmode, and what stands between both machines.',
  EHOSTUNREACH:
    'There is no way to this host. Check the host in DATABASE_URL, the network and its firewalls.',
  ENETUNREACH: 'There is no way to this host. Check the host in DATABASE_URL, the network and its firewalls.',
  ETIMEDOUT: 'The host does not respond. Check host and port in DATABASE_URL, and the firewalls in between.',
};

/** Says why there is no connection to the database, and what to do. */
export function unreachable(error: ConnectionError, databaseUrl: string): StartupError {
  const { what, advice } = reasonOf(error, databaseUrl);
  return new StartupError(`${what}: ${wordsOf(error)}. ${advice}`, { cause: error });
}

/** What has happened to a database that was reached before (`isUnavailable`), and what to do. */
export function describeLoss(error: ConnectionError): string {
  const { what, advice } = refusalOf(error.code ?? '', error.message) ?? lossOf(error);
  return `${what}: ${wordsOf(error)}. ${advice}`;
}

function lossOf({ code = '', message }: ConnectionError): Reason {
  if (code === '53100') {
    return {
      what: 'The disk of the database is full',
      advice: 'Free some space there, then run the command again.',
    };
  }
  if (code === '25006') {
    return {
      what: 'The database can only be read',
      advice:
        'Set DATABASE_URL to the primary server: this is a standby, or default_transaction_read_only is on.',
    };
  }
  if (/^(?:40|55P03)/.test(code)) {
    return { what: 'Others change the same rows', advice: 'Run the command again.' };
  }
  if (code === '57014' || /timeout|timed out/i.test(message)) {
    return {
      what: 'The database did not respond in time',
      advice: 'Run the command again when it is less busy, or raise SAVEPOINT_DB_TIMEOUT_MS.',
    };
  }
  return {
    what: 'The connection to the database was lost',
    advice: 'See whether the database, or the service that runs it, was stopped, then run the command again.',
  };
}

/** What to do about a connection that failed. */
export function connectionAdvice(error: ConnectionError, databaseUrl: string): string {
  return reasonOf(error, databaseUrl).advice;
}

/** Where a name has several addresses and none can be reached, the error has no message. */
export function wordsOf({ message, code }: ConnectionError): string {
  return ((message || code) ?? 'no reason given').replace(/\.$/, '');
}

function reasonOf(error: ConnectionError, databaseUrl: string): Reason {
  const { code = '', message } = error;
  const refused = refusalOf(code, message);
  if (refused !== undefined) return refused;
  const advice =
    tlsAdvice(error, databaseUrl) ??
    NETWORK[code] ??
    (/timeout|timed out/i.test(message) ? NETWORK.ETIMEDOUT : undefined) ??
    'Start it, or check DATABASE_URL.';
  return { what: CANNOT_BE_REACHED, advice };
}

function tlsAdvice({ code = '', message }: ConnectionError, databaseUrl: string): string | undefined {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return databaseUrl.includes('sslrootcert=')
      ? 'The certificate of the server is not signed by the authority of sslrootcert. Name the file of the authority that signed it.'
      : 'The certificate of the server is signed by an authority that this machine does not know. Add sslrootcert=/path/to/ca.pem to DATABASE_URL.';
  }
  if (message.includes('does not support SSL')) {
    return 'The server has TLS turned off: turn it on there (ssl = on), or write sslmode=disable in DATABASE_URL.';
  }
  return TLS_ADVICE[code];
}

/** A server that was reached, and does not let this connection in. */
function refusalOf(code: string, message: string): Reason | undefined {
  switch (code) {
    case '28P01':
      return {
        what: 'PostgreSQL refused the password',
        advice:
          'Check user and password in DATABASE_URL: characters such as @, : and / are written as %40, %3A and %2F.',
      };
    case '28000':
      return refusedRole(message);
    case '3D000':
      return {
        what: 'PostgreSQL has no such database',
        advice: 'Create it (createdb), or check the name in DATABASE_URL.',
      };
    case '42501':
      return {
        what: 'PostgreSQL refused the role',
        advice: 'Allow it, as the owner of the database: grant connect on database … to …;',
      };
    case '53300':
      return {
        what: 'PostgreSQL has no connection left',
        advice:
          'Raise max_connections there (or the connection limit of the role), lower SAVEPOINT_DB_POOL, or end what else is connected.',
      };
    case '57P03':
      return { what: 'PostgreSQL is not ready', advice: 'Wait until it has started, then try again.' };
    default:
      // In the words of the driver, which asks for it before it sends anything.
      return message.includes('password must be a string')
        ? {
            what: 'PostgreSQL asks for a password',
            advice: 'DATABASE_URL has none: postgres://user:password@host/database.',
          }
        : undefined;
  }
}

function refusedRole(message: string): Reason {
  // "no pg_hba.conf entry for host …, no encryption"
  if (message.includes('no encryption')) {
    return {
      what: 'PostgreSQL refused the connection',
      advice:
        'The server wants encrypted connections. Add sslmode=require to DATABASE_URL, or sslmode=verify-full.',
    };
  }
  if (message.includes('pg_hba.conf')) {
    return {
      what: 'PostgreSQL refused the connection',
      advice:
        'Its pg_hba.conf lets this role from this machine not into this database: add a line for them there (host … scram-sha-256), and reload it.',
    };
  }
  return {
    what: 'PostgreSQL refused the role',
    advice: 'Check the user in DATABASE_URL, and that the role exists and may log in (create role … login).',
  };
}
