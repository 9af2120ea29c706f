import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../deploy/systemd/${name}`, import.meta.url), 'utf8');

describe('the unit', () => {
  const lines = read('savepoint.service').split('\n');

  it('may write to its data, and to the folders that the documents name', () => {
    expect(lines).toContain('ProtectSystem=strict');
    expect(lines).toContain('StateDirectory=savepoint');
    expect(lines).toContain('ReadWritePaths=-/mnt/backups -/var/lib/savepoint-files');
    const documents = ['production.md', 'analysts.md'].map((name) =>
      readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'),
    );
    expect(documents.join()).toContain('SAVEPOINT_BACKUP_DIR=/mnt/backups');
    expect(documents.join()).toContain('SAVEPOINT_EVENT_FILES_DIR=/var/lib/savepoint-files');
  });

  it('may ask the kernel for its addresses: without it each worker ends as soon as it listens', () => {
    expect(lines).toContain('RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX');
  });

  // `systemd-analyze security --offline=true` says 1.5 of 10; `npm run operations -- systemd` asks it.
  it.each([
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'PrivateUsers=yes',
    'ProtectHome=yes',
    'ProtectProc=invisible',
    'RestrictNamespaces=yes',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
  ])('is hardened: %s', (line) => {
    expect(lines).toContain(line);
  });
});

describe('the command `savepoint`', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-wrapper-'));
    mkdirSync(join(folder, 'server/bin'), { recursive: true });
    writeFileSync(
      join(folder, 'server/bin/savepoint.mjs'),
      `const settings = Object.entries(process.env).filter(([name]) => /^(SAVEPOINT|DATABASE|NATS)_/.test(name));
       console.log(JSON.stringify({ args: process.argv.slice(2), settings: Object.fromEntries(settings) }));`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The script with the places and the user of the test. */
  function run(settings: string | undefined, args: readonly string[], user = userInfo().username) {
    const file = join(folder, 'savepoint.env');
    rmSync(file, { force: true });
    if (settings !== undefined) writeFileSync(file, settings);
    const script = read('savepoint')
      .replace(/^user=.*$/m, `user=${user}`)
      .replace(/^folder=.*$/m, `folder=${folder}`)
      .replace(/^settings=.*$/m, `settings=${file}`)
      .replace(/^data=.*$/m, 'data=/var/lib/data')
      .replaceAll('/usr/bin/node', process.execPath);
    const env = { PATH: process.env.PATH, DATABASE_URL: 'postgres://other', SAVEPOINT_PORT: '1' };
    const { stdout, stderr, status } = spawnSync('sh', ['-c', script, 'savepoint', ...args], {
      encoding: 'utf8',
      env,
    });
    return { stdout, stderr, status };
  }

  it('reads the settings of the service as systemd does, and nothing from its caller', () => {
    const { stdout, stderr } = run(
      '# A comment\n; another one\n\n' +
        'DATABASE_URL=postgres://u:p%40@db/s?sslmode=verify-full&sslrootcert=/etc/ca.pem  \n' +
        '  SAVEPOINT_MASTER_KEY="a+b/c=,d=="\n' +
        "NATS_URL='nats://user:pa$$word#1@nats:4222'\n" +
        'SAVEPOINT_ENV=development\nSAVEPOINT_CORS_ORIGINS=\nSAVEPOINT_OPS_PORT=8161',
      ['key', 'create', '--label', 'a b "c"'],
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      args: ['key', 'create', '--label', 'a b "c"'],
      settings: {
        SAVEPOINT_DATA_DIR: '/var/lib/data',
        DATABASE_URL: 'postgres://u:p%40@db/s?sslmode=verify-full&sslrootcert=/etc/ca.pem',
        SAVEPOINT_MASTER_KEY: 'a+b/c=,d==',
        NATS_URL: 'nats://user:pa$$word#1@nats:4222',
        SAVEPOINT_ENV: 'development',
        SAVEPOINT_CORS_ORIGINS: '',
        SAVEPOINT_OPS_PORT: '8161',
      },
    });
  });

  it.each([
    ['export SAVEPOINT_PORT=1', /^Line 2 of \S+ is not a setting: write NAME=value\.$/m],
    ['SAVEPOINT_PORT', /^Line 2 of \S+ is not a setting/],
    ['SAVEPOINT_PORT = 1', /^Line 2 of \S+ is not a setting/],
    ['SAVEPOINT_MASTER_KEY=se\\cret', /^Line 2 of \S+ the value of SAVEPOINT_MASTER_KEY has a backslash/],
    ['SAVEPOINT_MASTER_KEY="se" "cret"', /^Line 2 of \S+ the value of SAVEPOINT_MASTER_KEY has a backslash/],
  ])('refuses %s, and does not repeat a secret', (line, sentence) => {
    const { stdout, stderr, status } = run(`SAVEPOINT_WORKERS=2\n${line}\n`, ['doctor']);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('cret"');
    expect(stderr).not.toContain('se\\cret');
  });

  it('says what to do where the settings cannot be read', () => {
    const { stderr, status } = run(undefined, ['doctor']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^\S+savepoint\.env cannot be read by the user \S+\. As root: chgrp /);
  });
});
