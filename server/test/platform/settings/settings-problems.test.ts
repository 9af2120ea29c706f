import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { readSettings } from '../../../src/platform/settings/settings.js';

type Environment = Record<string, string | undefined>;

const MASTER_KEY = generateMasterKey();
const PRODUCTION = { SAVEPOINT_MASTER_KEY: MASTER_KEY };
const DEVELOPMENT = { SAVEPOINT_ENV: 'development' };

function problems(env: Environment): string[] {
  const read = readSettings(env, { tty: false });
  return read.ok ? [] : read.problems;
}

describe('what is wrong with the settings', () => {
  test.each([
    ['SAVEPOINT_PORT', '0', '65535'],
    ['SAVEPOINT_OPS_PORT', '0', '65535'],
    ['SAVEPOINT_WORKERS', '1', '256'],
    ['SAVEPOINT_DB_POOL', '2', '100'],
    ['SAVEPOINT_DB_TIMEOUT_MS', '100', '60000'],
    ['SAVEPOINT_MAX_WAIT_MS', '50', '60000'],
    ['SAVEPOINT_RATE_LIMIT_EVENTS', '500', '1000000'],
    ['SAVEPOINT_RATE_LIMIT_EVENT_BYTES', '1048576', '1000000000'],
    ['SAVEPOINT_ACCESS_TTL_SECONDS', '1', '86400'],
    ['SAVEPOINT_REFRESH_TTL_SECONDS', '1', '31536000'],
    ['SAVEPOINT_REFRESH_GRACE_SECONDS', '0', '600'],
    ['SAVEPOINT_RATE_LIMIT_LOGINS', '1', '1000000'],
    ['SAVEPOINT_RATE_LIMIT_FAILURES', '1', '1000000'],
    ['SAVEPOINT_RATE_LIMIT_REQUESTS', '1', '1000000'],
  ])('%s is a whole number from %s to %s', (name, min, max) => {
    for (const good of [min, max]) expect(problems({ ...PRODUCTION, [name]: good })).toEqual([]);
    const bad = [
      'abc',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '8080 8081',
      '+1',
      '99999999999',
      String(Number(max) + 1),
    ];
    if (min !== '0') bad.push(String(Number(min) - 1));
    for (const value of bad) {
      expect(problems({ ...PRODUCTION, [name]: value })).toEqual([
        `${name} is "${value}": set it to a whole number from ${min} to ${max}, or leave it out.`,
      ]);
    }
  });

  test('those of traces are an address, headers and a share, and no value of a header is repeated', () => {
    const of = (env: Environment) => problems({ ...PRODUCTION, ...env });
    expect(of({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, such as http://127.0.0.1:4318.',
    ]);
    expect(of({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:hunter2@collector' })).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT must not hold a user or a password: set OTEL_EXPORTER_OTLP_HEADERS to authorization=….',
    ]);
    for (const bad of ['hunter2', 'a=b,c', 'a=%zz', 'a b=c', 'a=b\nc', 'a=%ff', 'a=b%0d%0ac', 'a=%C3%A9'])
      expect(of({ OTEL_EXPORTER_OTLP_HEADERS: bad })).toEqual([
        'OTEL_EXPORTER_OTLP_HEADERS must list headers like authorization=Bearer%20abc, separated by commas.',
      ]);
    for (const bad of ['-0.1', '1.01', 'all'])
      expect(of({ OTEL_TRACES_SAMPLER_ARG: bad })).toEqual([
        `OTEL_TRACES_SAMPLER_ARG is "${bad}": set it to a number from 0 to 1, or leave it out.`,
      ]);
  });

  test('SAVEPOINT_DB_BUFFERS is a size with its unit', () => {
    for (const good of ['16MB', '512 mb', '8GB'])
      expect(problems({ ...PRODUCTION, SAVEPOINT_DB_BUFFERS: good })).toEqual([]);
    for (const bad of ['15MB', '0GB', '512', '1.5GB', '-1GB', '1TB', '512kB', 'half', '1GB 2GB']) {
      expect(problems({ ...PRODUCTION, SAVEPOINT_DB_BUFFERS: bad })).toEqual([
        `SAVEPOINT_DB_BUFFERS is "${bad}": set it to a size of 16MB or more, such as 512MB or 8GB.`,
      ]);
    }
  });

  test.each([
    ['SAVEPOINT_ENV', 'Production'],
    ['SAVEPOINT_ENV', 'test'],
    ['SAVEPOINT_RATE_LIMITS', 'no'],
    ['SAVEPOINT_TRUST_PROXY', 'true'],
    ['SAVEPOINT_OPS_TRUST_PROXY', 'true'],
    ['SAVEPOINT_LOG_LEVEL', 'verbose'],
  ])('%s does not take %s, and says what it takes', (name, value) => {
    const found = problems({ ...PRODUCTION, [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name} is "${value}": set it to \\w+ or `));
  });

  test('both listeners on one port', () => {
    const [problem] = problems({ ...PRODUCTION, SAVEPOINT_PORT: '8081' });
    expect(problem).toBe('SAVEPOINT_PORT and SAVEPOINT_OPS_PORT are both 8081: give them two ports.');
  });

  test('an address that is no PostgreSQL, without repeating the password in it', () => {
    for (const DATABASE_URL of ['mysql://u:hunter2@db/x', 'db.example:hunter2', 'postgres:hunter2']) {
      const found = problems({ ...PRODUCTION, DATABASE_URL });
      expect(found).toEqual([expect.stringMatching(/^DATABASE_URL must look like postgres:/)]);
      expect(found.join()).not.toContain('hunter2');
    }
  });

  test.each(['', ' ', undefined])('a master key is required in production (%j)', (key) => {
    const found = problems({ SAVEPOINT_MASTER_KEY: key });
    expect(found).toEqual([
      expect.stringMatching(/^SAVEPOINT_MASTER_KEY is missing.*openssl rand.*SAVEPOINT_ENV=development/),
    ]);
  });

  test('a command beside a service of development needs no SAVEPOINT_ENV: the key in the data folder says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'savepoint-settings-'));
    const read = (env: Environment, asksFolder: boolean) => {
      const result = readSettings({ SAVEPOINT_DATA_DIR: folder, ...env }, { tty: false, asksFolder });
      return result.ok ? result.settings.environment : 'refused';
    };
    expect(read({}, true)).toBe('refused');
    await writeFile(join(folder, 'master-key'), MASTER_KEY);
    expect(read({}, true)).toBe('development');
    expect(read({}, false)).toBe('refused');
    expect(read({ SAVEPOINT_ENV: 'production' }, true)).toBe('refused');
    expect(read({ DATABASE_URL: 'postgres://db/game' }, true)).toBe('refused');
    expect(read(PRODUCTION, true)).toBe('production');
    await rm(folder, { recursive: true });
  });

  test.each([
    ['hexadecimal', 'ab'.repeat(32)],
    ['too short', Buffer.from('hunter2').toString('base64')],
    ['not Base64', 'hunter2!'],
    ['one byte repeated', Buffer.alloc(32, 7).toString('base64')],
    ['one good, one empty', `${MASTER_KEY},`],
    ['one twice', `${MASTER_KEY},${MASTER_KEY}`],
  ])('a master key that is %s is refused in either environment, and not repeated', (_name, key) => {
    for (const env of [{}, DEVELOPMENT]) {
      const found = problems({ ...env, SAVEPOINT_MASTER_KEY: key });
      expect(found).toEqual([expect.stringMatching(/SAVEPOINT_MASTER_KEY .*openssl rand/)]);
      expect(found.join()).not.toContain(key.split(',')[0]);
    }
  });

  test.each([
    'https://a.example/',
    'a.example',
    'https://a.example,',
    'https://a.example b',
    '*,https://a.example',
  ])('SAVEPOINT_CORS_ORIGINS %j would match no browser', (origins) => {
    const found = problems({ ...PRODUCTION, SAVEPOINT_CORS_ORIGINS: origins });
    expect(found).toEqual([expect.stringMatching(/^SAVEPOINT_CORS_ORIGINS holds .*https:\/\//)]);
  });

  test.each(['http://ops.example.com', 'ops.example.com:8081', 'ops.example.com/', '*', 'a b', 'a,-b'])(
    'SAVEPOINT_OPS_ALLOWED_HOSTS %j holds something that is no host name',
    (hosts) => {
      const found = problems({ ...PRODUCTION, SAVEPOINT_OPS_ALLOWED_HOSTS: hosts });
      expect(found).toEqual([expect.stringMatching(/^SAVEPOINT_OPS_ALLOWED_HOSTS holds .*without a scheme/)]);
    },
  );

  test('all of them are reported at once', () => {
    const found = problems({
      SAVEPOINT_PORT: 'http',
      SAVEPOINT_OPS_PORT: '70000',
      SAVEPOINT_WORKERS: '0',
      SAVEPOINT_RATE_LIMITS: 'maybe',
      SAVEPOINT_MASTER_KEY: 'short',
      DATABASE_URL: 'mysql://db',
      SAVEPOINT_CORS_ORIGINS: 'nowhere',
      SAVEPOINT_LOG_LEVEL: 'loud',
    });
    const names = found.map((problem) => /SAVEPOINT_[A-Z_]+|DATABASE_URL/.exec(problem)?.[0]);
    expect(names.sort()).toEqual([
      'DATABASE_URL',
      'SAVEPOINT_CORS_ORIGINS',
      'SAVEPOINT_LOG_LEVEL',
      'SAVEPOINT_MASTER_KEY',
      'SAVEPOINT_OPS_PORT',
      'SAVEPOINT_PORT',
      'SAVEPOINT_RATE_LIMITS',
      'SAVEPOINT_WORKERS',
    ]);
  });
});

describe('a variable that looks like a setting and is none', () => {
  const warnings = (env: Environment) => readSettings({ ...DEVELOPMENT, ...env }, { tty: false }).warnings;

  test.each([
    ['SAVEPOINT_PROT', 'SAVEPOINT_PORT'],
    ['savepoint_port', 'SAVEPOINT_PORT'],
    ['SAVPOINT_PORT', 'SAVEPOINT_PORT'],
    ['SAVE_POINT_DATA_DIR', 'SAVEPOINT_DATA_DIR'],
    ['SAVEPOINT_DATADIR', 'SAVEPOINT_DATA_DIR'],
    ['SAVEPOINT_RATE_LIMIT', 'SAVEPOINT_RATE_LIMITS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['NATS_URLS', 'NATS_URL'],
  ])('%s: did you mean %s?', (name, meant) => {
    expect(warnings({ [name]: '1' })).toEqual([`${name} is not a setting. Did you mean "${meant}"?`]);
  });

  test('is named also when no setting is near', () => {
    expect(warnings({ SAVEPOINT_COLOUR: 'green' })).toEqual(['SAVEPOINT_COLOUR is not a setting.']);
  });

  test('without the prefix it may be of another program', () => {
    const others = {
      PATH: '/bin',
      PORT: '1',
      HOST: 'x',
      NATS_USER: 'x',
      DATABASE_NAME: 'x',
      MONGO_URL: 'x',
      TERM: 'x',
    };
    expect(warnings(others)).toEqual([]);
    expect(warnings({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://x' })).toEqual([]);
  });

  test('a bucket for backups needs its key, and the folder that it is a copy of', () => {
    const bucket = { ...PRODUCTION, SAVEPOINT_BACKUP_S3_BUCKET: 'my-backups' };
    expect(problems(bucket)).toEqual([
      'SAVEPOINT_BACKUP_S3_BUCKET needs SAVEPOINT_BACKUP_DIR and SAVEPOINT_S3_ACCESS_KEY_ID and SAVEPOINT_S3_SECRET_ACCESS_KEY.',
    ]);
    const whole = {
      ...bucket,
      SAVEPOINT_BACKUP_DIR: '/backups',
      SAVEPOINT_S3_ACCESS_KEY_ID: 'key',
      SAVEPOINT_S3_SECRET_ACCESS_KEY: 'secret',
    };
    expect(problems(whole)).toEqual([]);
    expect(problems({ ...whole, SAVEPOINT_S3_ENDPOINT: 's3.example' })).toEqual([
      'SAVEPOINT_S3_ENDPOINT must be an http or https address, such as https://s3.example.com.',
    ]);
    expect(problems({ ...whole, SAVEPOINT_BACKUP_S3_BUCKET: 'My Bucket' })).toEqual([
      'SAVEPOINT_BACKUP_S3_BUCKET is "My Bucket": give the name of a bucket, such as my-backups.',
    ]);
    expect(problems({ ...whole, SAVEPOINT_BACKUP_S3_PREFIX: 'a b' })).toEqual([
      'SAVEPOINT_BACKUP_S3_PREFIX is "a b": use letters, digits, dots, dashes and slashes.',
    ]);
  });

  test('a bucket for files of events needs its key, and a folder for what is on its way', () => {
    const bucket = { ...PRODUCTION, SAVEPOINT_EVENT_FILES_S3_BUCKET: 'my-events' };
    expect(problems(bucket)).toEqual([
      'SAVEPOINT_EVENT_FILES_S3_BUCKET needs SAVEPOINT_EVENT_FILES_DIR and SAVEPOINT_S3_ACCESS_KEY_ID and SAVEPOINT_S3_SECRET_ACCESS_KEY.',
    ]);
    expect(problems({ ...PRODUCTION, SAVEPOINT_EVENT_FILES_CACHE: 'much' })).toEqual([
      'SAVEPOINT_EVENT_FILES_CACHE is "much": set it to a size such as 512MB or 50GB, or to 0MB for none.',
    ]);
  });
});
