import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerAdminApi } from '../../../src/app/admin-app.js';
import { COMMANDS } from '../../../src/app/bin/commands.js';
import { demoSignInPath } from '../../../src/app/demo-account.js';
import { AUDIT_ACTIONS, type AuditAction } from '../../../src/platform/admin-api/audit-actions.js';
import { addPerson, type Person } from '../../support/account-calls.js';
import { type AdminClient, adminContext, adminRoutes, openAdminClient } from '../../support/admin-calls.js';
import { COMMAND_STEPS } from '../../support/audit-command-steps.js';
import { ROUTE_STEPS } from '../../support/audit-route-steps.js';
import { entriesAfter, lastEntryId } from '../../support/audit-steps.js';
import { folderSettings } from '../../support/event-files.js';
import { createHarness, type Harness } from '../../support/harness.js';

/**
 * Every admin route that changes something leaves one entry in the audit log. A new route has to be added to
 * support/audit-route-steps.ts, a new command to support/audit-command-steps.ts: with its action and how to call it, or with the
 * reason why it leaves none.
 */
const COMMANDS_THAT_READ = /(?:^| )(?:list|show)$/;

let harness: Harness;
let admin: AdminClient;
/** Two owners of the demo studio. */
let ada: Person;
let grace: Person;

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, undefined, [], {
    settings: { ...harness.ctx.settings, eventFiles: folderSettings(tmpdir()) },
  });
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
  grace = await addPerson(harness, admin, 'owner', { name: 'Grace' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

function leaves(command: Command, parents: string): string[] {
  const name = `${parents}${command.name()}`;
  return command.commands.length === 0
    ? [name]
    : command.commands.flatMap((each) => leaves(each, `${name} `));
}

it('knows every command', async () => {
  const all = await Promise.all([...COMMANDS.values()].map((load) => load()));
  const names = all.flatMap((command) => leaves(command, ''));
  const unlisted = names.filter((name) => !COMMANDS_THAT_READ.test(name) && !(name in COMMAND_STEPS));
  expect(unlisted, 'commands that are missing in audit-command-steps.ts').toEqual([]);
  expect(Object.keys(COMMAND_STEPS).filter((name) => !names.includes(name))).toEqual([]);
});

it('knows every admin route that may change something', async () => {
  const app = fastify();
  const names: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      if (each !== 'GET' && each !== 'HEAD') names.push(`${each} ${url.replace('/admin/v1', '')}`);
    }
  });
  await registerAdminApi(app, adminContext(harness), await adminRoutes(harness));
  await app.ready();
  await app.close();
  expect(names.toSorted()).toEqual(Object.keys(ROUTE_STEPS).toSorted());
});

it('knows the command or route of every action', () => {
  const listed = [...Object.values(COMMAND_STEPS), ...Object.values(ROUTE_STEPS)].flatMap((step) =>
    'action' in step ? [step.action] : [],
  );
  // The service does the first ones itself. The others are by a sign-in, a GET and a simulation, which needs a service: see
  // recovery-codes.test.ts, export-jobs.test.ts and leave-past.test.ts.
  const byItself: AuditAction[] = ['signing_key.create', 'model.grade', 'account.link', 'purchase.move'];
  const elsewhere: AuditAction[] = ['account.recovery_code_used', 'export.download', 'simulation.past'];
  expect([...new Set([...listed, ...byItself, ...elsewhere])].toSorted()).toEqual(
    Object.keys(AUDIT_ACTIONS).toSorted(),
  );
});

it('the changes of the first start are in the log', async () => {
  expect(await entriesAfter(harness.pool, '0')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'signing_key.create', tenant: null, actor: 'savepoint' }),
      expect.objectContaining({ action: 'tenant.create', tenant: 'demo-studio', actor: 'savepoint' }),
      expect.objectContaining({ action: 'game.create', tenant: 'demo-studio', actor: 'savepoint' }),
      expect.objectContaining({ action: 'api_key.create', tenant: 'demo-studio', actor: 'savepoint' }),
    ]),
  );
});

it('each start in development writes an entry for its sign-in link, and the first one for its member', async () => {
  const before = await lastEntryId(harness.pool);
  await demoSignInPath(harness.pool, harness.clock.now());
  await demoSignInPath(harness.pool, harness.clock.now());
  expect(await entriesAfter(harness.pool, before)).toMatchObject([
    { action: 'member.add', tenant: 'demo-studio', actor: 'savepoint', target: 'member demo@localhost' },
    { action: 'account.link', tenant: 'demo-studio', actor: 'savepoint', target: 'account demo@localhost' },
  ]);
});

for (const [name, step] of Object.entries(ROUTE_STEPS)) {
  if ('reason' in step) continue;
  it(`${name} leaves one ${step.action}`, async () => {
    const call = await step.call({ harness, admin, ada, grace });
    const { path, body, status, isStream = false, by = 'editor', actor = `${by} of demo-studio` } = call;
    const before = await lastEntryId(harness.pool);
    const method = name.split(' ')[0] as 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    if (isStream) expect((await admin.call(method, path, body)).body).toContain('"result"');
    else if (typeof by === 'string') await admin.ask(method, path, body, admin.tokens[by], status);
    else await by.ask(method, path, body, status);
    expect(await entriesAfter(harness.pool, before)).toEqual([
      {
        id: expect.any(String),
        tenant: 'demo-studio',
        actor,
        action: step.action,
        target: expect.stringContaining(step.target),
      },
    ]);
  });
}
