import { findConfigVersionAt } from '../../src/core/configs/config-queries.js';
import { NO_STORES } from '../../src/core/events/receipts/store-settings.js';
import { publishConfig } from '../../src/liveops/configs/publish.js';
import { findGame } from '../../src/platform/admin-api/tenants.js';
import { codeAt, stepAt } from '../../src/platform/lib/totp.js';
import { experiment, value } from '../decide/support/fixtures.js';
import { fromBase32, PASSWORD, type Person, personOf, signIn } from './account-calls.js';
import { type AdminClient, GAME } from './admin-calls.js';
import { ACCOUNT_KEY, type AuditStep, READS } from './audit-steps.js';
import { gameDocument, postBytes, publish, sku } from './data-calls.js';
import type { Harness } from './harness.js';
import { putInForce, trainedArtefact } from './prediction-models.js';
import { setUnregisteredTypes } from './registry-calls.js';

/** What the steps of routes work with. Ada and Grace are owners of the demo studio. */
export type RouteWorld = Readonly<{ harness: Harness; admin: AdminClient; ada: Person; grace: Person }>;

const skus = (...ids: string[]) => gameDocument(ids.map((id) => sku(id))).catalogue;

/** How to call a route, and what to expect. */
export type RouteCall = {
  path: string;
  body?: unknown;
  status?: number;
  by?: 'owner' | Person;
  actor?: string;
  isStream?: boolean;
};
const SIGNS_IN = 'it changes nothing of the studio';
/** The id of a job that runs: until its node stops, as far as anyone can tell. */
async function runningJob({ harness }: RouteWorld): Promise<string> {
  const { rows } = await harness.pool.query<{ id: string }>(
    `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, heartbeat_at, expires_at)
     select gen_random_uuid(), id, 'training', '{}', 'running', 'Ada', now(), now() + interval '1 hour', now() + interval '1 day'
     from games where slug = 'demo-game'
     returning id`,
  );
  return rows[0]?.id ?? '';
}
const OPENS = 'it says which page is open, for a minute';
const overrides = async ({ harness }: RouteWorld, device: string) =>
  `playerId,flagId,value,reason\n${(await harness.login(device)).userId},isPayer,true,test\n`;
const apiKey = async ({ admin }: RouteWorld) => {
  const { keys } = await admin.ask<{ keys: { apiKey: string; state: string }[] }>(
    'GET',
    `${GAME}/keys`,
    undefined,
    admin.tokens.owner,
  );
  return keys.find(({ state }) => state === 'active')?.apiKey;
};
const invited = async ({ admin }: RouteWorld, email: string) =>
  admin.ask<{ token: string; invitation: { invitationId: string } }>(
    'POST',
    '/invitations',
    { email, role: 'editor' },
    admin.tokens.owner,
    201,
  );
/** The id of an entry that is in the inbox now. */
async function refusedEvent({ harness }: RouteWorld, device: string): Promise<string> {
  await postBytes(harness.app, await harness.login(device), '[{"eventType":"Quest"}]');
  const { rows } = await harness.pool.query<{ id: string }>('select max(id)::text as id from failed_events');
  return rows[0]?.id ?? '';
}
const revision = async ({ admin }: RouteWorld) =>
  (await admin.ask<{ revision: number }>('GET', `${GAME}/draft`)).revision;
const flag = async ({ harness }: RouteWorld) =>
  `${GAME}/players/${(await harness.login('flagged')).userId}/overrides/isPayer`;
/** Of a value that is published for it. */
const pin = async ({ harness }: RouteWorld) => {
  await publish(harness.pool, { ...gameDocument([]), values: [value('jump_height')] }, harness.clock.now());
  return `${GAME}/players/${(await harness.login('pinned')).userId}/pins/value/jump_height`;
};
const notes = async ({ harness }: RouteWorld) =>
  `${GAME}/players/${(await harness.login('noted')).userId}/notes`;
const erasureOf = async ({ harness }: RouteWorld, device: string) =>
  `${GAME}/players/${(await harness.login(device)).userId}/erasure`;
/** A note of the one who calls the routes, an owner by default. */
async function newNote(world: RouteWorld): Promise<string> {
  const { admin } = world;
  const path = await notes(world);
  const { noteId } = await admin.ask<{ noteId: string }>('POST', path, { text: 'test' });
  return `${path}/${noteId}`;
}

/** Every admin route that may change something, in the order in which they are called. */
export const ROUTE_STEPS: Record<string, AuditStep<(world: RouteWorld) => Promise<RouteCall>>> = {
  'POST /sign-in': { reason: SIGNS_IN },
  'POST /sign-in/link': { reason: SIGNS_IN },
  'POST /invitations/show': { reason: READS },
  'POST /account/second-factor': { reason: 'the secret is not in force yet' },
  'POST /games': {
    action: 'game.create',
    target: 'game second-game',
    call: async () => ({ path: '/games', body: { gameId: 'second-game' }, by: 'owner', status: 201 }),
  },
  'PATCH /games/:game': {
    action: 'game.update',
    target: 'game demo-game',
    call: async () => ({ path: GAME, body: { name: 'Renamed' }, by: 'owner' }),
  },
  'PUT /games/:game/stores': {
    action: 'stores.update',
    target: 'store settings',
    call: async () => ({ path: `${GAME}/stores`, body: NO_STORES, by: 'owner' }),
  },
  'POST /games/:game/stores/test': { reason: READS },
  'PUT /games/:game/stores/google-account': {
    action: 'stores.google_account',
    target: 'service account of Google',
    call: async () => ({
      path: `${GAME}/stores/google-account`,
      body: { email: 'savepoint@example.com', privateKey: ACCOUNT_KEY },
      by: 'owner',
    }),
  },
  'DELETE /games/:game/stores/google-account': {
    action: 'stores.google_account',
    target: 'service account of Google',
    call: async () => ({ path: `${GAME}/stores/google-account`, by: 'owner' }),
  },
  'POST /games/:game/stores/google-account/test': { reason: READS },
  'PUT /rates': {
    action: 'reporting.update',
    target: 'exchange rates version 2',
    call: async () => ({ path: '/rates', body: { basedOn: 1, currency: 'EUR', rates: [] } }),
  },
  'PUT /rates/file': {
    action: 'reporting.update',
    target: 'exchange rates version 3',
    call: async () => ({
      path: '/rates/file?basedOn=2',
      body: 'currency,from,rate\nUSD,2026-01-01,0.9\n',
    }),
  },
  'POST /games/:game/keys': {
    action: 'api_key.create',
    target: 'API key sp_live_',
    call: async () => ({ path: `${GAME}/keys`, body: {}, by: 'owner', status: 201 }),
  },
  'POST /games/:game/keys/:apiKey/rotate': {
    action: 'api_key.rotate',
    target: 'API key ',
    call: async (world) => ({
      path: `${GAME}/keys/${await apiKey(world)}/rotate`,
      body: { overlapHours: 1 },
      by: 'owner',
      status: 201,
    }),
  },
  'DELETE /games/:game/keys/:apiKey': {
    action: 'api_key.revoke',
    target: 'API key ',
    call: async (world) => ({ path: `${GAME}/keys/${await apiKey(world)}`, by: 'owner' }),
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
    call: async ({ admin }) => ({
      path: `/admin-tokens/${(await admin.addToken('viewer')).split('_')[2]}`,
      by: 'owner',
    }),
  },
  'PUT /account/password': {
    action: 'account.password',
    target: 'account ',
    call: async ({ grace }) => ({
      path: '/account/password',
      body: { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` },
      by: grace,
      actor: 'Grace',
    }),
  },
  'PUT /account/second-factor': {
    action: 'account.second_factor',
    target: 'account ',
    call: async ({ harness, ada }) => {
      const start = { currentPassword: PASSWORD };
      const { secret } = await ada.ask<{ secret: string }>('POST', '/account/second-factor', start);
      const code = codeAt(fromBase32(secret), stepAt(harness.clock.now()));
      return { path: '/account/second-factor', body: { code }, by: ada, actor: 'Ada' };
    },
  },
  'POST /account/recovery-codes': {
    action: 'account.recovery_codes',
    target: 'account ',
    call: async ({ ada }) => ({
      path: '/account/recovery-codes',
      body: { currentPassword: PASSWORD },
      by: ada,
      actor: 'Ada',
    }),
  },
  'DELETE /account/second-factor': {
    action: 'account.second_factor',
    target: 'account ',
    call: async ({ ada }) => ({
      path: '/account/second-factor',
      body: { currentPassword: PASSWORD },
      by: ada,
      actor: 'Ada',
    }),
  },
  'PUT /members/:accountId': {
    action: 'member.update',
    target: 'member ',
    call: async ({ ada, grace }) => ({
      path: `/members/${grace.accountId}`,
      body: { role: 'viewer' },
      by: ada,
      actor: 'Ada',
    }),
  },
  'DELETE /members/:accountId': {
    action: 'member.remove',
    target: 'member ',
    call: async ({ ada, grace }) => ({ path: `/members/${grace.accountId}`, by: ada, actor: 'Ada' }),
  },
  'POST /invitations': {
    action: 'invitation.create',
    target: 'invitation of joan@studio.example',
    call: async ({ ada }) => ({
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
    call: async (world) => ({
      path: `/invitations/${(await invited(world, 'barbara@studio.example')).invitation.invitationId}`,
      by: 'owner',
    }),
  },
  'POST /invitations/accept': {
    action: 'member.add',
    target: 'member margaret@studio.example',
    call: async (world) => ({
      path: '/invitations/accept',
      body: {
        token: (await invited(world, 'margaret@studio.example')).token,
        name: 'Margaret',
        password: PASSWORD,
      },
      actor: 'Margaret',
    }),
  },
  'DELETE /account/sessions/:sessionId': {
    action: 'account.sign_out',
    target: 'account ',
    call: async ({ admin, ada }) => {
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
    call: async ({ admin, ada }) => {
      personOf(admin, await signIn(admin, ada.email, PASSWORD));
      return { path: '/account/sessions/end-others', by: ada, actor: 'Ada' };
    },
  },
  'POST /sign-out': {
    action: 'account.sign_out',
    target: 'account ',
    call: async ({ ada }) => ({ path: '/sign-out', body: { everywhere: true }, by: ada, actor: 'Ada' }),
  },
  'POST /games/:game/draft/validate': { reason: READS },
  'PUT /games/:game/draft/editors/:windowId': { reason: OPENS },
  'DELETE /games/:game/draft/editors/:windowId': { reason: OPENS },
  'POST /games/:game/dry-run': { reason: READS },
  'POST /games/:game/back-test': { reason: READS },
  'POST /games/:game/funnels': { reason: READS },
  'POST /games/:game/rollups/check': { reason: READS },
  'POST /games/:game/event-files/ask': {
    action: 'event_files.ask',
    target: 'files of events',
    call: async () => ({ path: `${GAME}/event-files/ask`, body: { sql: 'select 1' } }),
  },
  'POST /games/:game/explain': { reason: READS },
  'POST /games/:game/audience': { reason: READS },
  'POST /games/:game/players/:playerId/sessions/revoke': {
    action: 'session.revoke',
    target: 'player ',
    call: async ({ harness }) => ({
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
    call: async (world) => ({ path: `${GAME}/failed-events/${await refusedEvent(world, 'deleted')}` }),
  },
  'DELETE /games/:game/failed-events': {
    action: 'failed_event.delete',
    target: 'failed events ',
    call: async (world) => {
      await refusedEvent(world, 'deleted in a group');
      return { path: `${GAME}/failed-events`, body: { reason: 'timestamp_malformed' } };
    },
  },
  'POST /games/:game/failed-events/:id/replay': {
    action: 'failed_event.replay',
    target: 'failed event ',
    call: async (world) => {
      const event = { eventType: 'Corrected', timestamp: new Date().toISOString(), payload: {} };
      return { path: `${GAME}/failed-events/${await refusedEvent(world, 'one')}/replay`, body: { event } };
    },
  },
  'POST /games/:game/failed-events/replay': {
    action: 'failed_event.replay',
    target: 'failed event ',
    call: async ({ harness }) => {
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
    call: async ({ admin }) => {
      const { exports } = await admin.ask<{ exports: { exportId: string }[] }>('GET', `${GAME}/exports`);
      return { path: `${GAME}/exports/${exports[0]?.exportId}` };
    },
  },
  'DELETE /games/:game/jobs/:jobId': {
    action: 'job.cancel',
    target: 'job ',
    call: async (world) => ({ path: `${GAME}/jobs/${await runningJob(world)}` }),
  },
  'PUT /games/:game/draft': {
    action: 'draft.save',
    target: 'draft ',
    call: async (world) => ({
      path: `${GAME}/draft`,
      body: { revision: await revision(world), document: gameDocument([sku('saved')]) },
    }),
  },
  'DELETE /games/:game/draft': {
    action: 'draft.discard',
    target: 'draft ',
    call: async (world) => ({ path: `${GAME}/draft?revision=${await revision(world)}` }),
  },
  'PUT /games/:game/draft/catalogue': {
    action: 'draft.save',
    target: 'draft ',
    call: async (world) => ({
      path: `${GAME}/draft/catalogue?mode=replace&revision=${await revision(world)}`,
      body: skus('gems_80', 'gems_1200'),
    }),
  },
  'POST /games/:game/draft/publish': {
    action: 'config.publish',
    target: 'version ',
    call: async (world) => ({
      path: `${GAME}/draft/publish`,
      body: { revision: await revision(world), note: 'n', confirmPriceRaises: true },
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
  'POST /games/:game/experiments/:experimentId/sums': {
    reason: 'it only asks for sums that are made daily anyway',
  },
  'POST /games/:game/experiments/:experimentId/end': {
    action: 'config.publish',
    target: 'version ',
    call: async ({ harness }) => {
      const gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
      const { document, version } = await findConfigVersionAt(harness.pool, gameId, harness.clock.now());
      const running = { ...document, experiments: [experiment('ended')] };
      const actor = { name: 'a test', nowMs: harness.clock.now() };
      await publishConfig(harness.pool, { gameId, document: running, note: '', basedOn: version }, actor);
      return { path: `${GAME}/experiments/ended/end`, body: { winner: 'b', note: 'n' }, status: 201 };
    },
  },
  'POST /games/:game/models': {
    action: 'model.train',
    target: 'model ',
    call: async () => ({ path: `${GAME}/models`, status: 201 }),
  },
  'POST /games/:game/models/:model/roll-back': {
    action: 'model.roll_back',
    target: 'model 1',
    call: async ({ harness }) => {
      const gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
      await putInForce(harness.pool, gameId, trainedArtefact(), Date.now());
      return { path: `${GAME}/models/1/roll-back` };
    },
  },
  'POST /games/:game/overrides/import': {
    action: 'override.import',
    target: '1 flags of players',
    call: async (world) => ({
      path: `${GAME}/overrides/import`,
      body: await overrides(world, 'by file'),
      isStream: true,
    }),
  },
  'POST /games/:game/players/:playerId/erasure': {
    action: 'player.erase',
    target: 'player ',
    call: async (world) => ({ path: await erasureOf(world, 'erased'), status: 202 }),
  },
  'DELETE /games/:game/erasures/:erasureId': {
    action: 'player.erase_withdraw',
    target: 'player ',
    call: async (world) => {
      const { harness, admin } = world;
      await harness.pool.query('update games set erasure_wait_days = 7');
      const path = await erasureOf(world, 'withdrawn');
      const { erasureId } = await admin.ask('POST', path, undefined, undefined, 202);
      return { path: `${GAME}/erasures/${erasureId}` };
    },
  },
  'POST /games/:game/players/:playerId/notes': {
    action: 'note.add',
    target: 'player ',
    call: async (world) => ({ path: await notes(world), body: { text: 'test' } }),
  },
  'PUT /games/:game/players/:playerId/notes/:noteId': {
    action: 'note.edit',
    target: 'player ',
    call: async (world) => ({ path: await newNote(world), body: { text: 'other' } }),
  },
  'DELETE /games/:game/players/:playerId/notes/:noteId': {
    action: 'note.delete',
    target: 'player ',
    call: async (world) => ({ path: await newNote(world) }),
  },
  'PUT /games/:game/players/:playerId/overrides/:flagId': {
    action: 'override.set',
    target: 'player ',
    call: async (world) => ({ path: await flag(world), body: { value: true, reason: 'test' } }),
  },
  'DELETE /games/:game/players/:playerId/overrides/:flagId': {
    action: 'override.clear',
    target: 'player ',
    call: async (world) => ({ path: await flag(world) }),
  },
  'PUT /games/:game/players/:playerId/pins/:kind/:target': {
    action: 'pin.set',
    target: 'player ',
    call: async (world) => ({ path: await pin(world), body: { value: 2, reason: 'test' } }),
  },
  'DELETE /games/:game/players/:playerId/pins/:kind/:target': {
    action: 'pin.clear',
    target: 'player ',
    call: async (world) => ({ path: await pin(world) }),
  },
};
