// `npm run generate` writes the files that are made from the code and committed, for review and for other tools:
// openapi/*.json from the routes, server/schema.sql from the migrations, docs/settings.md from the settings, the table
// of attributes in docs/personalisation.md from their definitions. With --check nothing is written; the exit code is 1
// when a file is not what the code makes of it.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dumpSchema } from './dump-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
if (!existsSync(join(root, 'server/dist/app/context.js'))) {
  console.error('The service is not built. Run `npm run build` first.');
  process.exit(1);
}
const { adminApiDocument, playerApiDocument } = await import('./api-document.mjs');
const { readSettings } = await import('../server/dist/platform/settings/settings.js');
const { settingTopics } = await import('../server/dist/platform/settings/setting-topics.js');
const { createContext } = await import('../server/dist/app/context.js');
const { startEmbeddedPostgres } = await import(
  '../server/dist/platform/embedded-postgres/embedded-postgres.js'
);
const { migrate } = await import('../server/dist/platform/db/migrate.js');
const { createPool } = await import('../server/dist/platform/db/pool.js');
const { ensureSigningKey } = await import('../server/dist/studio/sessions/signing-key-changes.js');
const { attributeTable } = await import('../server/dist/decide/attributes/attribute-table.js');
const { ATTRIBUTE_REGISTRY } = await import('../server/dist/decide/attributes/attributes.js');
const { createLogger } = await import('../server/dist/platform/telemetry/logger.js');
const { generateMasterKey, parseMasterKeys } = await import(
  '../server/dist/platform/security/master-keys.js'
);

const silent = () => {};

const generated = await generate();
process.exitCode = process.argv.includes('--check') ? await check(generated) : await write(generated);

/** The text of each file by its path. */
async function generate() {
  const dataDir = await mkdtemp(join(tmpdir(), 'savepoint-generate-'));
  const server = await startEmbeddedPostgres({ dataDir, say: silent, settings: { fsync: 'off' } });
  try {
    await migrate(server.url, silent);
    return new Map([
      ...(await openApiJson(server.url)),
      ['server/schema.sql', await schemaSql(server.url)],
      ['docs/personalisation.md', await withAttributes('docs/personalisation.md')],
      ['docs/settings.md', settingsTable()],
    ]);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function openApiJson(databaseUrl) {
  const read = readSettings({ SAVEPOINT_ENV: 'development' }, { tty: false });
  const masterKeys = parseMasterKeys(generateMasterKey()).keys;
  await withPool(databaseUrl, (pool) => ensureSigningKey(pool, masterKeys, Date.now()));
  const logger = createLogger({ logLevel: 'silent', logPretty: false });
  const ctx = await createContext({ settings: read.settings, databaseUrl, masterKeys, logger });
  try {
    return [
      ['openapi/player.json', toText(await playerApiDocument(ctx))],
      ['openapi/admin.json', toText(await adminApiDocument({ ...ctx, databaseUrl }))],
    ];
  } finally {
    await ctx.dispose();
  }
}

function settingsTable() {
  const cell = (text) => text.replaceAll('|', '\\|');
  const tables = settingTopics().flatMap(({ title, settings }) => [
    `## ${title}`,
    '',
    '| variable | what it sets | default |',
    '|---|---|---|',
    ...settings.map(
      ({ name, fallback, description }) => `| \`${name}\` | ${cell(description)} | ${cell(fallback)} |`,
    ),
    '',
  ]);
  return [
    '# Settings',
    '',
    'The service reads these environment variables when it starts. `savepoint doctor` checks them and names misspelt ones.',
    'This page is generated from `server/src/platform/settings/setting-rows.ts` by `npm run generate`.',
    '',
    ...tables,
  ].join('\n');
}

function toText(document) {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The dump, checked: loaded into an empty database, it gives the same dump. */
async function schemaSql(databaseUrl) {
  const dump = await withPool(databaseUrl, async (pool) => {
    await pool.query('create database loaded');
    return dumpSchema(pool);
  });
  const loadedUrl = new URL(databaseUrl);
  loadedUrl.pathname = '/loaded';
  const again = await withPool(loadedUrl.href, async (pool) => {
    await pool.query(dump);
    return dumpSchema(pool);
  });
  if (again !== dump) throw new Error('scripts/dump-schema.mjs: the dump does not load as what was dumped');
  return dump;
}

/** A document with the table of attributes between its two marks. */
async function withAttributes(path) {
  const [begin, end] = ['<!-- attributes: written by `npm run generate` -->', '<!-- end of attributes -->'];
  const text = await readFile(join(root, path), 'utf8');
  const [before, rest, ...more] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined || more.length > 0) {
    throw new Error(`${path} must have the marks "${begin}" and "${end}" once, in this order`);
  }
  return [before, begin, '\n\n', attributeTable(ATTRIBUTE_REGISTRY), '\n\n', end, after].join('');
}

async function withPool(url, work) {
  const pool = createPool({ url, size: 1, timeoutMs: 30_000, onError: silent });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function write(files) {
  for (const [path, text] of files) {
    await writeFile(join(root, path), text);
    console.log(`Wrote ${path}`);
  }
  return 0;
}

async function check(files) {
  const drifted = [];
  for (const [path, text] of files) {
    const committed = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (committed !== text)
      drifted.push([path, committed === undefined ? 'missing' : firstDifference(committed, text)]);
  }
  for (const [path, difference] of drifted)
    console.error(`${path} is not what the code makes of it (${difference}).`);
  if (drifted.length === 0) return 0;
  console.error(
    'Run `npm run generate`, look at the difference, and commit it with the change that made it.',
  );
  return 1;
}

function firstDifference(committed, text) {
  const before = committed.split('\n');
  const after = text.split('\n');
  return `first at line ${after.findIndex((line, index) => line !== before[index]) + 1 || after.length + 1}`;
}
