import type { Command } from 'commander';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerAdminApi } from '../../../src/app/admin-app.js';
import { demoSignInPath } from '../../../src/app/demo-account.js';
import { COMMANDS } from '../../../src/bin/commands.js';
import { AUDIT_ACTIONS, type AuditAction } from '../../../src/features/studios/audit-actions.js';
import { findGame } from '../../../src/features/studios/tenants.js';
import { codeAt, stepAt } from '../../../src/lib/totp.js';
import {
  addPerson,
  fromBase32,
  PASSWORD,
  type Person,
  personOf,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, adminContext, GAME, openAdminClient } from '../../support/admin-calls.js';
import { COMMAND_STEPS } from '../../support/audit-command-steps.js';
import { type AuditStep, entriesAfter, lastEntryId, READS } from '../../support/audit-steps.js';
import { gameDocument, postBytes, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { putInForce, trainedArtefact } from '../../support/prediction-models.js';
import { setUnregisteredTypes } from '../../support/registry-calls.js';

/**
 * Every admin route that changes something, with the one entry that it leaves in the audit log. A new route has to be added here, a
 * new command to support/audit-command-steps.ts: with its action and how to call it, or with the reason why it leaves none.
 */
const COMMANDS_THAT_READ = /(?:^| )(?:list|show)$/;

let harness: Harness;
let admin: AdminClient;
/** An owner of the demo studio, and another one. */
let ada: Person;
let grace: Person;

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
  grace = await addPerson(harness, admin, 'owner', { name: 'Grace' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const skus = (...ids: string[]) => gameDocument(ids.map((id) => sku(id))).catalogue;

type Call = {
  path: string;
  body?: unknown;
  status?: number;
  by?: 'owner' | Person;
  actor?: string;
  isStream?: boolean;
};
const SIGNS_IN = 'it changes nothing of the studio';
const overrides = async (device: string) =>
  `playerId,flagId,value,reason\n${(await harness.login(device)).userId},isPayer,true,test\n`;
const apiKey = async () => {
  const { keys } = await admin.ask<{ keys: { apiKey: string; state: string }[] }>(
    'GET',
    `${GAME}/keys`,
    undefined,
    admin.tokens.owner,
  );
  return keys.find(({ state }) => state === 'active')?.apiKey;
};
const invited = async (email: string) =>
  admin.ask<{ token: string; invitation: { invitationId: string } }>(
    'POST',
    '/invitations',
    { email, role: 'editor' },
    admin.tokens.owner,
    201,
  );
/** The id of an entry that is in the inbox now. */
async function refusedEvent(device: string): Promise<string> {
  await postBytes(harness.app, await harness.login(device), '[{"eventType":"Quest"}]');
  const { rows } = await harness.pool.query<{ id: string }>('select max(id)::text as id from failed_events');
  return rows[0]?.id ?? '';
}
const revision = async () => (await admin.ask<{ revision: number }>('GET', `${GAME}/draft`)).revision;
const flag = async () => `${GAME}/players/${(await harness.login('flagged')).userId}/overrides/isPayer`;

const ROUTE_STEPS: Record<string, AuditStep<() => Promise<Call>>> = {
  'POST /sign-in': { reason: SIGNS_IN },
  'POST /sign-in/link': { reason: SIGNS_IN },
  'POST /invitations/show': { reason: READS },
  'POST /account/second-factor': { reason: 'the secret is not in force yet' },
  'PATCH /games/:game': {
    action: 'game.update',
    target: 'game demo-game',
    call: async () => ({ path: GAME, body: { name: 'Renamed' }, by: 'owner' }),
  },
  'POST /games/:game/keys': {
    action: 'api_key.create',
    target: 'API key sp_live_',
    call: async () => ({ path: `${GAME}/keys`, body: {}, by: 'owner', status: 201 }),
  },
  'POST /games/:game/keys/:apiKey/rotate': {
    action: 'api_key.rotate',
    target: 'API key ',
    call: async () => ({
      path: `${GAME}/keys/${await apiKey()}/rotate`,
      body: { overlapHours: 1 },
      by: 'owner',
      status: 201,
    }),
  },
  'DELETE /games/:game/keys/:apiKey': {
    action: 'api_key.revoke',
    target: 'API key ',
    call: async () => ({ path: `${GAME}/keys/${await apiKey()}`, by: 'owner' }),
  },
  'POST /admin-tokens': {
    action: 'admin_token.create',
    target: 'admin token ',
    call: async () => ({
      path: '/admin-tokens',
      body: { name: 'x', role: 'viewer' },
      by: 'owner',
      status: 201,
    }),
  },
  'DELETE /admin-tokens/:tokenId': {
    action: 'admin_token.revoke',
    target: 'admin token ',
    call: async () => ({
      path: `/admin-tokens/${(await admin.addToken('viewer')).split('_')[2]}`,
      by: 'owner',
    }),
  },
  'PUT /account/password': {
    action: 'account.password',
    target: 'account ',
    call: async () => ({
      path: '/account/password',
      body: { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` },
      by: grace,
      actor: 'Grace',
    }),
  },
  'PUT /account/second-factor': {
    action: 'account.second_factor',
    target: 'account ',
    call: async () => {
      const start = { currentPassword: PASSWORD };
      const { secret } = await ada.ask<{ secret: string }>('POST', '/account/second-factor', start);
      const code = codeAt(fromBase32(secret), stepAt(harness.clock.now()));
      return { path: '/account/second-factor', body: { code }, by: ada, actor: 'Ada' };
    },
  },
  'DELETE /account/second-factor': {
    action: 'account.second_factor',
    target: 'account ',
    call: async () => ({
      path: '/account/second-factor',
      body: { currentPassword: PASSWORD },
      by: ada,
      actor: 'Ada',
    }),
  },
  'PUT /members/:accountId': {
    action: 'member.update',
    target: 'member ',
    call: async () => ({
      path: `/members/${grace.accountId}`,
      body: { role: 'viewer' },
      by: ada,
      actor: 'Ada',
    }),
  },
  'DELETE /members/:accountId': {
    action: 'member.remove',
    target: 'member ',
    call: async () => ({ path: `/members/${grace.accountId}`, by: ada, actor: 'Ada' }),
  },
  'POST /invitations': {
    action: 'invitation.create',
    target: 'invitation of joan@studio.example',
    call: async () => ({
      path: '/invitations',
      body: { email: 'joan@studio.example', role: 'editor' },
      by: ada,
      actor: 'Ada',
      status: 201,
    }),
  },
  'DELETE /invitations/:invitation': {
    action: 'invitation.revoke',
    target: 'invitation of ',
    call: async () => ({
      path: `/invitations/${(await invited('barbara@studio.example')).invitation.invitationId}`,
      by: 'owner',
    }),
  },
  'POST /invitations/accept': {
    action: 'member.add',
    target: 'member margaret@studio.example',
    call: async () => ({
      path: '/invitations/accept',
      body: {
        token: (await invited('margaret@studio.example')).token,
        name: 'Margaret',
        password: PASSWORD,
      },
      actor: 'Margaret',
    }),
  },
  'DELETE /account/sessions/:sessionId': {
    action: 'account.sign_out',
    target: 'account ',
    call: async () => {
      personOf(admin, await signIn(admin, ada.email, PASSWORD));
      const { sessions } = await ada.ask<{ sessions: { sessionId: string; isCurrent: boolean }[] }>(
        'GET',
        '/account/sessions',
      );
      const other = sessions.find(({ isCurrent }) => !isCurrent);
      return { path: `/account/sessions/${other?.sessionId}`, by: ada, actor: 'Ada' };
    },
  },
  'POST /account/sessions/end-others': {
    action: 'account.sign_out',
    target: 'account ',
    call: async () => {
      personOf(admin, await signIn(admin, ada.email, PASSWORD));
      return { path: '/account/sessions/end-others', by: ada, actor: 'Ada' };
    },
  },
  'POST /sign-out': {
    action: 'account.sign_out',
    target: 'account ',
    call: async () => ({ path: '/sign-out', body: { everywhere: true }, by: ada, actor: 'Ada' }),
  },
  'POST /games/:game/draft/validate': { reason: READS },
  'POST /games/:game/dry-run': { reason: READS },
  'POST /games/:game/explain': { reason: READS },
  'POST /games/:game/audience': { reason: READS },
  'POST /games/:game/players/:playerId/sessions/revoke': {
    action: 'session.revoke',
    target: 'player ',
    call: async () => ({
      path: `${GAME}/players/${(await harness.login('revoked')).userId}/sessions/revoke`,
    }),
  },
  'PUT /games/:game/catalogue/pictures': {
    action: 'picture.set',
    target: 'SKU gems_80',
    call: async () => ({
      path: `${GAME}/catalogue/pictures?skuId=gems_80`,
      body: { content: Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64') },
    }),
  },
  'DELETE /games/:game/catalogue/pictures': {
    action: 'picture.delete',
    target: 'SKU gems_80',
    call: async () => ({ path: `${GAME}/catalogue/pictures?skuId=gems_80` }),
  },
  'PUT /games/:game/event-types/schema': {
    action: 'event_type.register',
    target: 'event type Level',
    call: async () => ({ path: `${GAME}/event-types/schema?eventType=Level`, body: { schema: {} } }),
  },
  'DELETE /games/:game/event-types/schema': {
    action: 'event_type.retire',
    target: 'event type Level',
    call: async () => ({ path: `${GAME}/event-types/schema?eventType=Level` }),
  },
  'DELETE /games/:game/failed-events/:id': {
    action: 'failed_event.delete',
    target: 'failed event ',
    call: async () => ({ path: `${GAME}/failed-events/${await refusedEvent('deleted')}` }),
  },
  'DELETE /games/:game/failed-events': {
    action: 'failed_event.delete',
    target: 'failed events ',
    call: async () => {
      await refusedEvent('deleted in a group');
      return { path: `${GAME}/failed-events`, body: { reason: 'timestamp_malformed' } };
    },
  },
  'POST /games/:game/failed-events/:id/replay': {
    action: 'failed_event.replay',
    target: 'failed event ',
    call: async () => {
      const event = { eventType: 'Corrected', timestamp: new Date().toISOString(), payload: {} };
      return { path: `${GAME}/failed-events/${await refusedEvent('one')}/replay`, body: { event } };
    },
  },
  'POST /games/:game/failed-events/replay': {
    action: 'failed_event.replay',
    target: 'failed event ',
    call: async () => {
      await setUnregisteredTypes(harness.pool, 'hold');
      const event = { eventType: 'Held', timestamp: new Date().toISOString(), payload: {} };
      await postBytes(harness.app, await harness.login('held'), JSON.stringify([event]));
      await setUnregisteredTypes(harness.pool, 'accept');
      return {
        path: `${GAME}/failed-events/replay`,
        body: { reason: 'event_type_unregistered' },
        isStream: true,
      };
    },
  },
  'POST /games/:game/exports': {
    action: 'export.start',
    target: 'export ',
    call: async () => ({
      path: `${GAME}/exports`,
      body: { from: '2026-01-01', to: '2026-01-02' },
      status: 202,
    }),
  },
  'DELETE /games/:game/exports/:exportId': {
    action: 'export.cancel',
    target: 'export ',
    call: async () => {
      const { exports } = await admin.ask<{ exports: { exportId: string }[] }>('GET', `${GAME}/exports`);
      return { path: `${GAME}/exports/${exports[0]?.exportId}` };
    },
  },
  'PUT /games/:game/draft': {
    action: 'draft.save',
    target: 'draft ',
    call: async () => ({
      path: `${GAME}/draft`,
      body: { revision: await revision(), document: gameDocument([sku('saved')]) },
    }),
  },
  'DELETE /games/:game/draft': {
    action: 'draft.discard',
    target: 'draft ',
    call: async () => ({ path: `${GAME}/draft?revision=${await revision()}` }),
  },
  'PUT /games/:game/draft/catalogue': {
    action: 'draft.save',
    target: 'draft ',
    call: async () => ({
      path: `${GAME}/draft/catalogue?mode=replace&revision=${await revision()}`,
      body: skus('gems_80', 'gems_1200'),
    }),
  },
  'POST /games/:game/draft/publish': {
    action: 'config.publish',
    target: 'version ',
    call: async () => ({
      path: `${GAME}/draft/publish`,
      body: { revision: await revision(), note: 'n', confirmPriceRaises: true },
      status: 201,
    }),
  },
  'POST /games/:game/versions/:version/roll-back': {
    action: 'config.roll_back',
    target: 'version ',
    call: async () => ({
      path: `${GAME}/versions/1/roll-back`,
      body: { note: 'n', confirmPriceRaises: true },
      status: 201,
    }),
  },
  'POST /games/:game/models': {
    action: 'model.train',
    target: 'model ',
    call: async () => ({ path: `${GAME}/models`, status: 201 }),
  },
  'POST /games/:game/models/:model/roll-back': {
    action: 'model.roll_back',
    target: 'model 1',
    call: async () => {
      const gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
      await putInForce(harness.pool, gameId, trainedArtefact(), Date.now());
      return { path: `${GAME}/models/1/roll-back` };
    },
  },
  'POST /games/:game/overrides/import': {
    action: 'override.import',
    target: '1 flags of players',
    call: async () => ({
      path: `${GAME}/overrides/import`,
      body: await overrides('by file'),
      isStream: true,
    }),
  },
  'PUT /games/:game/players/:playerId/overrides/:flagId': {
    action: 'override.set',
    target: 'player ',
    call: async () => ({ path: await flag(), body: { value: true, reason: 'test' } }),
  },
  'DELETE /games/:game/players/:playerId/overrides/:flagId': {
    action: 'override.clear',
    target: 'player ',
    call: async () => ({ path: await flag() }),
  },
};

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
  await registerAdminApi(app, adminContext(harness));
  await app.ready();
  await app.close();
  expect(names.toSorted()).toEqual(Object.keys(ROUTE_STEPS).toSorted());
});

it('knows how every action comes about', () => {
  const listed = [...Object.values(COMMAND_STEPS), ...Object.values(ROUTE_STEPS)].flatMap((step) =>
    'action' in step ? [step.action] : [],
  );
  // The last one by a GET: see export-jobs.test.ts.
  const byItself: AuditAction[] = ['signing_key.create', 'model.grade', 'account.link', 'export.download'];
  expect([...new Set([...listed, ...byItself])].toSorted()).toEqual(Object.keys(AUDIT_ACTIONS).toSorted());
});

it('what the service does at its first start is in the log', async () => {
  expect(await entriesAfter(harness.pool, '0')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'signing_key.create', tenant: null, actor: 'savepoint' }),
      expect.objectContaining({ action: 'tenant.create', tenant: 'demo-studio', actor: 'savepoint' }),
      expect.objectContaining({ action: 'game.create', tenant: 'demo-studio', actor: 'savepoint' }),
      expect.objectContaining({ action: 'api_key.create', tenant: 'demo-studio', actor: 'savepoint' }),
    ]),
  );
});

it('each start in development leaves a sign-in link, and the first one a member', async () => {
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
    const call = await step.call();
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
