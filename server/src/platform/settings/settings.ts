import { join } from 'node:path';
import { parseMasterKeys } from '../security/master-keys.js';
import {
  type BucketSettings,
  bucketOf,
  type EventFilesSettings,
  missingForBucket,
} from './bucket-settings.js';
import { environmentOfFolder } from './development-folder.js';
import type { Setting, Surroundings } from './setting-kinds.js';
import { SETTING_ROWS } from './setting-rows.js';
import { unknownSettings } from './unknown-settings.js';

/**
 * The settings of the service. This room is the only reader of the environment: `readSettings` turns it into one frozen
 * object and reports every mistake at once, each with what to do about it.
 */
export type Settings = Readonly<{
  environment: 'development' | 'production';
  host: string;
  port: number;
  opsHost: string;
  opsPort: number;
  /** Names that operators and scrapers may call the operations listener by; in lower case. */
  opsAllowedHosts: readonly string[];
  /** As `trustProxy`, for the operations listener. */
  opsTrustProxy: boolean | number | string;
  dataDir: string;
  erasedList: string | undefined;
  /** Undefined: the embedded database is not backed up by the service. */
  backupDir: string | undefined;
  backupsKept: number;
  /** Undefined: closed days are not written to files. */
  eventFiles: EventFilesSettings | undefined;
  /** Undefined: backups are not copied anywhere. */
  backupBucket: BucketSettings | undefined;
  /** Undefined: no receipt of Apple is believed. */
  appleRootFile: string | undefined;
  /** Where the keys are that Google signs the tokens of notifications with. */
  googleKeysUrl: string;
  /** Where service accounts get access tokens, and what they are for. No other address of Google is called. */
  googleTokenUrl: string;
  googleApiUrl: string;
  workers: number;
  /** How long the node goes on serving after it was told to stop, so that balancers notice first. */
  drainSeconds: number;
  databaseUrl: string | undefined;
  /** Undefined: the primary serves all reads. */
  databaseReplicaUrl: string | undefined;
  replicaMaxLagMs: number;
  databasePoolSize: number;
  databaseTimeoutMs: number;
  /** Undefined: chosen by the memory of the machine. */
  databaseBuffersMb: number | undefined;
  /** Undefined: events are applied directly. */
  nats: NatsSettings | undefined;
  /** As given; undefined in development, where one is generated and kept in the data folder. */
  masterKey: string | undefined;
  accessTtlSeconds: number;
  refreshTtlSeconds: number;
  refreshGraceSeconds: number;
  tokenIssuer: string;
  tokenAudience: string;
  /** Longest time that a request may wait, by estimate, before it is refused at once. */
  maxWaitMs: number;
  rateLimits: RateLimitSettings;
  /** Days between two trainings of a game's predictions; 0: only by command. */
  trainingDays: number;
  /** Days after which the device ids of absent players are replaced by hashes; 0: never. */
  forgetDevicesAfterDays: number;
  corsOrigins: '*' | readonly string[];
  /** Fastify's `trustProxy`: all, none, the number of hops, or addresses. */
  trustProxy: boolean | number | string;
  logLevel: string;
  logPretty: boolean;
  /** Statements of requests that take longer are logged; 0: none. */
  slowStatementMs: number;
  /** Undefined: no traces. */
  tracesEndpoint: string | undefined;
  tracesHeaders: Readonly<Record<string, string>>;
  tracesServiceName: string;
  /** Share of the requests without a caller's decision that are traced. */
  tracesRatio: number;
}>;

export type NatsSettings = Readonly<{
  servers: readonly string[];
  /** File with the credentials of a NATS user, where the server wants a JWT rather than a password. */
  credentialsFile: string | undefined;
  stream: string;
  partitions: number;
  replicas: number;
  /** Whether the API's workers apply what is queued, too. */
  consume: boolean;
}>;

export type RateLimitSettings = Readonly<{
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
  requestsPerServerKey: number;
  eventsPerServerKey: number;
}>;

/** Every setting that the service reads, for the help and the documentation. */
export const SETTINGS: readonly Setting<unknown>[] = Object.values(SETTING_ROWS);

/** `warnings` are about probable mistakes that do not prevent a start. */
export type SettingsResult = { warnings: string[] } & (
  | { ok: true; settings: Settings }
  | { ok: false; problems: string[] }
);

type Environment = Readonly<Record<string, string | undefined>>;

type ReadOptions = {
  tty: boolean;
  /** False for commands that neither seal nor open a secret: they may run where the key is not kept. */
  needsMasterKey?: boolean;
  /** For commands: the data folder may say that this is development. The service itself is never started so. */
  asksFolder?: boolean;
};

export function readSettings(
  given: Environment,
  { tty, needsMasterKey = true, asksFolder = false }: ReadOptions,
): SettingsResult {
  const env = asksFolder ? environmentOfFolder(given) : given;
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const values = readRows(env, { tty, report });
  const { port, opsPort, masterKey } = values;
  if (port !== 0 && port === opsPort) {
    report(`SAVEPOINT_PORT and SAVEPOINT_OPS_PORT are both ${port}: give them two ports.`);
  }
  if (values.databaseReplicaUrl !== undefined && values.databaseUrl === undefined) {
    report('DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replica.');
  }
  checkBuckets(values).forEach(report);
  checkMasterKey(masterKey, needsMasterKey && values.environment === 'production').forEach(report);
  const warnings = unknownSettings(
    Object.keys(env),
    SETTINGS.map(({ name }) => name),
  );
  return problems.length === 0
    ? { ok: true, settings: settingsOf(values), warnings }
    : { ok: false, problems, warnings };
}

type Rows = typeof SETTING_ROWS;
type Values = { [Name in keyof Rows]: ReturnType<Rows[Name]['read']> };

function readRows(env: Environment, { tty, report }: Pick<Surroundings, 'tty' | 'report'>): Values {
  const given = ({ name }: Setting<unknown>) => env[name]?.trim() || undefined;
  const environment = SETTING_ROWS.environment.read(given(SETTING_ROWS.environment), {
    development: false,
    tty,
    report: () => {},
  });
  const surroundings: Surroundings = { development: environment === 'development', tty, report };
  return Object.fromEntries(
    Object.entries(SETTING_ROWS).map(([member, row]) => [member, row.read(given(row), surroundings)]),
  ) as Values;
}

function checkMasterKey(masterKey: string | undefined, isNeeded: boolean): readonly string[] {
  if (masterKey === undefined) {
    return isNeeded
      ? [
          'SAVEPOINT_MASTER_KEY is missing. Make one with `openssl rand -base64 32`, keep it in your secret store, and set it on every node. Next to `npm start`, set SAVEPOINT_ENV=development instead.',
        ]
      : [];
  }
  const parsed = parseMasterKeys(masterKey);
  return parsed.ok ? [] : parsed.problems;
}

function checkBuckets(values: Values): readonly string[] {
  const { backupS3Bucket, backupDir, eventFilesS3Bucket, eventFilesDir } = values;
  return [
    ...(backupS3Bucket === undefined
      ? []
      : missingForBucket('SAVEPOINT_BACKUP_S3_BUCKET', { SAVEPOINT_BACKUP_DIR: backupDir }, values)),
    ...(eventFilesS3Bucket === undefined
      ? []
      : missingForBucket(
          'SAVEPOINT_EVENT_FILES_S3_BUCKET',
          { SAVEPOINT_EVENT_FILES_DIR: eventFilesDir },
          values,
        )),
  ];
}

function settingsOf(values: Values): Settings {
  const {
    s3Endpoint,
    s3Region,
    s3AccessKeyId,
    s3SecretAccessKey,
    backupS3Bucket,
    backupS3Prefix,
    eventFilesDir,
    eventFilesS3Bucket,
    eventFilesS3Prefix,
    eventFilesCacheMb,
    natsServers,
    natsCredentialsFile,
    natsStream,
    natsPartitions,
    natsReplicas,
    consume,
    rateLimits,
    loginsPerDevice,
    failuresPerAddress,
    requestsPerPlayer,
    eventsPerPlayer,
    eventBytesPerPlayer,
    requestsPerServerKey,
    eventsPerServerKey,
    ...rest
  } = values;
  const nats: NatsSettings = Object.freeze({
    servers: natsServers,
    credentialsFile: natsCredentialsFile,
    stream: natsStream,
    partitions: natsPartitions,
    replicas: natsReplicas,
    consume,
  });
  const store = { s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey };
  // In development the files are there to be tried: a small game has small ones.
  const filesDir =
    eventFilesDir ?? (rest.environment === 'development' ? join(rest.dataDir, 'event-files') : undefined);
  const hosts = [rest.opsHost, ...rest.opsAllowedHosts].map((host) => host.toLowerCase());
  return Object.freeze({
    ...rest,
    opsAllowedHosts: Object.freeze(hosts),
    nats: natsServers.length === 0 ? undefined : nats,
    backupBucket: bucketOf(store, backupS3Bucket, backupS3Prefix),
    eventFiles:
      filesDir === undefined
        ? undefined
        : Object.freeze({
            dir: filesDir,
            bucket: bucketOf(store, eventFilesS3Bucket, eventFilesS3Prefix),
            cacheMb: eventFilesCacheMb,
          }),
    rateLimits: Object.freeze({
      enabled: rateLimits,
      loginsPerDevice,
      failuresPerAddress,
      requestsPerPlayer,
      eventsPerPlayer,
      eventBytesPerPlayer,
      requestsPerServerKey,
      eventsPerServerKey,
    }),
  });
}
