import { readFile } from 'node:fs/promises';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import { DEMO } from '../../src/app/demo-studio.js';
import { MODULES } from '../../src/app/modules.js';
import { openOperations } from '../../src/app/open-operations.js';
import { buildOpsApp } from '../../src/app/ops-app.js';
import { openPredictions } from '../../src/insight/predictions/operations.js';
import { trainGame } from '../../src/insight/predictions/train-game.js';
import { createDocumentChanges } from '../../src/liveops/configs/document-changes.js';
import { readsOf } from '../../src/platform/db/reads.js';
import { createPasswords } from '../../src/platform/security/passwords.js';
import { createAdminMetrics } from '../../src/platform/telemetry/metrics.js';
import type { AdminContext } from '../../src/studio/admin-api/admin-context.js';
import { createAdminToken } from '../../src/studio/admin-api/admin-tokens.js';
import type { Role } from '../../src/studio/admin-api/roles.js';
import { createJobs } from '../../src/studio/jobs/jobs.js';
import type { AdminRoutes, Module, OperationsContext } from '../../src/studio/module-type.js';
import type { Harness } from './harness.js';

/** The second listener on the database of a harness, and a client of its admin API. */
export type AdminClient = {
  app: FastifyInstance;
  /** Tokens of the demo studio. */
  tokens: Readonly<Record<Role, string>>;
  /** Sends a request as JSON, or a text as CSV, by default with the editor's token. `token: null` sends none. */
  call(method: Method, path: string, body?: unknown, token?: string | null): Promise<LightMyRequestResponse>;
  /** The data of a response that must be a success. */
  ask<T = Record<string, unknown>>(
    method: Method,
    path: string,
    body?: unknown,
    token?: string,
    status?: number,
  ): Promise<T>;
  addToken(role: Role, options?: { tenant?: string; name?: string; expiresAt?: number }): Promise<string>;
  close(): Promise<void>;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The path of the demo game. */
export const GAME = `/games/${DEMO.game}`;

/** Parameters for cheap hashes. */
export const CHEAP_HASHES = { logN: 4, r: 1, p: 1 };

/** The context of the admin API, on the database of a harness. */
export function adminContext(
  { pool, clock, databaseUrl, masterKeys }: Harness,
  logger: Logger = pino({ level: 'silent' }),
): AdminContext {
  return {
    pool,
    reads: readsOf(pool),
    clock,
    databaseUrl,
    masterKeys,
    logger,
    metrics: createAdminMetrics(),
    environment: 'development',
    passwords: createPasswords(CHEAP_HASHES),
    jobs: createJobs({ pool, clock, logger }),
    documentChanges: createDocumentChanges(),
    warnings: async () => [],
  };
}

/** The context of the parts of modules, on the database of a harness, without files of events. */
export function operationsContext(harness: Harness): OperationsContext {
  const { settings, deviceHashes, signingKeys, erasureHashes } = harness.ctx;
  return {
    ...adminContext(harness),
    ...{ databaseDir: undefined, apple: undefined, deviceHashes, signingKeys, erasureHashes },
    settings: { ...settings, eventFiles: undefined },
  };
}

/** The routes of all modules, on the database of a harness. */
export async function adminRoutes(
  harness: Harness,
  overrides: Partial<OperationsContext> = {},
  modules: readonly Module[] = [],
): Promise<readonly AdminRoutes[]> {
  const ctx = { ...operationsContext(harness), ...overrides };
  const replaced = new Map([TRAINS_HERE, ...modules].map((module) => [module.name, module]));
  const all = MODULES.map((module) => replaced.get(module.name) ?? module);
  return (await openOperations(all, ctx)).adminRoutes;
}

/** Trains in this process; the service trains in a thread. */
const TRAINS_HERE: Module = {
  name: 'predictions',
  operations: async () => (ctx) =>
    openPredictions(ctx, async (training, run) => {
      const trained = await trainGame(ctx.pool, { ...training, signal: run?.signal, onProgress: run?.tell });
      return trained.outcome === 'trained' ? trained : { outcome: 'busy' };
    }),
};

/** `modules` take the place of those of the same names. */
export async function openAdminClient(
  harness: Harness,
  logger: Logger = pino({ level: 'silent' }),
  allowedHosts: readonly string[] = [],
  overrides: Partial<OperationsContext> & { trustProxy?: boolean; modules?: readonly Module[] } = {},
): Promise<AdminClient> {
  const { pool, clock } = harness;
  const { trustProxy = false, modules, ...others } = overrides;
  const admin = { ...adminContext(harness, logger), ...others };
  const { metrics } = admin;
  const app = await buildOpsApp({
    logger,
    admin,
    adminRoutes: await adminRoutes(harness, admin, modules),
    allowedHosts,
    trustProxy,
    demoKey: DEMO,
    playerUrl: async (host) => `http://${host}:8080`,
    readiness: async () => ({ ready: true, checks: {} }),
    metrics: async () => ({ contentType: 'text/plain', text: await metrics.registry.metrics() }),
    apiDocument: async (api) =>
      JSON.parse(await readFile(new URL(`../../../openapi/${api}.json`, import.meta.url), 'utf8')),
  });
  const addToken: AdminClient['addToken'] = async (role, { tenant = DEMO.tenant, name, expiresAt } = {}) => {
    const { rows } = await pool.query<{ id: number }>('select id from tenants where slug = $1', [tenant]);
    const tenantId = rows[0]?.id;
    if (tenantId === undefined) throw new Error(`there is no tenant ${tenant}`);
    const created = await createAdminToken(
      pool,
      { tenantId, name: name ?? `${role} of ${tenant}`, role, expiresAt: expiresAt ?? null },
      { name: 'test', nowMs: clock.now() },
    );
    return created.token;
  };
  const tokens = {
    viewer: await addToken('viewer'),
    editor: await addToken('editor'),
    owner: await addToken('owner'),
  };
  const call: AdminClient['call'] = (method, path, body, token = tokens.editor) =>
    app.inject({
      method,
      url: `/admin/v1${path}`,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(typeof body === 'string' ? { 'content-type': 'text/csv' } : {}),
      },
      ...(body === undefined ? {} : { payload: body as object }),
    });
  return {
    app,
    tokens,
    call,
    async ask<T>(method: Method, path: string, body?: unknown, token?: string, status = 200): Promise<T> {
      let response = await call(method, path, body, token);
      // On a busy machine a count takes longer than a request waits for it. A client is told to ask again.
      while (status === 200 && response.statusCode === 429 && response.json().error.code === 'busy')
        response = await call(method, path, body, token);
      expect(response.statusCode, response.body).toBe(status);
      const { data, ...rest } = response.json();
      expect(rest).toEqual({ status: 'success' });
      return data as T;
    },
    addToken,
    close: () => app.close(),
  };
}
