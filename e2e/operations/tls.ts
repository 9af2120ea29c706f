import { execFileSync } from 'node:child_process';
import { chmod, chown, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, runSavepoint, SAVEPOINT, temporaryFolder } from '../support/service.js';
import { postgresAccount, startDebianPostgres } from './debian-postgres.js';

const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

type Certificates = { ca: string; other: string; certificate: string; key: string };
type Attempt = { parameters: string; host?: string; expected: 'works' | RegExp };

/**
 * A PostgreSQL that takes encrypted connections only, with a certificate of a private authority for `localhost`: each way to write
 * DATABASE_URL works, or is refused with a sentence that says what to write.
 */
export async function tryTls(): Promise<readonly string[]> {
  const certificates = makeCertificates(await temporaryFolder());
  const { port, release } = await freePort();
  await release();
  // Without a line for connections that are not encrypted.
  const access = 'hostssl all all 127.0.0.1/32 trust\nlocal all all trust\n';
  const server = await startDebianPostgres(port, access, (folder) => useCertificates(folder, certificates));
  const { ca, other } = certificates;
  const attempts: Attempt[] = [
    { parameters: 'sslmode=require', expected: 'works' },
    { parameters: `sslmode=require&sslrootcert=${ca}`, expected: 'works' },
    { parameters: `sslmode=verify-ca&sslrootcert=${ca}`, host: '127.0.0.1', expected: 'works' },
    { parameters: `sslmode=verify-full&sslrootcert=${ca}`, expected: 'works' },
    {
      parameters: `sslmode=verify-full&sslrootcert=${ca}`,
      host: '127.0.0.1',
      expected: /is not for this host.*sslmode=verify-ca/s,
    },
    {
      parameters: `sslmode=verify-full&sslrootcert=${other}`,
      expected: /not signed by the authority of sslrootcert/,
    },
    {
      parameters: `sslmode=require&sslrootcert=${other}`,
      expected: /not signed by the authority of sslrootcert/,
    },
    { parameters: 'sslmode=verify-full', expected: /Add sslrootcert=/ },
    { parameters: 'sslrootcert=system', expected: /not signed by the authority of sslrootcert/ },
    { parameters: 'sslmode=disable', expected: /Add sslmode=require/ },
    { parameters: '', expected: /Add sslmode=require/ },
  ];
  try {
    const problems: string[] = [];
    for (const { parameters, host = 'localhost', expected } of attempts) {
      const url = `postgres://postgres@${host}:${port}/postgres?${parameters}`;
      const { code, output } = await runSavepoint(['migrate'], { DATABASE_URL: url });
      const isRight = expected === 'works' ? code === 0 : code === 1 && expected.test(output);
      process.stdout.write(
        `${isRight ? '✓' : '✗'} ${host} ${parameters || 'nothing'}: ${output.trim().split('\n').at(-1)}\n`,
      );
      if (!isRight) problems.push(`${host} with ${parameters || 'nothing'}: exit code ${code}, ${output}`);
    }
    problems.push(
      ...withSystemAuthority(`postgres://postgres@localhost:${port}/postgres?sslrootcert=system`, ca),
    );
    return problems;
  } finally {
    await server.stop();
  }
}

/** An authority, another one, and a certificate of the first for the server. */
function makeCertificates(folder: string): Certificates {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  for (const name of ['ca', 'other']) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name} authority`,
    );
  }
  const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=DNS:localhost'];
  openssl(
    'req',
    '-x509',
    ...key,
    ...issued,
    '-keyout',
    'server.key',
    '-out',
    'server.pem',
    '-subj',
    '/CN=localhost',
  );
  const inFolder = (name: string) => join(folder, name);
  return {
    ca: inFolder('ca.pem'),
    other: inFolder('other.pem'),
    certificate: inFolder('server.pem'),
    key: inFolder('server.key'),
  };
}

/** PostgreSQL reads its key only if it owns it and nobody else may read it. */
async function useCertificates(
  folder: string,
  { certificate, key }: Certificates,
): Promise<readonly string[]> {
  const { uid, gid } = postgresAccount();
  for (const [from, name] of [
    [certificate, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    const to = join(folder, name);
    await copyFile(from, to);
    await chmod(to, 0o600);
    if (uid !== undefined) await chown(to, uid, gid ?? 0);
  }
  return ['ssl=on'];
}

/** The same machine with the private authority among those of the system, for one command: a mount that only that command sees. */
function withSystemAuthority(url: string, ca: string): readonly string[] {
  if (process.getuid?.() !== 0) {
    process.stdout.write(
      '– sslrootcert=system with an authority of the system is not tried: that needs root\n',
    );
    return [];
  }
  const mounted = `mount --bind ${ca} ${SYSTEM_BUNDLE} && exec ${process.execPath} ${SAVEPOINT} migrate`;
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', mounted], {
      env: { PATH: process.env.PATH, DATABASE_URL: url },
      stdio: 'pipe',
    });
    process.stdout.write('✓ sslrootcert=system with the authority among those of the system\n');
    return [];
  } catch (error) {
    return [`sslrootcert=system with the authority among those of the system: ${(error as Error).message}`];
  }
}
