import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseMegabytes } from '../lib/megabytes.js';
import { parseMasterKeys } from '../security/master-keys.js';
import { unknownSettings } from './unknown-settings.js';

/**
 * The settings of the service. This module is the only reader of the environment: `readConfig` turns it into one frozen
 * object and reports every mistake at once, each with what to do about it.
 */
export type Config = Readonly<{
  environment: 'development' | 'production';
  host: string;
  port: number;
  opsHost: string;
  opsPort: number;
  /** Names that operators and scrapers may call the operations listener by; in lower case. */
  opsAllowedHosts: readonly string[];
  dataDir: string;
  workers: number;
  databaseUrl: string | undefined;
  databasePoolSize: number;
  databaseTimeoutMs: number;
  /** Undefined: chosen by the memory of the machine. */
  databaseBuffersMb: number | undefined;
  /** Undefined: events are applied directly. */
  nats: NatsConfig | undefined;
  /** As given; undefined in development, where one is generated and kept in the data folder. */
  masterKey: string | undefined;
  accessTtlSeconds: number;
  refreshTtlSeconds: number;
  refreshGraceSeconds: number;
  tokenIssuer: string;
  tokenAudience: string;
  /** Longest time that a request may wait, by estimate, before it is refused at once. */
  maxWaitMs: number;
  rateLimits: RateLimitConfig;
  corsOrigins: '*' | readonly string[];
  /** Fastify's `trustProxy`: all, none, the number of hops, or addresses. */
  trustProxy: boolean | number | string;
  logLevel: string;
  logPretty: boolean;
}>;

export type NatsConfig = Readonly<{
  servers: readonly string[];
  /** File with the credentials of a NATS user, where the server wants a JWT rather than a password. */
  credentialsFile: string | undefined;
  stream: string;
  partitions: number;
  replicas: number;
  /** Whether the API's workers apply what is queued, too. */
  consume: boolean;
}>;

export type RateLimitConfig = Readonly<{
  enabled: boolean;
  /** Logins of one device in a minute. */
  loginsPerDevice: number;
  /** Failed logins and refreshes from one address in a minute; good ones are never held up by it. */
  failuresPerAddress: number;
  /** All other requests of one player in a minute. */
  requestsPerPlayer: number;
  /** Events of one player in a minute, and their bytes. */
  eventsPerPlayer: number;
  eventBytesPerPlayer: number;
}>;

export type Setting = Readonly<{ name: string; fallback: string; meaning: string }>;

/** Every setting the service reads, for `savepoint --help`. */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'SAVEPOINT_ENV',
    fallback: 'development under npm start, else production',
    meaning: 'development or production',
  },
  {
    name: 'SAVEPOINT_HOST',
    fallback: '127.0.0.1 in development, else 0.0.0.0',
    meaning: 'address of the player API',
  },
  { name: 'SAVEPOINT_PORT', fallback: '8080', meaning: 'port of the player API' },
  {
    name: 'SAVEPOINT_OPS_HOST',
    fallback: '127.0.0.1',
    meaning: 'address of operations (health, metrics, API reference)',
  },
  { name: 'SAVEPOINT_OPS_PORT', fallback: '8081', meaning: 'port of operations' },
  {
    name: 'SAVEPOINT_OPS_ALLOWED_HOSTS',
    fallback: 'localhost, SAVEPOINT_OPS_HOST and any IP address',
    meaning: 'further host names that operations may be called by, comma-separated (against DNS rebinding)',
  },
  { name: 'SAVEPOINT_DATA_DIR', fallback: './data', meaning: 'embedded database and development secrets' },
  { name: 'SAVEPOINT_WORKERS', fallback: 'number of cores', meaning: 'API processes' },
  {
    name: 'SAVEPOINT_MASTER_KEY',
    fallback: 'generated in development',
    meaning:
      'base64 of 32 bytes; seals API secrets and signing keys. Several, comma-separated, while rotating',
  },
  {
    name: 'SAVEPOINT_MAX_WAIT_MS',
    fallback: '500',
    meaning: 'overload: a request that would wait longer than this is answered 503 at once',
  },
  {
    name: 'SAVEPOINT_RATE_LIMITS',
    fallback: 'on',
    meaning: 'off for load tests',
  },
  {
    name: 'SAVEPOINT_RATE_LIMIT_LOGINS',
    fallback: '300',
    meaning: 'logins per device and minute, per worker',
  },
  {
    name: 'SAVEPOINT_RATE_LIMIT_FAILURES',
    fallback: '300',
    meaning: 'failed logins per address and minute, per worker',
  },
  {
    name: 'SAVEPOINT_RATE_LIMIT_REQUESTS',
    fallback: '1200',
    meaning: 'other requests per player and minute, per worker',
  },
  {
    name: 'SAVEPOINT_RATE_LIMIT_EVENTS',
    fallback: '12000',
    meaning: 'events per player and minute, per worker; at least the 500 of a batch',
  },
  {
    name: 'SAVEPOINT_RATE_LIMIT_EVENT_BYTES',
    fallback: '16777216',
    meaning: 'bytes of events per player and minute, decompressed, per worker; at least the 1 MiB of a batch',
  },
  { name: 'SAVEPOINT_ACCESS_TTL_SECONDS', fallback: '3600', meaning: 'lifetime of an access token' },
  {
    name: 'SAVEPOINT_REFRESH_TTL_SECONDS',
    fallback: '2592000',
    meaning: 'lifetime of an unused refresh token',
  },
  {
    name: 'SAVEPOINT_REFRESH_GRACE_SECONDS',
    fallback: '30',
    meaning: 'how long a used refresh token may be retried',
  },
  { name: 'SAVEPOINT_TOKEN_ISSUER', fallback: 'savepoint', meaning: '`iss` of access tokens' },
  { name: 'SAVEPOINT_TOKEN_AUDIENCE', fallback: 'savepoint-players', meaning: '`aud` of access tokens' },
  { name: 'SAVEPOINT_CORS_ORIGINS', fallback: '*', meaning: 'origins of web games, comma-separated' },
  {
    name: 'SAVEPOINT_TRUST_PROXY',
    fallback: 'off',
    meaning:
      'behind a balancer that sets X-Forwarded-For: its hops (1), its addresses (10.0.0.0/8), or on for any',
  },
  {
    name: 'SAVEPOINT_LOG_LEVEL',
    fallback: 'info',
    meaning: 'fatal, error, warn, info, debug (logs every request) or trace',
  },
  {
    name: 'DATABASE_URL',
    fallback: 'embedded PostgreSQL',
    meaning: 'PostgreSQL 15 or newer to use instead',
  },
  { name: 'SAVEPOINT_DB_POOL', fallback: '8', meaning: 'database connections per worker' },
  { name: 'SAVEPOINT_DB_TIMEOUT_MS', fallback: '5000', meaning: 'time-out of a database call' },
  {
    name: 'SAVEPOINT_DB_BUFFERS',
    fallback: 'a quarter of the memory, from 64MB to 4GB',
    meaning: 'memory in which the embedded PostgreSQL keeps pages (shared_buffers), such as 512MB or 8GB',
  },
  {
    name: 'NATS_URL',
    fallback: 'events applied directly',
    meaning:
      'servers of a NATS cluster (2.10.23 or newer) with JetStream to queue events on, comma-separated',
  },
  {
    name: 'SAVEPOINT_NATS_CREDS',
    fallback: 'user and password of NATS_URL',
    meaning: 'file with the credentials of a NATS user',
  },
  { name: 'SAVEPOINT_NATS_STREAM', fallback: 'SAVEPOINT_EVENTS', meaning: 'name of the stream' },
  {
    name: 'SAVEPOINT_NATS_PARTITIONS',
    fallback: '16',
    meaning: 'parts of the stream that consumers share out among them; fixed once the stream exists',
  },
  {
    name: 'SAVEPOINT_NATS_REPLICAS',
    fallback: '1',
    meaning: 'NATS servers that hold the stream; 3 in production, or a lost disk loses events',
  },
  {
    name: 'SAVEPOINT_CONSUME',
    fallback: 'on',
    meaning: "off: the API's workers only queue events, and `savepoint consume` applies them",
  },
];

const MAX_WORKERS = 256;
/** Embedded PostgreSQL starts with less, but has no room to work. */
const MIN_BUFFERS_MB = 16;
/** A session outlives its refresh token by this much: see features/sessions/session-expiry.ts. */
export const MAX_ACCESS_TTL_SECONDS = 86_400;
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?$/;
/** A scheme may be left out. Web sockets are for browsers. */
const NATS_SERVER = /^(?:(?:nats|tls):\/\/)?(?:[^\s/@]+@)?[^\s/@]+$/;
/** Part of NATS subjects and of file names. */
const STREAM_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Scheme, host and port, whatever the scheme: games in a web view come from `capacitor://localhost` and the like. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/*]+$/;

/** `warnings` are about what is probably a mistake, but keeps nobody from starting. */
export type ConfigResult = { warnings: string[] } & (
  | { ok: true; config: Config }
  | { ok: false; problems: string[] }
);

type Environment = Readonly<Record<string, string | undefined>>;

type ReadOptions = {
  tty: boolean;
  /** False for what neither seals nor opens a secret: such a command may run where the key is not kept. */
  needsMasterKey?: boolean;
};

export function readConfig(env: Environment, options: ReadOptions): ConfigResult {
  const problems: string[] = [];
  const text = (name: string, fallback: string) => (env[name]?.trim() ? env[name].trim() : fallback);

  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const raw = text(name, String(fallback));
    const value = /^\d{1,10}$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= min && value <= max) return value;
    problems.push(`${name} is "${raw}": set it to a whole number from ${min} to ${max}, or leave it out.`);
    return fallback;
  };

  const oneOf = <T extends string>(name: string, fallback: T, allowed: readonly T[]): T => {
    const raw = text(name, fallback);
    const found = allowed.find((value) => value === raw);
    if (found === undefined) problems.push(`${name} is "${raw}": set it to ${allowed.join(' or ')}.`);
    return found ?? fallback;
  };

  const environment = oneOf('SAVEPOINT_ENV', 'production', ['production', 'development']);
  const development = environment === 'development';

  const databaseUrl = env.DATABASE_URL?.trim() || undefined;
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    problems.push('DATABASE_URL must look like postgres://user:password@host:5432/database.');
  }

  const buffers = text('SAVEPOINT_DB_BUFFERS', '');
  const databaseBuffersMb = buffers === '' ? undefined : parseMegabytes(buffers);
  if (buffers !== '' && (databaseBuffersMb === undefined || databaseBuffersMb < MIN_BUFFERS_MB)) {
    problems.push(
      `SAVEPOINT_DB_BUFFERS is "${buffers}": set it to a size of ${MIN_BUFFERS_MB}MB or more, such as 512MB or 8GB.`,
    );
  }

  const natsServers = text('NATS_URL', '')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (natsServers.some((server) => !NATS_SERVER.test(server))) {
    problems.push('NATS_URL must list servers like nats://user:password@host:4222, separated by commas.');
  }
  const stream = text('SAVEPOINT_NATS_STREAM', 'SAVEPOINT_EVENTS');
  if (!STREAM_NAME.test(stream)) {
    problems.push(
      `SAVEPOINT_NATS_STREAM is "${stream}": use letters, digits, hyphens and underscores, 64 at the most.`,
    );
  }
  const nats: NatsConfig = Object.freeze({
    servers: Object.freeze(natsServers),
    credentialsFile: env.SAVEPOINT_NATS_CREDS?.trim() || undefined,
    stream,
    partitions: integer('SAVEPOINT_NATS_PARTITIONS', 16, 1, 256),
    replicas: integer('SAVEPOINT_NATS_REPLICAS', 1, 1, 5),
    consume: oneOf('SAVEPOINT_CONSUME', 'on', ['on', 'off']) === 'on',
  });

  const masterKey = env.SAVEPOINT_MASTER_KEY?.trim() || undefined;
  if (masterKey === undefined && !development && options.needsMasterKey !== false) {
    problems.push(
      'SAVEPOINT_MASTER_KEY is missing. Make one with `openssl rand -base64 32`, keep it in your secret store, and set it on every node.',
    );
  }
  const masterKeys = masterKey === undefined ? undefined : parseMasterKeys(masterKey);
  if (masterKeys?.ok === false) problems.push(...masterKeys.problems);

  const port = integer('SAVEPOINT_PORT', 8080, 0, 65_535);
  const opsPort = integer('SAVEPOINT_OPS_PORT', 8081, 0, 65_535);
  if (port !== 0 && port === opsPort) {
    problems.push(`SAVEPOINT_PORT and SAVEPOINT_OPS_PORT are both ${port}: give them two ports.`);
  }

  const opsHost = text('SAVEPOINT_OPS_HOST', '127.0.0.1');
  const opsHosts = text('SAVEPOINT_OPS_ALLOWED_HOSTS', '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
  const noHost = opsHosts.find((host) => !HOST_NAME.test(host));
  if (noHost !== undefined) {
    problems.push(
      `SAVEPOINT_OPS_ALLOWED_HOSTS holds "${noHost}": list host names such as ops.example.com, without a scheme, a port or a path.`,
    );
  }

  const corsOrigins = text('SAVEPOINT_CORS_ORIGINS', '*')
    .split(',')
    .map((origin) => origin.trim());
  const anyOrigin = corsOrigins.length === 1 && corsOrigins[0] === '*';
  const noOrigin = anyOrigin ? undefined : corsOrigins.find((origin) => !ORIGIN.test(origin));
  if (noOrigin !== undefined) {
    problems.push(
      `SAVEPOINT_CORS_ORIGINS holds "${noOrigin}": list origins as browsers send them, such as https://game.example, without a path or a final slash.`,
    );
  }

  const config: Config = Object.freeze({
    environment,
    host: text('SAVEPOINT_HOST', development ? '127.0.0.1' : '0.0.0.0'),
    port,
    opsHost,
    opsPort,
    opsAllowedHosts: Object.freeze([opsHost.toLowerCase(), ...opsHosts]),
    dataDir: resolve(text('SAVEPOINT_DATA_DIR', './data')),
    workers: integer('SAVEPOINT_WORKERS', Math.min(availableParallelism(), MAX_WORKERS), 1, MAX_WORKERS),
    databaseUrl,
    databasePoolSize: integer('SAVEPOINT_DB_POOL', 8, 2, 100),
    databaseTimeoutMs: integer('SAVEPOINT_DB_TIMEOUT_MS', 5_000, 100, 60_000),
    databaseBuffersMb,
    nats: natsServers.length === 0 ? undefined : nats,
    masterKey,
    accessTtlSeconds: integer('SAVEPOINT_ACCESS_TTL_SECONDS', 3_600, 1, MAX_ACCESS_TTL_SECONDS),
    refreshTtlSeconds: integer('SAVEPOINT_REFRESH_TTL_SECONDS', 2_592_000, 1, 31_536_000),
    refreshGraceSeconds: integer('SAVEPOINT_REFRESH_GRACE_SECONDS', 30, 0, 600),
    tokenIssuer: text('SAVEPOINT_TOKEN_ISSUER', 'savepoint'),
    tokenAudience: text('SAVEPOINT_TOKEN_AUDIENCE', 'savepoint-players'),
    maxWaitMs: integer('SAVEPOINT_MAX_WAIT_MS', 500, 50, 60_000),
    rateLimits: Object.freeze({
      enabled: oneOf('SAVEPOINT_RATE_LIMITS', 'on', ['on', 'off']) === 'on',
      loginsPerDevice: integer('SAVEPOINT_RATE_LIMIT_LOGINS', 300, 1, 1_000_000),
      failuresPerAddress: integer('SAVEPOINT_RATE_LIMIT_FAILURES', 300, 1, 1_000_000),
      requestsPerPlayer: integer('SAVEPOINT_RATE_LIMIT_REQUESTS', 1_200, 1, 1_000_000),
      // The largest batch must fit in.
      eventsPerPlayer: integer('SAVEPOINT_RATE_LIMIT_EVENTS', 12_000, 500, 1_000_000),
      eventBytesPerPlayer: integer('SAVEPOINT_RATE_LIMIT_EVENT_BYTES', 16_777_216, 1_048_576, 1_000_000_000),
    }),
    corsOrigins: anyOrigin ? '*' : Object.freeze(corsOrigins),
    trustProxy: readTrustProxy(text('SAVEPOINT_TRUST_PROXY', 'off'), problems),
    logLevel: oneOf('SAVEPOINT_LOG_LEVEL', 'info', [
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'trace',
      'silent',
    ]),
    logPretty: options.tty,
  });
  const warnings = unknownSettings(
    Object.keys(env),
    SETTINGS.map(({ name }) => name),
  );
  return problems.length === 0 ? { ok: true, config, warnings } : { ok: false, problems, warnings };
}

function readTrustProxy(text: string, problems: string[]): boolean | number | string {
  if (text === 'on' || text === 'off') return text === 'on';
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = text.split(',').map((address) => address.trim());
  if (addresses.every((address) => isIP(address.replace(/\/\d{1,3}$/, '')) !== 0)) return addresses.join(',');
  problems.push(
    `SAVEPOINT_TRUST_PROXY is "${text}": set it to on or off, the number of proxies, or their addresses (10.0.0.0/8).`,
  );
  return false;
}
