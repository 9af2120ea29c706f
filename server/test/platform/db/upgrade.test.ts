import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Context, createContext } from '../../../src/app/context.js';
import { buildPlayerApp } from '../../../src/app/player-app.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { expectCounts, get, playerAggregates } from '../../support/data-calls.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { findBreaks, readContract, type SchemaContract } from '../../support/expand-only.js';
import {
  adImpression,
  createTestClock,
  postEvents,
  postLogin,
  signedLogin,
  testMasterKeys,
  testSettings,
  toSession,
} from '../../support/harness.js';
import { postRefresh } from '../../support/session-calls.js';

const FIXTURE = new URL('../../fixtures/database-1.0.sql', import.meta.url);
const SCHEMA = new URL('../../../schema.sql', import.meta.url);
const DUMP_SCHEMA = new URL('../../../../scripts/dump-schema.mjs', import.meta.url);
const HOUR_MS = 3_600_000;

/** What scripts/make-fixture.mjs says about the database. */
type Facts = {
  masterKey: string;
  atMs: number;
  userId: string;
  deviceId: string;
  refreshToken: string;
  sent: { timestamp: string }[];
};

describe('a database of 1.0', () => {
  let database: TestDatabase;
  let facts: Facts;
  let ctx: Context;
  let app: FastifyInstance;
  /** Of 1.0. */
  let before: SchemaContract;

  beforeAll(async () => {
    const sql = await readFile(FIXTURE, 'utf8');
    facts = JSON.parse(sql.slice(2, sql.indexOf('\n'))) as Facts;
    database = await createTestDatabase({ template: 'empty' });
    before = await withClient(database.url, async (client) => {
      await client.query(sql);
      return readContract(client);
    });
    await migrate(database.url, () => {});
    ctx = await createContext({
      settings: testSettings(),
      databaseUrl: database.url,
      masterKeys: testMasterKeys(facts.masterKey),
      logger: pino({ level: 'silent' }),
      clock: createTestClock(facts.atMs + HOUR_MS),
    });
    app = await buildPlayerApp(ctx);
  });
  afterAll(async () => {
    await app?.close();
    await ctx?.dispose();
    await database?.drop();
  });

  it('has the schema of this build after its migrations', async () => {
    const { dumpSchema } = (await import(DUMP_SCHEMA.href)) as { dumpSchema(db: unknown): Promise<string> };
    const schema = await dumpSchema(ctx.pool);
    expect(
      schema,
      'A released migration has changed, or this is before 1.0: then run `node scripts/make-fixture.mjs`.',
    ).toBe(await readFile(SCHEMA, 'utf8'));
  });

  it('still has what the statements of 1.0 need: its nodes serve while the database is migrated', async () => {
    const after = await withClient(database.url, readContract);
    expect(before.columns.length).toBeGreaterThan(300);
    expect(
      findBreaks(before, after),
      'Nodes of the release before would fail. Expand now, contract in the next release: see CONTRIBUTING.md.',
    ).toEqual([]);
  });

  it('knows its players, their sessions, purchases and events', async () => {
    expect((await postRefresh(app, facts.refreshToken)).statusCode).toBe(200);
    const response = await postLogin(
      app,
      signedLogin({ deviceId: facts.deviceId, nowMs: facts.atMs + HOUR_MS }),
    );
    const session = toSession(response.json());
    expect(session.userId).toBe(facts.userId);

    const status = (await get(app, '/v1/player/status', session)).json();
    expect(status.isPayer.value).toBe(true);
    const store = (await get(app, '/v1/player/store_configs', session)).json();
    expect(JSON.stringify(store)).toContain('thank-you');

    expectCounts(await postEvents(app, session, facts.sent), { accepted: 0, duplicates: facts.sent.length });
    const added = adImpression(1, facts.atMs + HOUR_MS);
    expectCounts(await postEvents(app, session, [added]), { accepted: 1, duplicates: 0 });
    expect(await playerAggregates(ctx.pool, facts.userId)).toMatchObject({
      event_count: String(facts.sent.length + 3 + 1),
      purchase_count: 1,
      spend: '{"USD": 4.99}',
    });
    const { rows } = await ctx.pool.query<{ id: number }>('select id from games');
    expect(await recountGame(ctx.pool, rows[0]?.id ?? 0)).toMatchObject({
      events: facts.sent.length + 3 + 1 + 1,
      players: 2,
      differences: [],
    });
  });
});

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

describe('the comparison of two schemas', () => {
  const column = { name: 'players.id', type: 'bigint', isRequired: true, hasDefault: false };
  const contract = {
    columns: [column, { name: 'players.note', type: 'text', isRequired: false, hasDefault: false }],
    keys: ['players (id)'],
    routines: ['f(integer) returns text'],
  };

  it('has nothing against new tables, columns with a default, keys and functions', () => {
    const more = {
      columns: [
        ...contract.columns,
        { name: 'players.added', type: 'text', isRequired: false, hasDefault: false },
        { name: 'players.counted', type: 'integer', isRequired: true, hasDefault: true },
        { name: 'guilds.id', type: 'bigint', isRequired: true, hasDefault: false },
      ],
      keys: [...contract.keys, 'guilds (id)'],
      routines: [...contract.routines, 'g() returns void'],
    };
    expect(findBreaks(contract, more)).toEqual([]);
  });

  it('names what is gone, has another type or must be given', () => {
    const less = {
      columns: [
        { ...column, type: 'uuid' },
        { name: 'players.added', type: 'text', isRequired: true, hasDefault: false },
      ],
      keys: [],
      routines: ['f(bigint) returns text'],
    };
    expect(findBreaks(contract, less)).toEqual([
      'players.id was bigint and is uuid',
      'players.note is gone',
      'players.added must be given',
      'the key of players (id) is gone',
      'f(integer) returns text is gone',
    ]);
  });
});
