import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createStudio, DEMO, type Studio } from '../attacks/studio.js';
import { pausePostgres } from '../faults/postgres-faults.js';
import {
  freePort,
  runSavepoint,
  type Settings,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';
import { requirePrograms } from './programs.js';
import { createProxyClient, type ProxyClient, type Reply } from './proxy-client.js';
import { makeCertificate, OPERATIONS_HOST, type Places, startCaddy, startNginx } from './proxy-programs.js';

/** So few that a test can use them up. */
const FAILURES = 5;
/** Longer than any time-out for a body in the samples. */
const LIVE_MS = 20_000;
const WAIT_MS = 60_000;
/** Longer than the time-out of a database call. */
const PAUSE_MS = 15_000;
const MIB = 1024 ** 2;
const LARGE_BATCHES = 20;

type Trial = Readonly<{ client: ProxyClient; studio: Studio; settings: Settings; name: string }>;
type Check = Readonly<{ name: string; run(trial: Trial): Promise<readonly (string | false)[]> }>;

const now = () => `${new Date().toISOString().slice(0, 19)}Z`;
const event = (payload: object) => ({
  eventType: 'Level_Complete',
  timestamp: new Date().toISOString(),
  payload,
});
const differs = (what: string, found: unknown, expected: unknown): string | false =>
  found !== expected && `${what} is ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}`;
const codeOf = ({ body }: Reply): unknown =>
  body.startsWith('{') ? (JSON.parse(body) as { error?: { code?: string } }).error?.code : body.slice(0, 80);

const CHECKS: readonly Check[] = [
  {
    name: 'players send events, compressed too, and each request keeps its id',
    async run({ client, studio }) {
      const body = gzipSync(JSON.stringify([event({ level: 1 })]));
      const headers = { ...studio.player.headers, 'content-encoding': 'gzip', 'x-request-id': 'game-7.abc' };
      const sent = await client.ask('/v1/events', { headers, body });
      const other = await client.ask('/v1/player/status', { headers: studio.player.headers });
      return [
        differs('the status of a batch', sent.status, 202),
        differs('its request id', sent.headers['x-request-id'], 'game-7.abc'),
        differs('the status of a read', other.status, 200),
        other.headers['x-request-id'] === undefined && 'a response without an id of the client has none',
      ];
    },
  },
  {
    name: 'what has not changed is not sent again',
    async run({ client, studio }) {
      const path = '/v1/player/store_configs';
      const { headers } = await client.ask(path, { headers: studio.player.headers });
      const again = { ...studio.player.headers, 'if-none-match': headers.etag ?? '' };
      return [differs('the second status', (await client.ask(path, { headers: again })).status, 304)];
    },
  },
  {
    name: 'a batch of just 1 MiB passes, and a larger one is refused, again and again',
    async run({ client, studio }) {
      const send = (bytes: number, headers: Record<string, string> = studio.player.headers) => {
        const text = JSON.stringify([event({})]);
        return client.ask('/v1/events', { headers, body: text + ' '.repeat(bytes - text.length) });
      };
      const sent: (string | false)[] = [];
      // A proxy that is still sending the body when the service has refused it may say 502, which clients try again.
      for (let n = 0; n < LARGE_BATCHES; n++) {
        const [largest, larger, unknown] = [
          await send(MIB),
          await send(MIB + 1 + n * 100_000),
          await send(MIB - n, { authorization: 'Bearer none' }),
        ];
        sent.push(
          differs('the status of the largest batch', largest.status, 202),
          differs('the status of a larger one', larger.status, 413),
          differs('its code', codeOf(larger), 'body_too_large'),
          differs('the status of one without a token', unknown.status, 401),
        );
      }
      return [...new Set(sent)];
    },
  },
  {
    name: 'failed logins count against the address of the client, which it cannot choose',
    async run({ client }) {
      const fail = (n: number) =>
        client.ask('/auth/login', {
          from: '127.0.0.2',
          headers: { 'x-forwarded-for': `203.0.113.${n}` },
          body: JSON.stringify({
            apiKey: DEMO.key.id,
            deviceId: `d-${n}`,
            timestamp: now(),
            signature: 'AA==',
          }),
        });
      const tries: Reply[] = [];
      // Each worker counts for itself.
      for (let n = 0; n < FAILURES * 4; n++) tries.push(await fail(n));
      const refused = tries.find(({ status }) => status === 429);
      const elsewhere = await client.ask('/auth/login', {
        from: '127.0.0.3',
        body: JSON.stringify({ apiKey: DEMO.key.id, deviceId: 'd', timestamp: now(), signature: 'AA==' }),
      });
      return [
        refused === undefined &&
          'no failed login was refused with 429: the addresses are those of the client',
        refused?.headers['retry-after'] === undefined && 'the 429 has no Retry-After',
        differs('the status at another address', elsewhere.status, 401),
      ];
    },
  },
  {
    name: 'operators reach the console and the admin API, and nothing that asks for no sign-in',
    async run({ client, studio }) {
      const statusOf = async (path: string) =>
        (await client.ask(path, { to: 'operators', headers: studio.admin })).status;
      return [
        differs('the status of the console', await statusOf('/console/'), 200),
        differs('the status of the games', await statusOf('/admin/v1/games'), 200),
        differs('the status of the address alone', await statusOf('/'), 302),
        differs('the status of metrics', await statusOf('/metrics'), 404),
        differs('the status of health', await statusOf('/healthz'), 404),
        differs('the status of readiness', await statusOf('/readyz'), 404),
      ];
    },
  },
  {
    name: 'a person signs in over https only',
    async run({ client, settings, name }) {
      const person = ['--email', `ada@${name}.example`, '--role', 'viewer', '--tenant', DEMO.tenant];
      const { output } = await runSavepoint(['admin', 'create', ...person], settings);
      const token = /sign-in#token=(\S+)/.exec(output)?.[1] ?? '';
      const body = JSON.stringify({ token });
      const reply = await client.ask('/admin/v1/sign-in/link', { to: 'operators', body });
      const cookies = reply.headers['set-cookie'] ?? [];
      return [
        differs('the status', reply.status, 200),
        !cookies.some((cookie) => cookie.endsWith('; Secure')) && `no cookie is Secure: ${cookies.join()}`,
      ];
    },
  },
  { name: 'live events come at once, and for longer than any time-out', run: watchLive },
  // The last one: processes that lost their database may be replaced afterwards.
  {
    name: 'a 503 passes, and says when to come again',
    async run({ client, studio, settings }) {
      const paused = pausePostgres(settings.SAVEPOINT_DATA_DIR ?? '', PAUSE_MS);
      let refused: Reply | undefined;
      await until(async () => {
        refused = await client.ask('/v1/player/status', { headers: studio.player.headers });
        return refused.status !== 200;
      }, WAIT_MS);
      await paused;
      // The checks after this one find it as it was before.
      const isBack = async (path: string, to: 'players' | 'operators', headers: Record<string, string>) =>
        (await client.ask(path, { to, headers })).status === 200;
      await until(() => isBack('/v1/player/status', 'players', studio.player.headers), WAIT_MS);
      await until(() => isBack('/admin/v1/games', 'operators', studio.admin), WAIT_MS);
      return [
        differs('the status', refused?.status, 503),
        differs('the code', refused && codeOf(refused), 'unavailable'),
        refused?.headers['retry-after'] === undefined && 'the 503 has no Retry-After',
      ];
    },
  },
];

/** The live tail of the console, which an operator leaves open. */
async function watchLive({ client, studio }: Trial): Promise<readonly (string | false)[]> {
  const path = `/admin/v1/games/${studio.game}/events/live`;
  const response = await client.open(path, { to: 'operators', headers: studio.admin });
  let seen = '';
  let isOpen = true;
  response.on('data', (chunk) => {
    seen += chunk;
  });
  response.once('close', () => {
    isOpen = false;
  });
  const opened = performance.now();
  // A proxy that buffers shows nothing of this until a page is full.
  await until(() => seen.includes(': the events of this game'), WAIT_MS);
  const mark = `seen-${Math.random()}`;
  const begun = performance.now();
  const body = JSON.stringify([event({ mark })]);
  await client.ask('/v1/events', { headers: studio.player.headers, body });
  await until(() => seen.includes(mark), WAIT_MS);
  process.stdout.write(`  an event was seen ${Math.round(performance.now() - begun)} ms after it was sent\n`);
  await until(() => !isOpen || performance.now() - opened > LIVE_MS, WAIT_MS);
  const wasCut = !isOpen;
  response.destroy();
  return [
    wasCut &&
      `the stream was cut after ${Math.round((performance.now() - opened) / 1_000)} s; its end: ${seen.slice(-200)}`,
    differs('its content type', response.headers['content-type'], 'text/event-stream'),
  ];
}

/** deploy/nginx and deploy/caddy, as they are, in front of a service. */
export async function tryProxies(): Promise<readonly string[]> {
  requirePrograms(['nginx', 'caddy', 'openssl'], 'nginx-light caddy openssl');
  const folder = await temporaryFolder();
  const dataDir = await temporaryFolder();
  const settings = {
    SAVEPOINT_DATA_DIR: dataDir,
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_WORKERS: '2',
    SAVEPOINT_TRUST_PROXY: '1',
    SAVEPOINT_OPS_TRUST_PROXY: '1',
    SAVEPOINT_OPS_ALLOWED_HOSTS: OPERATIONS_HOST,
    SAVEPOINT_RATE_LIMIT_FAILURES: String(FAILURES),
    SAVEPOINT_RATE_LIMIT_EVENT_BYTES: '1000000000',
    SAVEPOINT_DB_TIMEOUT_MS: '1000',
  };
  const service = await startService(settings);
  const studio = await createStudio(service, settings, DEMO);
  const { certificate, key } = makeCertificate(folder);
  const ca = await readFile(certificate, 'utf8');
  const problems: string[] = [];
  for (const start of [startNginx, startCaddy]) {
    const { port, release } = await freePort();
    await release();
    const upstream = { api: new URL(service.api).host, ops: new URL(service.ops).host };
    const places: Places = { port, certificate, key, ...upstream };
    problems.push(...(await tryDate(await temporaryFolder(), start, places, ca)));
    const proxy = await start(folder, places);
    const trial = { client: createProxyClient(proxy, ca), studio, settings, name: proxy.name };
    for (const { name, run } of CHECKS) {
      const found = await run(trial).catch((error: Error) => [error.message]);
      problems.push(...report(proxy.name, name, found));
    }
    await proxy.stop();
  }
  await service.interrupt();
  return problems;
}

/** The clock of the service is that of its database, by which clients set theirs. Here it is a year behind that of the proxy. */
async function tryDate(
  folder: string,
  start: typeof startNginx,
  places: Places,
  ca: string,
): Promise<readonly string[]> {
  const date = new Date(Date.now() - 365 * 86_400_000).toUTCString();
  const behind = createServer((_request, response) => response.setHeader('date', date).end());
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const api = `127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const proxy = await start(folder, { ...places, api });
  const { headers, names } = await createProxyClient(proxy, ca).ask('/v1/limits');
  await proxy.stop();
  behind.close();
  return report(proxy.name, 'the time is that of the service, once', [
    differs('Date', headers.date, date),
    differs('the number of Date headers', names.filter((name) => name === 'date').length, 1),
  ]);
}

function report(proxy: string, name: string, found: readonly (string | false)[]): string[] {
  const wrong = found.filter((problem) => problem !== false);
  process.stdout.write(`${wrong.length === 0 ? '✓' : '✗'} ${proxy}: ${name}\n`);
  return wrong.map((problem) => `${proxy}: ${name}: ${problem}`);
}
