import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseMegabytes } from '../lib/megabytes.js';
import { PLAYER_BUCKETS } from '../lib/player-buckets.js';
import { DATABASE_ROWS } from './database-rows.js';
import { S3_ROWS } from './s3-rows.js';
import {
  address,
  choice,
  integer,
  list,
  onOff,
  optional,
  proxies,
  type Setting,
  text,
} from './setting-kinds.js';
import { TRACE_ROWS } from './trace-rows.js';

/** Every setting of the service, one row each, in the order of the help. Reading, help and docs/settings.md follow from these. */

/** From where the command runs. */
export const DEFAULT_DATA_DIR = './data';
const MAX_WORKERS = 256;
/** Embedded PostgreSQL starts with less, but has no room to work. */
const MIN_BUFFERS_MB = 16;
/** A session outlives its refresh token by this much: see core/sessions/session-expiry.ts. */
export const MAX_ACCESS_TTL_SECONDS = 86_400;
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?$/i;
/** A scheme may be left out. Web sockets are for browsers. */
const NATS_SERVER = /^(?:(?:nats|tls):\/\/)?(?:[^\s/@]+@)?[^\s/@]+$/;
/** Part of NATS subjects and of file names. */
const STREAM_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Scheme, host and port, whatever the scheme: games in a web view come from `capacitor://localhost` and the like. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/*]+$/;

export const SETTING_ROWS = {
  environment: choice('SAVEPOINT_ENV', {
    of: ['production', 'development'],
    fallback: 'production',
    shownFallback: 'development under npm start, else production',
    description: 'development or production',
  }),
  host: {
    name: 'SAVEPOINT_HOST',
    fallback: '127.0.0.1 in development, else 0.0.0.0',
    description: 'address of the player API',
    read: (given, { development }) => given ?? (development ? '127.0.0.1' : '0.0.0.0'),
  } satisfies Setting<string>,
  port: integer('SAVEPOINT_PORT', {
    fallback: 8080,
    min: 0,
    max: 65_535,
    description: 'port of the player API',
  }),
  opsHost: text('SAVEPOINT_OPS_HOST', {
    fallback: '127.0.0.1',
    description: 'address of operations (health, metrics, API reference)',
  }),
  opsPort: integer('SAVEPOINT_OPS_PORT', {
    fallback: 8081,
    min: 0,
    max: 65_535,
    description: 'port of operations',
  }),
  opsAllowedHosts: list('SAVEPOINT_OPS_ALLOWED_HOSTS', {
    shownFallback: 'localhost, SAVEPOINT_OPS_HOST and any IP address',
    description:
      'further host names that operations may be called by, comma-separated (against DNS rebinding)',
    check: (host) =>
      HOST_NAME.test(host)
        ? undefined
        : `SAVEPOINT_OPS_ALLOWED_HOSTS holds "${host.toLowerCase()}": list host names such as ops.example.com, without a scheme, a port or a path.`,
  }),
  opsTrustProxy: proxies(
    'SAVEPOINT_OPS_TRUST_PROXY',
    'the same as SAVEPOINT_TRUST_PROXY for a proxy in front of operations; also lets X-Forwarded-Proto tell https',
  ),
  dataDir: {
    name: 'SAVEPOINT_DATA_DIR',
    fallback: DEFAULT_DATA_DIR,
    description: 'embedded database and development secrets',
    read: (given = DEFAULT_DATA_DIR) => resolve(given),
  } satisfies Setting<string>,
  erasedList: {
    name: 'SAVEPOINT_ERASED_LIST',
    fallback: 'erased-players in SAVEPOINT_BACKUP_DIR, else in SAVEPOINT_DATA_DIR',
    description:
      'file with hashes of erased players, to be kept beside the backups: after a restore they are erased again',
    read: (given) => (given === undefined ? undefined : resolve(given)),
  } satisfies Setting<string | undefined>,
  backupDir: {
    name: 'SAVEPOINT_BACKUP_DIR',
    fallback: 'no backups',
    description:
      'folder for backups of the embedded database: one a day, and the log of changes about once a minute. On another disk than the data',
    read: (given) => (given === undefined ? undefined : resolve(given)),
  } satisfies Setting<string | undefined>,
  backupsKept: integer('SAVEPOINT_BACKUPS_KEPT', {
    fallback: 7,
    min: 1,
    max: 1_000,
    description: 'daily backups to keep, with the log since the oldest of them',
  }),
  ...S3_ROWS,
  eventFilesDir: {
    name: 'SAVEPOINT_EVENT_FILES_DIR',
    fallback: 'no files; in development event-files in SAVEPOINT_DATA_DIR',
    description:
      'folder for the events of closed days as Parquet files, for analysts. Set it on one node, or to the same shared folder on all; with a bucket, to a folder of each node',
    read: (given) => (given === undefined ? undefined : resolve(given)),
  } satisfies Setting<string | undefined>,
  appleRootFile: optional('SAVEPOINT_APPLE_ROOT_FILE', {
    shownFallback: 'none: receipts of Apple wait in the inbox',
    description: 'file with the root certificate that receipts of Apple lead to: Apple Root CA - G3',
  }),
  googleKeysUrl: address('SAVEPOINT_GOOGLE_KEYS_URL', {
    fallback: 'https://www.googleapis.com/oauth2/v3/certs',
    description: 'address of the keys that Google signs the tokens of its notifications with',
  }),
  googleTokenUrl: address('SAVEPOINT_GOOGLE_TOKEN_URL', {
    fallback: 'https://oauth2.googleapis.com/token',
    description: 'address of the access tokens of Google',
  }),
  googleApiUrl: address('SAVEPOINT_GOOGLE_API_URL', {
    fallback: 'https://androidpublisher.googleapis.com',
    description: 'address of the Play Developer API',
  }),
  workers: integer('SAVEPOINT_WORKERS', {
    fallback: Math.min(availableParallelism(), MAX_WORKERS),
    shownFallback: 'number of cores',
    min: 1,
    max: MAX_WORKERS,
    description: 'API processes',
  }),
  drainSeconds: integer('SAVEPOINT_DRAIN_SECONDS', {
    fallback: ({ development }) => (development ? 0 : 5),
    shownFallback: '0 in development, else 5',
    min: 0,
    max: 300,
    description: 'seconds between /readyz saying 503 and the end of a node that is told to stop',
  }),
  masterKey: optional('SAVEPOINT_MASTER_KEY', {
    shownFallback: 'generated in development',
    description:
      'base64 of 32 bytes; seals API secrets, signing keys and second factors. Several, comma-separated, while rotating',
  }),
  maxWaitMs: integer('SAVEPOINT_MAX_WAIT_MS', {
    fallback: 500,
    min: 50,
    max: 60_000,
    description: 'overload: a request that would wait longer than this gets 503 at once',
  }),
  trainingDays: integer('SAVEPOINT_TRAINING_DAYS', {
    fallback: 1,
    min: 0,
    max: 365,
    description: "days between two trainings of a game's predictions; 0: only by `savepoint train`",
  }),
  forgetDevicesAfterDays: integer('SAVEPOINT_FORGET_DEVICES_AFTER_DAYS', {
    fallback: 0,
    min: 0,
    max: 36_500,
    description:
      'replace the device ids of players who have not come back for so many days by keyed hashes, by which they still find their players; 0: never',
  }),
  rateLimits: onOff('SAVEPOINT_RATE_LIMITS', { fallback: 'on', description: 'off for load tests' }),
  loginsPerDevice: integer('SAVEPOINT_RATE_LIMIT_LOGINS', {
    fallback: 300,
    min: 1,
    max: 1_000_000,
    description: 'logins per device and minute, per worker',
  }),
  failuresPerAddress: integer('SAVEPOINT_RATE_LIMIT_FAILURES', {
    fallback: 300,
    min: 1,
    max: 1_000_000,
    description:
      'failed logins per network (an IPv4 address, or the /56 of an IPv6 address) and minute, per worker',
  }),
  requestsPerPlayer: integer('SAVEPOINT_RATE_LIMIT_REQUESTS', {
    fallback: 1_200,
    min: 1,
    max: 1_000_000,
    description: 'other requests per player and minute, per worker',
  }),
  eventsPerPlayer: integer('SAVEPOINT_RATE_LIMIT_EVENTS', {
    fallback: 12_000,
    min: 500,
    max: 1_000_000,
    description: 'events per player and minute, per worker; at least the 500 of a batch',
  }),
  eventBytesPerPlayer: integer('SAVEPOINT_RATE_LIMIT_EVENT_BYTES', {
    fallback: 16_777_216,
    min: 1_048_576,
    max: 1_000_000_000,
    description:
      'bytes of events per player and minute, decompressed, per worker; at least the 1 MiB of a batch',
  }),
  requestsPerServerKey: integer('SAVEPOINT_RATE_LIMIT_SERVER_REQUESTS', {
    fallback: 60_000,
    min: 1,
    max: 10_000_000,
    description: 'requests per server key and minute, per worker',
  }),
  eventsPerServerKey: integer('SAVEPOINT_RATE_LIMIT_SERVER_EVENTS', {
    fallback: 1_000_000,
    min: 500,
    max: 100_000_000,
    description: 'events per server key and minute, per worker; at least the 500 of a batch',
  }),
  accessTtlSeconds: integer('SAVEPOINT_ACCESS_TTL_SECONDS', {
    fallback: 3_600,
    min: 1,
    max: MAX_ACCESS_TTL_SECONDS,
    description: 'lifetime of an access token',
  }),
  refreshTtlSeconds: integer('SAVEPOINT_REFRESH_TTL_SECONDS', {
    fallback: 2_592_000,
    min: 1,
    max: 31_536_000,
    description: 'lifetime of an unused refresh token',
  }),
  refreshGraceSeconds: integer('SAVEPOINT_REFRESH_GRACE_SECONDS', {
    fallback: 30,
    min: 0,
    max: 600,
    description: 'how long a used refresh token may be retried',
  }),
  tokenIssuer: text('SAVEPOINT_TOKEN_ISSUER', {
    fallback: 'savepoint',
    description: '`iss` of access tokens',
  }),
  tokenAudience: text('SAVEPOINT_TOKEN_AUDIENCE', {
    fallback: 'savepoint-players',
    description: '`aud` of access tokens',
  }),
  corsOrigins: {
    name: 'SAVEPOINT_CORS_ORIGINS',
    fallback: '*',
    description: 'origins of web games, comma-separated',
    read(given = '*', { report }): '*' | readonly string[] {
      if (given === '*') return given;
      const origins = given.split(',').map((origin) => origin.trim());
      const wrong = origins.find((origin) => !ORIGIN.test(origin));
      if (wrong !== undefined) {
        report(
          `SAVEPOINT_CORS_ORIGINS holds "${wrong}": list origins as browsers send them, such as https://game.example, without a path or a final slash.`,
        );
      }
      return Object.freeze(origins);
    },
  } satisfies Setting<'*' | readonly string[]>,
  trustProxy: proxies(
    'SAVEPOINT_TRUST_PROXY',
    'behind a balancer that sets X-Forwarded-For: its hops (1), its addresses (10.0.0.0/8), or on for any',
  ),
  logLevel: choice('SAVEPOINT_LOG_LEVEL', {
    of: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    fallback: 'info',
    description: 'fatal, error, warn, info, debug (logs every request), trace or silent',
  }),
  logPretty: onOff('SAVEPOINT_LOG_PRETTY', {
    fallback: ({ tty }) => tty,
    shownFallback: 'on in a terminal, else off',
    description: 'on: log lines for people; off: JSON',
  }),
  slowStatementMs: integer('SAVEPOINT_SLOW_STATEMENT_MS', {
    fallback: 1_000,
    min: 0,
    max: 600_000,
    description: 'statements of requests that take longer are logged, without their values; 0: none',
  }),
  ...TRACE_ROWS,
  ...DATABASE_ROWS,
  databaseBuffersMb: {
    name: 'SAVEPOINT_DB_BUFFERS',
    fallback: 'a quarter of the memory, from 64MB to 4GB',
    description: 'memory in which the embedded PostgreSQL keeps pages (shared_buffers), such as 512MB or 8GB',
    read(given, { report }): number | undefined {
      if (given === undefined) return undefined;
      const megabytes = parseMegabytes(given);
      if (megabytes !== undefined && megabytes >= MIN_BUFFERS_MB) return megabytes;
      report(
        `SAVEPOINT_DB_BUFFERS is "${given}": set it to a size of ${MIN_BUFFERS_MB}MB or more, such as 512MB or 8GB.`,
      );
      return undefined;
    },
  } satisfies Setting<number | undefined>,
  natsServers: list('NATS_URL', {
    shownFallback: 'events applied directly',
    description:
      'servers of a NATS cluster (2.10.23 or newer) with JetStream to queue events on, comma-separated',
    // Without repeating the address, which may hold a password.
    check: (server) =>
      NATS_SERVER.test(server)
        ? undefined
        : 'NATS_URL must list servers like nats://user:password@host:4222, separated by commas.',
  }),
  natsCredentialsFile: optional('SAVEPOINT_NATS_CREDS', {
    shownFallback: 'user and password of NATS_URL',
    description: 'file with the credentials of a NATS user',
  }),
  natsStream: {
    name: 'SAVEPOINT_NATS_STREAM',
    fallback: 'SAVEPOINT_EVENTS',
    description: 'name of the stream',
    read(given = 'SAVEPOINT_EVENTS', { report }) {
      if (!STREAM_NAME.test(given)) {
        report(
          `SAVEPOINT_NATS_STREAM is "${given}": use letters, digits, hyphens and underscores, 64 at most.`,
        );
      }
      return given;
    },
  } satisfies Setting<string>,
  natsPartitions: integer('SAVEPOINT_NATS_PARTITIONS', {
    fallback: 16,
    min: 1,
    max: PLAYER_BUCKETS,
    description: 'parts of the stream that consumers share out among them; fixed once the stream exists',
  }),
  natsReplicas: integer('SAVEPOINT_NATS_REPLICAS', {
    fallback: 1,
    min: 1,
    max: 5,
    description: 'NATS servers that hold the stream; 3 in production, or a lost disk loses events',
  }),
  consume: onOff('SAVEPOINT_CONSUME', {
    fallback: 'on',
    description: "off: the API's workers only queue events, and `savepoint consume` applies them",
  }),
} satisfies Record<string, Setting<unknown>>;
