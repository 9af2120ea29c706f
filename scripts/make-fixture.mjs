// Writes server/test/fixtures/database-1.0.sql: a small database as this build makes it, with its schema and all of its rows.
// server/test/platform/db/upgrade.test.ts loads it into an empty database, migrates it and uses it. See "Migrations" in CONTRIBUTING.md.
//
//   npm run build && node scripts/make-fixture.mjs
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext } from '../server/dist/app/context.js';
import { DEMO_DOCUMENT } from '../server/dist/app/demo-document.js';
import { DEMO, seedDemoStudio } from '../server/dist/app/demo-studio.js';
import { buildPlayerApp } from '../server/dist/app/player-app.js';
import { ensureEventPartitions } from '../server/dist/core/events/storage/event-partitions.js';
import { publishConfig } from '../server/dist/liveops/configs/publish.js';
import { migrate } from '../server/dist/platform/db/migrate.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { startEmbeddedPostgres } from '../server/dist/platform/embedded-postgres/embedded-postgres.js';
import { generateMasterKey, parseMasterKeys } from '../server/dist/platform/security/master-keys.js';
import { readSettings } from '../server/dist/platform/settings/settings.js';
import { createLogger } from '../server/dist/platform/telemetry/logger.js';
import { ensureSigningKey } from '../server/dist/studio/sessions/signing-key-changes.js';
import { dumpSchema, listTables } from './dump-schema.mjs';

const FILE = fileURLToPath(new URL('../server/test/fixtures/database-1.0.sql', import.meta.url));
/** The instant at which everything in the fixture happens. */
const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;

const dataDir = await mkdtemp(join(tmpdir(), 'savepoint-fixture-'));
const server = await startEmbeddedPostgres({ dataDir, say: () => {}, settings: { fsync: 'off' } });
try {
  const masterKey = generateMasterKey();
  const facts = await fill(server.url, masterKey);
  const sql = await withPool(server.url, (pool) => dump(pool, facts));
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, sql);
  console.log(`Wrote ${FILE}: ${Math.round(sql.length / 1024)} KB`);
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Plays some minutes of the demo game, and returns what the test has to know about them. */
async function fill(databaseUrl, masterKey) {
  const masterKeys = parseMasterKeys(masterKey).keys;
  await migrate(databaseUrl, () => {});
  await withPool(databaseUrl, async (pool) => {
    await ensureEventPartitions(pool, NOW_MS);
    await ensureSigningKey(pool, masterKeys, NOW_MS - HOUR_MS);
    await seedDemoStudio(pool, masterKeys, NOW_MS - HOUR_MS);
    const { rows } = await pool.query('select id from games');
    const document = { ...DEMO_DOCUMENT, store: { ...DEMO_DOCUMENT.store, largestDiscountPercent: '50' } };
    const actor = { name: 'Ada', nowMs: NOW_MS - HOUR_MS / 2 };
    await publishConfig(pool, { gameId: rows[0].id, document, note: 'Smaller discounts' }, actor);
  });
  const { settings } = readSettings({ SAVEPOINT_ENV: 'development' }, { tty: false });
  const logger = createLogger({ logLevel: 'silent', logPretty: false });
  const ctx = await createContext({
    settings,
    databaseUrl,
    masterKeys,
    logger,
    clock: { now: () => NOW_MS },
  });
  const app = await buildPlayerApp(ctx);
  try {
    const payer = await logIn(app, 'device-payer');
    const plain = await logIn(app, 'device-plain');
    const sent = payerEvents();
    await send(app, payer, sent);
    await send(app, payer, numberedEvents(), { 'x-install-id': 'phone', 'x-client-build': '1.0' });
    await send(app, plain, [event('Ad_Impression', 1, { adId: 'ad-1' }), { eventType: 'Purchase' }]);
    const { userId, deviceId, refreshToken } = payer;
    return { masterKey, atMs: NOW_MS, userId, deviceId, refreshToken, sent };
  } finally {
    await app.close();
    await ctx.dispose();
  }
}

function event(eventType, minute, payload, more = {}) {
  const timestamp = new Date(NOW_MS - HOUR_MS + minute * 60_000).toISOString();
  const metadata = { country: 'DE', locale: 'de-DE', osName: 'Android', deviceType: 'phone' };
  return { eventType, timestamp, payload, metadata, ...more };
}

/** Two purchases, one of them refunded: 4.99 USD are left. */
function payerEvents() {
  const bought = (transactionId, price) => ({ transactionId, skuId: 'gems_80', price, currency: 'USD' });
  return [
    event('Session_Start', 1, { sessionId: 's' }),
    event('Purchase', 2, bought('t-1', '4.99'), { eventId: 'bought-1' }),
    event('Purchase', 3, bought('t-2', '0.99')),
    event('Refund', 4, { transactionId: 't-2' }),
    event('Session_End', 20, { sessionId: 's', durationMs: 1_140_000 }),
  ];
}

/** Number 3 is missing. */
function numberedEvents() {
  return [1, 2, 4].map((seq) => event('Level_Complete', 4 + seq, { level: seq }, { seq }));
}

async function logIn(app, deviceId) {
  const timestamp = new Date(NOW_MS).toISOString().replace('.000', '');
  const text = `${DEMO.keyId}|${deviceId}|${timestamp}`;
  const signature = createHmac('sha256', DEMO.secret).update(text).digest('base64');
  const payload = { apiKey: DEMO.keyId, deviceId, timestamp, signature };
  return expectOk(await app.inject({ method: 'POST', url: '/auth/login', payload }));
}

async function send(app, { accessToken, userId, tenantId, gameId }, events, more = {}) {
  const headers = {
    authorization: `Bearer ${accessToken}`,
    'x-tenant-id': tenantId,
    'x-game-id': gameId,
    'x-player-id': userId,
    ...more,
  };
  return expectOk(await app.inject({ method: 'POST', url: '/v1/events', headers, payload: events }));
}

function expectOk(response) {
  if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${response.body}`);
  return response.json();
}

/** SQL that makes the database anew in an empty one. The first line holds the facts as JSON. */
async function dump(pool, facts) {
  const partitions = await pool.query(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relname !~ '_default$'
    order by 1`);
  const rows = [];
  for (const { name, parent } of await listTables(pool))
    if (parent === null) rows.push(await dumpRows(pool, name));
  const sequences = await pool.query(
    'select sequencename as name, last_value as value from pg_sequences where last_value is not null order by 1',
  );
  return [
    `-- ${JSON.stringify(facts)}`,
    '-- A small database of 1.0. Written by `node scripts/make-fixture.mjs`; not made again after its release.',
    await dumpSchema(pool),
    ...partitions.rows.map(
      ({ name, parent, bound }) => `CREATE TABLE ${name} PARTITION OF ${parent} ${bound};`,
    ),
    ...rows.filter((sql) => sql !== ''),
    ...sequences.rows.map(({ name, value }) => `SELECT setval('${name}', ${value});`),
    '',
  ].join('\n');
}

async function dumpRows(pool, table) {
  const { rows: columns } = await pool.query(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const literals = names.map((name) => `quote_nullable(${name}::text)`).join(", ', ', ");
  const { rows } = await pool.query(
    `select concat(${literals}) as row from ${table} order by tableoid, ctid`,
  );
  if (rows.length === 0) return '';
  const values = rows.map(({ row }) => `(${row})`).join(',\n');
  return `INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE VALUES\n${values};`;
}

async function withPool(url, work) {
  const pool = createPool({ url, size: 1, timeoutMs: 60_000, onError: () => {} });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
