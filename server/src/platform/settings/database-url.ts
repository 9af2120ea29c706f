import { existsSync } from 'node:fs';

/** Where the certificates that the operating system trusts are: Debian and Alpine, Red Hat, SUSE, macOS. */
const SYSTEM_CERTIFICATES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

export type DatabaseUrl = Readonly<{ url: string } | { problem: string }>;

/** Which server each of the two settings leads to. */
const SERVERS = {
  DATABASE_URL: {
    sessions: ['any', 'read-write', 'primary'],
    why: 'Savepoint writes, so it needs the primary: leave it out.',
    host: 'Name one that always leads to the primary: a proxy such as HAProxy, or an address that moves with the primary.',
  },
  DATABASE_REPLICA_URL: {
    sessions: ['any', 'read-only', 'standby', 'prefer-standby'],
    why: 'Savepoint only reads there, so it needs a standby: leave it out.',
    host: 'Name one standby, or a proxy such as HAProxy that leads to one standby at a time.',
  },
} as const;

type UrlName = keyof typeof SERVERS;

/**
 * Reads DATABASE_URL as PostgreSQL's own tools do, or says what to write instead. Sentences never repeat the address, which
 * holds a password.
 */
export function readDatabaseUrl(
  given: string,
  exists: (path: string) => boolean = existsSync,
  name: UrlName = 'DATABASE_URL',
): DatabaseUrl {
  const found = read(given, exists, SERVERS[name]);
  return 'url' in found ? found : { problem: found.problem.replaceAll('DATABASE_URL', name) };
}

function read(
  given: string,
  exists: (path: string) => boolean,
  { sessions, why, host }: (typeof SERVERS)[UrlName],
): DatabaseUrl {
  if (!/^postgres(ql)?:\/\//.test(given)) {
    return { problem: 'DATABASE_URL must look like postgres://user:password@host:5432/database.' };
  }
  if (hostsOf(given).includes(',')) {
    return {
      problem: `DATABASE_URL names several hosts, which Savepoint cannot choose from. ${host}`,
    };
  }
  if (!URL.canParse(given)) {
    return {
      problem:
        'DATABASE_URL cannot be read. Write characters such as / ? # @ in the password as %2F %3F %23 %40.',
    };
  }
  const url = new URL(given);
  const { searchParams } = url;
  const attributes = searchParams.get('target_session_attrs') ?? 'any';
  if (!sessions.some((session) => session === attributes)) {
    return {
      problem: `DATABASE_URL asks for a server with target_session_attrs=${attributes}. ${why}`,
    };
  }
  const problem = prepareTls(searchParams, exists);
  return problem === undefined ? { url: url.toString() } : { problem };
}

/** Between the password and the path. */
function hostsOf(given: string): string {
  const authority = /^[a-z]+:\/\/([^/?#]*)/.exec(given)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** Makes the driver read `sslmode` as libpq does. The sentence is undefined if it can. */
function prepareTls(parameters: URLSearchParams, exists: (path: string) => boolean): string | undefined {
  if (parameters.get('sslrootcert') === 'system') {
    const mode = parameters.get('sslmode') ?? 'verify-full';
    if (mode !== 'verify-full') {
      return `DATABASE_URL has sslrootcert=system with sslmode=${mode}, which anybody with a certificate could answer. Write sslmode=verify-full.`;
    }
    parameters.set('sslmode', mode);
    const file = SYSTEM_CERTIFICATES.find(exists);
    // Without such a file, Node's own list of authorities counts.
    if (file === undefined) parameters.delete('sslrootcert');
    else parameters.set('sslrootcert', file);
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name);
    if (file !== null && !exists(file))
      return `DATABASE_URL has ${name}=${file}, but there is no such file on this machine.`;
  }
  switch (parameters.get('sslmode')) {
    case null:
    case 'disable':
    case 'no-verify':
    case 'verify-full':
      return undefined;
    case 'require':
      parameters.set('uselibpqcompat', 'true');
      return undefined;
    case 'verify-ca':
      parameters.set('uselibpqcompat', 'true');
      return parameters.has('sslrootcert')
        ? undefined
        : 'DATABASE_URL has sslmode=verify-ca without an authority. Add sslrootcert=/path/to/ca.pem, or write sslmode=verify-full.';
    default:
      return 'DATABASE_URL has an sslmode that Savepoint does not have. Write sslmode=require (encrypted), sslmode=verify-full (encrypted, and the server is verified) or sslmode=disable.';
  }
}
