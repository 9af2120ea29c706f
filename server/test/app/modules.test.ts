import { Command } from 'commander';
import { type FastifyInstance, fastify } from 'fastify';
import { pino } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerAdminApi } from '../../src/app/admin-app.js';
import { commandsOf } from '../../src/app/bin/commands.js';
import { createContext } from '../../src/app/context.js';
import { ALWAYS, MODULES, OPTIONAL } from '../../src/app/modules.js';
import { openOperations } from '../../src/app/open-operations.js';
import { buildPlayerApp } from '../../src/app/player-app.js';
import { StartupError } from '../../src/platform/lib/startup-error.js';
import { done } from '../../src/platform/lifecycle/maintenance-step.js';
import type { Module } from '../../src/studio/module-type.js';
import { adminContext, operationsContext } from '../support/admin-calls.js';
import { createHarness, type Harness, testSettings } from '../support/harness.js';
import { describeSpecification } from '../support/specification.js';

/** A service without some of its modules, and with one that it does not know. */

let harness: Harness;
let all: Surface;
let bare: Surface;
beforeAll(async () => {
  harness = await createHarness();
  all = await surfaceOf(MODULES);
  bare = await surfaceOf([]);
});
afterAll(() => harness.close());

/** What there is with these modules, by name. */
async function surfaceOf(modules: readonly Module[]) {
  const operations = await openOperations(modules, {
    ...operationsContext(harness),
    settings: harness.ctx.settings,
  });
  const admin = fastify();
  const adminRoutes = routesOf(admin);
  await registerAdminApi(admin, adminContext(harness), operations.adminRoutes);
  await admin.ready();
  await admin.close();
  const ctx = await createContext({
    ...{ settings: testSettings(), databaseUrl: harness.databaseUrl, masterKeys: harness.masterKeys },
    ...{ logger: pino({ level: 'silent' }), clock: harness.clock, modules },
  });
  let playerRoutes: string[] = [];
  const player = await buildPlayerApp(ctx, async (app) => {
    playerRoutes = routesOf(app);
  });
  await player.close();
  await ctx.dispose();
  const metrics = await Promise.all(operations.metrics.map(({ registry }) => registry.metrics()));
  return {
    routes: [...adminRoutes, ...playerRoutes],
    steps: [...operations.steps, ...operations.stepsApart].map(({ name }) => name),
    metrics: metrics.flatMap((text) => [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name)),
    commands: [...commandsOf(modules).keys()],
  };
}

function routesOf(app: FastifyInstance): string[] {
  const found: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') found.push(`${each} ${url}`);
  });
  return found;
}

type Surface = Awaited<ReturnType<typeof surfaceOf>>;

function missing(whole: Surface, some: Surface): string[] {
  const names = Object.keys(whole) as (keyof Surface)[];
  return names.flatMap((name) => whole[name].filter((each) => !some[name].includes(each)));
}

describe.each(OPTIONAL.map((module) => [module.name, module] as const))(
  'without %s',
  {
    tags: ['full'],
  },
  (_name, module) => {
    const others = MODULES.filter((each) => each !== module);

    it('only what it brings is missing', async () => {
      const own = missing(all, await surfaceOf(others));
      expect(own.toSorted()).toEqual(missing(await surfaceOf([module]), bare).toSorted());
      expect(own.length > 0 || module.intake !== undefined).toBe(true);
    });

    describe('the specification holds', () => describeSpecification(others));
  },
);

describe('with none of the optional modules', () => {
  describeSpecification(ALWAYS);

  it('a queue that is asked for is missed at the start', async () => {
    const nats = { servers: ['nats://127.0.0.1:1'] } as never;
    const starting = createContext({
      ...{ settings: { ...testSettings(), nats }, databaseUrl: harness.databaseUrl },
      ...{ masterKeys: harness.masterKeys, logger: pino({ level: 'silent' }), modules: ALWAYS },
    });
    await expect(starting).rejects.toThrow(StartupError);
  });
});

it('a module is one more line in the list', async () => {
  const registry = new Registry();
  new Gauge({ name: 'savepoint_weather', help: 'How warm it is.', registers: [registry] }).set(21);
  const weather: Module = {
    name: 'weather',
    commands: { weather: async () => new Command('weather') },
    operations: async () => () => ({
      adminRoutes: [(app) => app.get('/admin/v1/weather', async () => 'sunny')],
      steps: [{ name: 'forecast_weather', maxMs: 1, run: async () => done({}) }],
      metrics: [{ registry }],
    }),
    worker: async () => () => ({ routes: (app) => void app.get('/v1/weather', async () => 'sunny') }),
  };
  expect(missing(await surfaceOf([...MODULES, weather]), all)).toEqual([
    'GET /admin/v1/weather',
    'GET /v1/weather',
    'forecast_weather',
    'savepoint_weather',
    'weather',
  ]);
});
