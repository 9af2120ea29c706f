import { createHmac } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { type Logger, pino } from 'pino';
import { inject } from 'vitest';
import { type Context, type ContextOptions, createContext } from '../../src/app/context.js';
import { DEMO, seedDemoStudio } from '../../src/app/demo-studio.js';
import { MODULES } from '../../src/app/modules.js';
import { buildPlayerApp } from '../../src/app/player-app.js';
import type { Actor } from '../../src/platform/admin-api/audit-log.js';
import { createPool, type Pool } from '../../src/platform/db/pool.js';
import type { Clock } from '../../src/platform/lib/clock.js';
import { formatSeconds } from '../../src/platform/lib/iso-time.js';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
} from '../../src/platform/security/master-keys.js';
import { readSettings, type Settings } from '../../src/platform/settings/settings.js';
import type { Module } from '../../src/studio/module-type.js';
import { ensureSigningKey } from '../../src/studio/sessions/signing-key-changes.js';
import { createTestDatabase, type TestDatabase } from './database.js';

/** A clock that stands still until a test moves it. Starts at the real time, so that partitions exist. */
export type TestClock = Clock & { advance(ms: number): void; set(ms: number): void };

export function createTestClock(start = Date.now()): TestClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    set: (ms) => {
      now = ms;
    },
  };
}

export type Harness = {
  app: FastifyInstance;
  ctx: Context;
  pool: Pool;
  clock: TestClock;
  databaseUrl: string;
  masterKeys: MasterKeys;
  /** A second node on the same database: its own caches, its own connections. */
  addNode(overrides?: Partial<Settings>, clocks?: Clocks): Promise<{ app: FastifyInstance; ctx: Context }>;
  login(deviceId?: string, node?: FastifyInstance): Promise<Session>;
  close(): Promise<void>;
};

/** A node goes by the clock of the test, or by its own and that of the database; and by the master key of the test, or another one. */
type Clocks = Pick<ContextOptions, 'clock' | 'nodeClock' | 'disk'> &
  Partial<Pick<ContextOptions, 'masterKeys'>>;

export type Session = {
  accessToken: string;
  refreshToken: string;
  userId: string;
  deviceId: string;
  body: Record<string, unknown>;
  /** All headers that a data endpoint needs. */
  headers: Record<string, string>;
};

export type HarnessOptions = {
  settings?: Partial<Settings>;
  logger?: Logger;
  masterKey?: string;
  /** A migrated database; by default one of its own. */
  database?: TestDatabase;
  /** By default all. */
  modules?: readonly Module[];
};

/** The pool also ends transactions that are idle for twice as long: on a busy machine, a test that holds a lock would lose it. */
export const NO_TIMEOUT_MS = 3_600_000;

/** The whole service in this process, on a database of its own with the demo studio in it. Close it in afterAll. */
export async function createHarness(options: HarnessOptions = {}): Promise<Harness> {
  const isPrepared = options.database === undefined && options.masterKey === undefined;
  const database =
    options.database ?? (await createTestDatabase({ template: isPrepared ? 'demo' : 'migrated' }));
  const clock = createTestClock();
  const logger = options.logger ?? pino({ level: 'silent' });
  const masterKeys = testMasterKeys(isPrepared ? inject('demoMasterKey') : options.masterKey);
  const pool = createPool({ url: database.url, size: 3, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
  if (!isPrepared) {
    await ensureSigningKey(pool, masterKeys, clock.now());
    await seedDemoStudio(pool, masterKeys, clock.now());
  }

  const nodes: { app: FastifyInstance; ctx: Context }[] = [];
  const addNode = async (overrides: Partial<Settings> = {}, clocks: Clocks = { clock }) => {
    const settings = { ...testSettings(), ...options.settings, ...overrides };
    const { modules = MODULES } = options;
    const ctx = await createContext({
      ...{ settings, databaseUrl: database.url, masterKeys, logger, modules },
      ...clocks,
    });
    const node = { app: await buildPlayerApp(ctx), ctx };
    nodes.push(node);
    return node;
  };
  const first = await addNode();

  return {
    ...first,
    pool,
    clock,
    masterKeys,
    databaseUrl: database.url,
    addNode,
    login: async (deviceId = 'device-1', node = first.app) => {
      const response = await postLogin(node, signedLogin({ deviceId, nowMs: clock.now() }));
      if (response.statusCode !== 200) throw new Error(`login failed: ${response.body}`);
      return toSession(response.json());
    },
    async close() {
      for (const { app, ctx } of nodes) {
        await app.close();
        await ctx.dispose();
      }
      await pool.end();
      await database.drop();
    },
  };
}

export function testSettings(): Settings {
  const read = readSettings(
    {
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_LOG_LEVEL: 'silent',
      SAVEPOINT_DB_POOL: '6',
      // A busy machine must not decide a test: what overload does is tested with a clock that stands still.
      SAVEPOINT_MAX_WAIT_MS: '60000',
      SAVEPOINT_DB_TIMEOUT_MS: '60000',
    },
    { tty: false },
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.settings;
}

/** Who makes the changes of a test. */
export function testActor(nowMs = Date.now()): Actor {
  return { name: 'test', nowMs };
}

export function testMasterKeys(text = generateMasterKey()): MasterKeys {
  const parsed = parseMasterKeys(text);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.keys;
}

export type LoginBody = { apiKey: string; deviceId: string; timestamp: string; signature: string };

export function sign(secret: string, apiKey: string, deviceId: string, timestamp: string): string {
  return createHmac('sha256', secret).update(`${apiKey}|${deviceId}|${timestamp}`, 'utf8').digest('base64');
}

export function signedLogin(options: {
  deviceId: string;
  nowMs: number;
  apiKey?: string;
  secret?: string;
}): LoginBody {
  const { deviceId, nowMs, apiKey = DEMO.keyId, secret = DEMO.secret } = options;
  const timestamp = formatSeconds(nowMs);
  return { apiKey, deviceId, timestamp, signature: sign(secret, apiKey, deviceId, timestamp) };
}

export function postLogin(app: FastifyInstance, body: unknown): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/auth/login', payload: body as object });
}

export function toSession(body: Record<string, unknown>): Session {
  const { accessToken, refreshToken, userId, deviceId, tenantId, gameId } = body as Record<string, string>;
  return {
    accessToken: String(accessToken),
    refreshToken: String(refreshToken),
    userId: String(userId),
    deviceId: String(deviceId),
    body,
    headers: {
      authorization: `Bearer ${accessToken}`,
      'x-tenant-id': String(tenantId),
      'x-game-id': String(gameId),
      'x-player-id': String(userId),
    },
  };
}

/** An event of the specified kind; `n` makes it different from its siblings. */
export function adImpression(n: number, nowMs: number, extra: Record<string, unknown> = {}) {
  return {
    eventType: 'Ad_Impression',
    timestamp: new Date(nowMs).toISOString(),
    payload: { userId: 'u', sessionId: 's', adId: `ad-${n}`, campaignId: 'c' },
    metadata: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
    ...extra,
  };
}

export function postEvents(
  app: FastifyInstance,
  session: Session,
  events: unknown,
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url: '/v1/events',
    headers: session.headers,
    payload: events as object,
  });
}
