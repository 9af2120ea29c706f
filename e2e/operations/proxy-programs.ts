import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/service.js';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const START_MS = 60_000;

export const PLAYERS_HOST = 'play.example.com';
export const OPERATIONS_HOST = 'ops.example.com';

/** Where the samples have the usual ports and certificates. */
export type Places = Readonly<{ port: number; api: string; ops: string; certificate: string; key: string }>;

export type ProxyProgram = Readonly<{ name: string; port: number; log(): string; stop(): Promise<void> }>;

/** One certificate for both names, which is its own authority. */
export function makeCertificate(folder: string): { certificate: string; key: string } {
  const certificate = join(folder, 'proxy.pem');
  const key = join(folder, 'proxy.key');
  const names = `subjectAltName=DNS:${PLAYERS_HOST},DNS:${OPERATIONS_HOST}`;
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const about = ['-subj', `/CN=${PLAYERS_HOST}`, '-addext', names];
  execFileSync('openssl', ['req', '-x509', ...curve, ...about, '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
  return { certificate, key };
}

/** deploy/nginx/savepoint.conf as it is, but for ports, addresses and certificates. */
export async function startNginx(folder: string, places: Places): Promise<ProxyProgram> {
  const sample = await readFile(join(DEPLOY, 'nginx/savepoint.conf'), 'utf8');
  const site = replaceAll(sample, [
    [/^ {2}listen \[::\]:443 .*\n/gm, ''],
    [/listen 443 /g, `listen 127.0.0.1:${places.port} `],
    [/127\.0\.0\.1:8080/g, places.api],
    [/127\.0\.0\.1:8081/g, places.ops],
    [/\/etc\/ssl\/savepoint\/\S+\.pem/g, places.certificate],
    [/\/etc\/ssl\/savepoint\/\S+\.key/g, places.key],
  ]);
  await mkdir(join(folder, 'nginx'), { recursive: true });
  // Its workers are another user, if it runs as root.
  await chmod(folder, 0o755);
  const file = join(folder, 'nginx/nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/nginx/${name};`,
  );
  const around = [
    `pid ${folder}/nginx/pid;`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')}`,
    site,
    '}',
  ];
  await writeFile(file, around.join('\n'));
  const command = ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off;'];
  return start('nginx', command, places.port);
}

/** deploy/caddy/Caddyfile as it is, but for ports, addresses and certificates. */
export async function startCaddy(folder: string, places: Places): Promise<ProxyProgram> {
  const sample = await readFile(join(DEPLOY, 'caddy/Caddyfile'), 'utf8');
  const tls = `tls ${places.certificate} ${places.key}`;
  const site = (name: string) => `${name}:${places.port} {\n\tbind 127.0.0.1\n\t${tls}`;
  const file = join(folder, 'Caddyfile');
  const text = replaceAll(sample, [
    [/^\{$/m, '{\n\tadmin off\n\tauto_https disable_redirects'],
    [/^play\.example\.com \{$/m, site(PLAYERS_HOST)],
    [/^ops\.example\.com \{$/m, site(OPERATIONS_HOST)],
    [/127\.0\.0\.1:8080/g, places.api],
    [/127\.0\.0\.1:8081/g, places.ops],
  ]);
  await writeFile(file, text);
  return start('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], places.port, { HOME: folder });
}

/** @throws Error if the sample does not have what is to be replaced: it would be tried as something else */
function replaceAll(sample: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((text, [pattern, by]) => {
    if (text.search(pattern) < 0) throw new Error(`the sample has no ${pattern}`);
    return text.replace(pattern, () => by);
  }, sample);
}

async function start(
  name: string,
  args: readonly string[],
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ProxyProgram> {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, ...settings };
  const child: ChildProcess = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      log += chunk;
    });
  }
  await until(
    () => listens(port),
    START_MS,
    () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${log}`);
    },
  );
  return {
    name,
    port,
    log: () => log,
    stop() {
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      return gone;
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
