import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { readSettings, SETTINGS, type Settings } from '../../../src/platform/settings/settings.js';

type Environment = Record<string, string | undefined>;

const MASTER_KEY = generateMasterKey();
const PRODUCTION = { SAVEPOINT_MASTER_KEY: MASTER_KEY };

function settings(env: Environment, tty = false): Settings {
  const read = readSettings(env, { tty });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.settings;
}

describe('defaults', () => {
  test('in production', () => {
    expect(settings(PRODUCTION)).toEqual({
      environment: 'production',
      host: '0.0.0.0',
      port: 8080,
      opsHost: '127.0.0.1',
      opsPort: 8081,
      opsAllowedHosts: ['127.0.0.1'],
      dataDir: resolve('data'),
      appleRootFile: undefined,
      googleKeysUrl: 'https://www.googleapis.com/oauth2/v3/certs',
      googleTokenUrl: 'https://oauth2.googleapis.com/token',
      googleApiUrl: 'https://androidpublisher.googleapis.com',
      workers: Math.min(availableParallelism(), 256),
      drainSeconds: 5,
      databaseUrl: undefined,
      databaseReplicaUrl: undefined,
      replicaMaxLagMs: 1_000,
      databasePoolSize: 8,
      databaseTimeoutMs: 5000,
      databaseBuffersMb: undefined,
      nats: undefined,
      masterKey: MASTER_KEY,
      accessTtlSeconds: 3600,
      refreshTtlSeconds: 2_592_000,
      refreshGraceSeconds: 30,
      tokenIssuer: 'savepoint',
      tokenAudience: 'savepoint-players',
      trainingDays: 1,
      forgetDevicesAfterDays: 0,
      backupDir: undefined,
      backupsKept: 7,
      maxWaitMs: 500,
      rateLimits: {
        enabled: true,
        loginsPerDevice: 300,
        failuresPerAddress: 300,
        requestsPerPlayer: 1200,
        eventsPerPlayer: 12_000,
        eventBytesPerPlayer: 16_777_216,
        requestsPerServerKey: 60_000,
        eventsPerServerKey: 1_000_000,
      },
      corsOrigins: '*',
      trustProxy: false,
      opsTrustProxy: false,
      logLevel: 'info',
      logPretty: false,
      slowStatementMs: 1_000,
      tracesEndpoint: undefined,
      tracesHeaders: {},
      tracesServiceName: 'savepoint',
      tracesRatio: 1,
    });
  });

  test('in development: reachable from this machine only, and no master key needed', () => {
    expect(settings({ SAVEPOINT_ENV: 'development' })).toMatchObject({
      environment: 'development',
      host: '127.0.0.1',
      opsHost: '127.0.0.1',
      masterKey: undefined,
    });
  });

  test('an empty or blank setting counts as left out', () => {
    const blank = Object.fromEntries(SETTINGS.map(({ name }, n) => [name, n % 2 === 0 ? '' : '  ']));
    expect(settings({ ...blank, ...PRODUCTION })).toEqual(settings(PRODUCTION));
  });

  test('a terminal gets readable logs', () => {
    expect(settings(PRODUCTION, true).logPretty).toBe(true);
  });

  test('the result is frozen, down to its members', () => {
    const read = settings({ ...PRODUCTION, SAVEPOINT_CORS_ORIGINS: 'https://a.example' });
    expect(Object.isFrozen(read)).toBe(true);
    expect(Object.isFrozen(read.rateLimits)).toBe(true);
    expect(Object.isFrozen(read.corsOrigins)).toBe(true);
  });
});

describe('values', () => {
  test('are read from every setting', () => {
    const read = settings({
      SAVEPOINT_ENV: 'production',
      SAVEPOINT_HOST: '10.0.0.5',
      SAVEPOINT_PORT: '443',
      SAVEPOINT_OPS_HOST: '10.0.0.6',
      SAVEPOINT_OPS_PORT: '9000',
      SAVEPOINT_OPS_ALLOWED_HOSTS: 'Ops.Example.com, savepoint.default.svc',
      SAVEPOINT_DATA_DIR: 'elsewhere',
      SAVEPOINT_APPLE_ROOT_FILE: 'root.pem',
      SAVEPOINT_GOOGLE_KEYS_URL: 'https://keys.example/certs',
      SAVEPOINT_GOOGLE_TOKEN_URL: 'https://tokens.example/token',
      SAVEPOINT_GOOGLE_API_URL: 'http://127.0.0.1:8090',
      SAVEPOINT_WORKERS: '3',
      SAVEPOINT_DRAIN_SECONDS: '20',
      SAVEPOINT_MASTER_KEY: ` ${MASTER_KEY} `,
      SAVEPOINT_MAX_WAIT_MS: '250',
      SAVEPOINT_RATE_LIMITS: 'off',
      SAVEPOINT_RATE_LIMIT_LOGINS: '1',
      SAVEPOINT_RATE_LIMIT_FAILURES: '2',
      SAVEPOINT_RATE_LIMIT_REQUESTS: '3',
      SAVEPOINT_RATE_LIMIT_EVENTS: '500',
      SAVEPOINT_RATE_LIMIT_EVENT_BYTES: '1048576',
      SAVEPOINT_RATE_LIMIT_SERVER_REQUESTS: '4',
      SAVEPOINT_RATE_LIMIT_SERVER_EVENTS: '600',
      SAVEPOINT_ACCESS_TTL_SECONDS: '60',
      SAVEPOINT_REFRESH_TTL_SECONDS: '120',
      SAVEPOINT_REFRESH_GRACE_SECONDS: '0',
      SAVEPOINT_TOKEN_ISSUER: 'https://play.example',
      SAVEPOINT_TOKEN_AUDIENCE: 'my-game',
      SAVEPOINT_CORS_ORIGINS: 'https://a.example, https://b.example:8443',
      SAVEPOINT_TRUST_PROXY: 'on',
      SAVEPOINT_OPS_TRUST_PROXY: '2',
      SAVEPOINT_LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgresql://u:p@db.example/savepoint',
      DATABASE_REPLICA_URL: 'postgresql://u:p@standby.example/savepoint?target_session_attrs=standby',
      SAVEPOINT_REPLICA_MAX_LAG_MS: '250',
      SAVEPOINT_DB_POOL: '20',
      SAVEPOINT_DB_BUFFERS: '2GB',
      SAVEPOINT_DB_TIMEOUT_MS: '1000',
      NATS_URL: 'nats://n1.example:4222, tls://n2.example',
      SAVEPOINT_NATS_CREDS: 'nats.creds',
      SAVEPOINT_NATS_STREAM: 'GAME_EVENTS',
      SAVEPOINT_NATS_PARTITIONS: '4',
      SAVEPOINT_NATS_REPLICAS: '3',
      SAVEPOINT_CONSUME: 'off',
      SAVEPOINT_TRAINING_DAYS: '7',
      SAVEPOINT_FORGET_DEVICES_AFTER_DAYS: '90',
      SAVEPOINT_BACKUP_DIR: '/backups',
      SAVEPOINT_BACKUPS_KEPT: '3',
      SAVEPOINT_S3_ENDPOINT: 'https://store.example',
      SAVEPOINT_S3_REGION: 'eu-1',
      SAVEPOINT_S3_ACCESS_KEY_ID: 'key',
      SAVEPOINT_S3_SECRET_ACCESS_KEY: 'secret',
      SAVEPOINT_BACKUP_S3_BUCKET: 'my-backups',
      SAVEPOINT_BACKUP_S3_PREFIX: '/savepoint/eu/',
      SAVEPOINT_EVENT_FILES_DIR: '/event-files',
      SAVEPOINT_EVENT_FILES_S3_BUCKET: 'my-events',
      SAVEPOINT_EVENT_FILES_CACHE: '2GB',
      SAVEPOINT_SLOW_STATEMENT_MS: '250',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%2Cb, x-team=games',
      OTEL_SERVICE_NAME: 'game-eu',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    });
    expect(read).toEqual({
      environment: 'production',
      host: '10.0.0.5',
      port: 443,
      opsHost: '10.0.0.6',
      opsPort: 9000,
      opsAllowedHosts: ['10.0.0.6', 'ops.example.com', 'savepoint.default.svc'],
      dataDir: resolve('elsewhere'),
      appleRootFile: 'root.pem',
      googleKeysUrl: 'https://keys.example/certs',
      googleTokenUrl: 'https://tokens.example/token',
      googleApiUrl: 'http://127.0.0.1:8090',
      workers: 3,
      drainSeconds: 20,
      databaseUrl: 'postgresql://u:p@db.example/savepoint',
      databaseReplicaUrl: 'postgresql://u:p@standby.example/savepoint?target_session_attrs=standby',
      replicaMaxLagMs: 250,
      databasePoolSize: 20,
      databaseTimeoutMs: 1000,
      databaseBuffersMb: 2048,
      nats: {
        servers: ['nats://n1.example:4222', 'tls://n2.example'],
        credentialsFile: 'nats.creds',
        stream: 'GAME_EVENTS',
        partitions: 4,
        replicas: 3,
        consume: false,
      },
      masterKey: MASTER_KEY,
      accessTtlSeconds: 60,
      refreshTtlSeconds: 120,
      refreshGraceSeconds: 0,
      tokenIssuer: 'https://play.example',
      tokenAudience: 'my-game',
      trainingDays: 7,
      forgetDevicesAfterDays: 90,
      backupDir: '/backups',
      backupsKept: 3,
      backupBucket: {
        endpoint: 'https://store.example',
        region: 'eu-1',
        accessKeyId: 'key',
        secretAccessKey: 'secret',
        bucket: 'my-backups',
        prefix: 'savepoint/eu/',
      },
      eventFiles: {
        dir: '/event-files',
        bucket: {
          endpoint: 'https://store.example',
          region: 'eu-1',
          accessKeyId: 'key',
          secretAccessKey: 'secret',
          bucket: 'my-events',
          prefix: '',
        },
        cacheMb: 2_048,
      },
      maxWaitMs: 250,
      rateLimits: {
        enabled: false,
        loginsPerDevice: 1,
        failuresPerAddress: 2,
        requestsPerPlayer: 3,
        eventsPerPlayer: 500,
        eventBytesPerPlayer: 1_048_576,
        requestsPerServerKey: 4,
        eventsPerServerKey: 600,
      },
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
      trustProxy: true,
      opsTrustProxy: 2,
      logLevel: 'debug',
      logPretty: false,
      slowStatementMs: 250,
      tracesEndpoint: 'http://collector:4318',
      tracesHeaders: { authorization: 'Bearer a,b', 'x-team': 'games' },
      tracesServiceName: 'game-eu',
      tracesRatio: 0.01,
    });
  });

  test('files of events are in the data folder in development, and nowhere in production unless they are asked for', () => {
    const development = settings({ SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: '/data' });
    expect(development.eventFiles).toMatchObject({ dir: '/data/event-files', bucket: undefined });
    expect(settings(PRODUCTION).eventFiles).toBeUndefined();
  });

  test('port 0 lets the system choose, for both listeners at once', () => {
    const read = settings({ ...PRODUCTION, SAVEPOINT_PORT: '0', SAVEPOINT_OPS_PORT: '0' });
    expect([read.port, read.opsPort]).toEqual([0, 0]);
  });

  test('several master keys, while rotating', () => {
    const both = `${generateMasterKey()},${MASTER_KEY}`;
    expect(settings({ SAVEPOINT_MASTER_KEY: both }).masterKey).toBe(both);
  });

  test('the list of settings is exactly what is read', () => {
    const asked = new Set<string>();
    readSettings(
      new Proxy<Environment>({}, { get: (_target, name) => void asked.add(String(name)) as undefined }),
      { tty: false },
    );
    expect([...asked].sort()).toEqual(SETTINGS.map(({ name }) => name).sort());
  });
});
