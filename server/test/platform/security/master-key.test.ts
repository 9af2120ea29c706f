import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import {
  findMasterKeys,
  loadMasterKeys,
  refuseWrongMasterKey,
} from '../../../src/platform/security/master-key.js';
import { generateMasterKey, parseMasterKeys } from '../../../src/platform/security/master-keys.js';
import { readSettings, type Settings } from '../../../src/platform/settings/settings.js';
import { runCommandUnder } from '../../support/command.js';
import { createTestDatabase } from '../../support/database.js';
import { createHarness, type Harness } from '../../support/harness.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'savepoint-master-key-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const keyFile = () => join(dataDir, 'master-key');

function settings(masterKey?: string): Settings {
  const read = readSettings(
    { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir, SAVEPOINT_MASTER_KEY: masterKey },
    { tty: false },
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.settings;
}

function idOf(masterKey: string): string {
  const parsed = parseMasterKeys(masterKey);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.keys.primaryId;
}

describe('in a database where nothing is sealed, the master key of the data folder', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('is made once, for its owner only, and found again', async () => {
    expect(await findMasterKeys(settings(), pool)).toBeUndefined();
    const made = await loadMasterKeys(settings(), pool);
    expect(await readFile(keyFile(), 'utf8')).toBe(`${made.text}\n`);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect((await loadMasterKeys(settings(), pool)).text).toBe(made.text);
    expect((await findMasterKeys(settings(), pool))?.text).toBe(made.text);
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['full of zeros', '\0'.repeat(45)],
  ])('is made again where a power cut left the file %s', async (_, content) => {
    await writeFile(keyFile(), content);
    const { text } = await loadMasterKeys(settings(), pool);
    expect(await readFile(keyFile(), 'utf8')).toBe(`${text}\n`);
  });

  it('is not replaced where there is something else in the file', async () => {
    await writeFile(keyFile(), 'c2hvcnQ=\n');
    await expect(loadMasterKeys(settings(), pool)).rejects.toThrow(
      `The file ${keyFile()} does not hold a master key. Put the file back from a backup, set SAVEPOINT_MASTER_KEY to the right key, or delete ${dataDir} to start with an empty database.`,
    );
    expect(await readFile(keyFile(), 'utf8')).toBe('c2hvcnQ=\n');
  });
});

describe('in a database with sealed secrets', () => {
  let harness: Harness;
  let right: string;
  beforeAll(async () => {
    harness = await createHarness();
    const [key] = harness.masterKeys.byId.values();
    right = key?.export().toString('base64') ?? '';
  });
  afterAll(() => harness?.close());

  const load = (settings: Settings) => loadMasterKeys(settings, harness.pool);
  const id = () => harness.masterKeys.primaryId;

  it('the right master key is taken, alone, first or last', async () => {
    for (const text of [right, `${right},${generateMasterKey()}`, `${generateMasterKey()},${right}`]) {
      expect((await load(settings(text))).text).toBe(text);
    }
    await writeFile(keyFile(), right);
    expect((await load(settings())).text).toBe(right);
  });

  it('a wrong SAVEPOINT_MASTER_KEY is refused with a sentence that names both keys by their ids', async () => {
    const wrong = generateMasterKey();
    await expect(load(settings(wrong))).rejects.toThrow(
      `Wrong master key: this database has 1 API secret, 1 signing key and the key of forgotten devices sealed under master key ${id()}, and SAVEPOINT_MASTER_KEY holds ${idOf(wrong)}. Set SAVEPOINT_MASTER_KEY to the key that this database was set up with. If it is lost: docs/master-key.md.`,
    );
  });

  it('a wrong key in the data folder is refused', async () => {
    const wrong = generateMasterKey();
    await writeFile(keyFile(), wrong);
    await expect(load(settings())).rejects.toThrow(
      `and the file ${keyFile()} holds ${idOf(wrong)}. Put the file back from a backup`,
    );
  });

  it('a command that needs no key goes on without one, and stops at a wrong one', async () => {
    const check = (given: Settings) => refuseWrongMasterKey(given, harness.pool);
    await check(settings());
    await check(settings(right));
    await expect(check(settings(generateMasterKey()))).rejects.toThrow('Wrong master key');
    await writeFile(keyFile(), generateMasterKey());
    await expect(check(settings())).rejects.toThrow('Wrong master key');
    await check({ ...settings(), environment: 'production' });
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['full of zeros', '\0'.repeat(45)],
  ])('no new key is made for a file that is %s', async (_, content) => {
    if (content !== undefined) await writeFile(keyFile(), content);
    const sentence = `The file ${keyFile()} is missing or empty, and this database has 1 API secret, 1 signing key and the key of forgotten devices sealed under the master key that it held (${id()}). Put the file back from a backup, set SAVEPOINT_MASTER_KEY to the right key, or delete ${dataDir} to start with an empty database.`;
    await expect(load(settings())).rejects.toThrow(sentence);
    await expect(findMasterKeys(settings(), harness.pool)).rejects.toThrow(sentence);
    expect(await readFile(keyFile(), 'utf8').catch(() => undefined)).toBe(content);
  });

  it('a key that opens only a part is refused, unless the rest was revoked', async () => {
    const other = generateMasterKey();
    await harness.pool.query(
      `update api_keys set sealed_secret = overlay(sealed_secret placing decode($1, 'hex') from 2)`,
      [idOf(other)],
    );
    await expect(load(settings(right))).rejects.toThrow(
      `this database has 1 API secret sealed under master key ${idOf(other)}, and SAVEPOINT_MASTER_KEY holds ${id()}. Add that key to the end of SAVEPOINT_MASTER_KEY, after a comma.`,
    );
    await load(settings(`${right},${other}`));
    await harness.pool.query('update api_keys set revoked_at = now()');
    await load(settings(right));
  });

  it.each([
    ['key', 'create', '--tenant', 'demo-studio', '--game', 'demo-game'],
    ['signing-key', 'rotate'],
    ['signing-key', 'rotate', '--now'],
    ['master-key', 'rotate'],
    ['tenant', 'create', 'acme'],
    ['audit', 'list'],
  ])('%s %s stops at a wrong key and changes nothing', async (...command) => {
    const contents = async () =>
      (await harness.pool.query('select key_id, sealed_secret from api_keys order by 1')).rows.concat(
        (await harness.pool.query('select kid, sealed_private from signing_keys order by 1')).rows,
        (await harness.pool.query('select slug from tenants order by 1')).rows,
      );
    const before = await contents();
    const { code, out, errors } = await runCommandUnder(generateMasterKey(), harness.databaseUrl, ...command);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(errors).toMatch(/^\nWrong master key: .* Set SAVEPOINT_MASTER_KEY to the key .*\.\n$/);
    expect(await contents()).toEqual(before);
  });
});
