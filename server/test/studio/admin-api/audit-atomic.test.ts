import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { retireEventType } from '../../../src/core/events/types/event-type-queries.js';
import { createRegistries } from '../../../src/core/events/types/registries.js';
import { registerEventType } from '../../../src/insight/event-types/event-types.js';
import { replayFailedEvent } from '../../../src/insight/failed-events/replay.js';
import { discardDraft, findDraft, publishDraft, saveDraft } from '../../../src/liveops/configs/draft.js';
import { publishConfig, rollBackConfig } from '../../../src/liveops/configs/publish.js';
import { clearOverride, setOverride } from '../../../src/liveops/players/overrides.js';
import { clearPin, setPin } from '../../../src/liveops/players/pins.js';
import { runRetention } from '../../../src/operations/lifecycle/retention.js';
import { type Actor, serviceActor } from '../../../src/platform/admin-api/audit-log.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { addMember, resetAccount } from '../../../src/studio/accounts/account-changes.js';
import { findAccountByEmail } from '../../../src/studio/accounts/account-queries.js';
import { invite } from '../../../src/studio/accounts/invitations.js';
import { changeRole, removeMember } from '../../../src/studio/accounts/members.js';
import { createAdminToken, revokeAdminToken } from '../../../src/studio/admin-api/admin-tokens.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import {
  createGame,
  createTenant,
  updateGameSettings,
} from '../../../src/studio/games-and-keys/tenant-changes.js';
import { resealAll } from '../../../src/studio/sessions/reseal-secrets.js';
import { revokeSigningKey, rotateSigningKey } from '../../../src/studio/sessions/signing-key-changes.js';
import { value } from '../../decide/support/fixtures.js';
import { gameDocument, postBytes, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, testActor, testMasterKeys } from '../../support/harness.js';

/** All tables that a change may touch, so that a partial change is noticed. */
const TABLES = [
  'account_recovery_codes',
  'account_sessions',
  'accounts',
  'admin_tokens',
  'api_keys',
  'config_drafts',
  'config_versions',
  'event_types',
  'events',
  'failed_events',
  'flag_overrides',
  'games',
  'invitations',
  'studio_members',
  'player_pins',
  'players',
  'sign_in_links',
  'signing_key_state',
  'signing_keys',
  'tenants',
];

let harness: Harness;
let actor: Actor;
let userId: string;
let gameId: number;
let tenantId: number;
let tokenId: string;
let accountId: string;
let failedId: string;
const masterKey = generateMasterKey();

beforeAll(async () => {
  harness = await createHarness({ masterKey });
  const { pool } = harness;
  actor = testActor(harness.clock.now());
  const session = await harness.login();
  ({ userId } = session);
  const { rows } = await pool.query<{ id: number; tenantId: number }>(
    'select id, tenant_id as "tenantId" from games',
  );
  gameId = rows[0]?.id ?? 0;
  tenantId = rows[0]?.tenantId ?? 0;
  await postBytes(harness.app, session, '[{"eventType":"Late"}]');
  failedId = (await pool.query<{ id: string }>('select id from failed_events')).rows[0]?.id ?? '';
  ({ tokenId } = await createAdminToken(
    pool,
    { tenantId, name: 'a', role: 'owner', expiresAt: null },
    actor,
  ));
  for (const email of ['a@b', 'another-owner@b'])
    await addMember(pool, { email, name: email, role: 'owner', tenantId, linkExpiresAt: 0 }, actor);
  accountId = (await findAccountByEmail(pool, 'a@b'))?.accountId ?? '';
  await registerEventType(pool, { gameId, eventType: 'Known', schemaText: 'true' }, actor);
  await setOverride(
    pool,
    { gameId, userId, flagId: 'isPayer', value: true, reason: 'r', until: null },
    actor,
  );
  // A second version to roll back from, and an edited draft.
  const published = { ...gameDocument([sku('z')]), values: [value('jump_height')] };
  const publication = { gameId, document: published, note: '', confirmPriceRaises: true };
  await publishConfig(pool, publication, actor);
  await setPin(pool, { ...pin, gameId, userId, value: 1 }, actor);
  const draft = { gameId, revision: await revision(), document: gameDocument([sku('a')]) };
  await saveDraft(pool, draft, actor);
  await updateGameSettings(pool, gameId, { retentionDays: 30 }, actor);
  await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no entry today'; end $$`);
});
afterAll(() => harness.close());

beforeEach(async () => {
  await harness.pool.query('drop trigger if exists refuse on audit_log');
});

const pin = { kind: 'value', target: 'jump_height', reason: 'r', until: null } as const;
const revision = async () => (await findDraft(harness.pool, gameId)).revision;

const CHANGES: Record<string, () => Promise<unknown>> = {
  // Before the publications, which take the value away.
  'a pin': () => setPin(harness.pool, { ...pin, gameId, userId, value: 2 }, actor),
  'a pin cleared': () => clearPin(harness.pool, { ...pin, gameId, userId }, actor),
  'a tenant': () => createTenant(harness.pool, { slug: 'new', name: 'New' }, actor),
  'a game': () => createGame(harness.pool, { tenant: 'demo-studio', slug: 'new', name: 'New' }, actor),
  'settings of a game': () =>
    updateGameSettings(harness.pool, gameId, { retentionDays: 60, unregisteredTypes: 'hold' }, actor),
  'a key': () =>
    createApiKey(
      harness.pool,
      harness.masterKeys,
      { tenant: 'demo-studio', game: 'demo-game', environment: 'production', label: '' },
      actor,
    ),
  "a key's successor": () => rotateApiKey(harness.pool, harness.masterKeys, 'dev-key', actor),
  "a key's end": () => revokeApiKey(harness.pool, 'dev-key', { endSessions: true }, actor),
  'an admin token': () =>
    createAdminToken(harness.pool, { tenantId, name: 'b', role: 'viewer', expiresAt: null }, actor),
  "an admin token's end": () => revokeAdminToken(harness.pool, tokenId, actor),
  'a member': () =>
    addMember(harness.pool, { email: 'b@b', name: 'b', role: 'viewer', tenantId, linkExpiresAt: 0 }, actor),
  "a member's role": () => changeRole(harness.pool, { tenantId, accountId }, 'viewer', actor),
  "a member's end": () => removeMember(harness.pool, { tenantId, accountId }, actor),
  'an invitation': () => invite(harness.pool, { tenantId, email: 'c@b', role: 'viewer' }, actor),
  "an account's reset": () => resetAccount(harness.pool, 'a@b', 0, actor),
  'an event type': () =>
    registerEventType(harness.pool, { gameId, eventType: 'New', schemaText: 'true' }, actor),
  "an event type's end": () => retireEventType(harness.pool, gameId, 'Known', actor),
  'a draft': async () =>
    saveDraft(
      harness.pool,
      { gameId, revision: await revision(), document: gameDocument([sku('b')]) },
      actor,
    ),
  'a draft discarded': async () => discardDraft(harness.pool, { gameId, revision: await revision() }, actor),
  'a publication': async () =>
    publishDraft(
      harness.pool,
      { gameId, revision: await revision(), note: '', confirmPriceRaises: true },
      actor,
    ),
  'a roll-back': () =>
    rollBackConfig(harness.pool, { gameId, version: 1, note: '', confirmPriceRaises: true }, actor),
  'an override': () =>
    setOverride(
      harness.pool,
      { gameId, userId, flagId: 'isPayer', value: false, reason: 'r', until: null },
      actor,
    ),
  'an override cleared': () => clearOverride(harness.pool, { gameId, userId, flagId: 'isPayer' }, actor),
  "a signing key's end": () =>
    revokeSigningKey(harness.pool, harness.masterKeys, harness.ctx.signingKeys.current().kid, actor),
  'a signing key': () => rotateSigningKey(harness.pool, harness.masterKeys, actor, { immediately: false }),
  'a master key': () => resealAll(harness.pool, testMasterKeys(`${generateMasterKey()},${masterKey}`), actor),
  retention: () => runRetention(harness.pool, { actor: serviceActor(actor.nowMs) }),
};

async function state(): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const table of TABLES) {
    const { rows } = await harness.pool.query<{ sum: string }>(
      `select coalesce(string_agg(t::text, E'\\n' order by t::text), '') as sum from ${table} t`,
    );
    sums[table] = rows[0]?.sum ?? '';
  }
  return sums;
}

const refuseEntries = () =>
  harness.pool.query(
    'create trigger refuse before insert on audit_log for each row execute function refuse()',
  );

it.each(Object.keys(CHANGES))('%s: nothing is changed without an entry', async (name) => {
  const before = await state();
  await refuseEntries();
  await expect(CHANGES[name]?.()).rejects.toThrow('no entry today');
  expect(await state()).toEqual(before);
});

it('a failed event without an entry is not replayed, and stays open', async () => {
  const before = await state();
  await refuseEntries();
  const tools = {
    pool: harness.pool,
    registries: createRegistries(harness.pool, () => {}),
    receipts: harness.ctx.receipts,
    hashes: harness.ctx.erasureHashes,
  };
  const edited = JSON.stringify({ eventType: 'Late', timestamp: '2026-01-01T00:00:00Z', payload: {} });
  expect(await replayFailedEvent(tools, failedId, { actor, edited })).toMatchObject({ outcome: 'failed' });
  expect(await state()).toEqual(before);
});

it('with entries allowed, each change is made', async () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    const before = await state();
    await change();
    expect(await state(), name).not.toEqual(before);
    // Publishing or saving the same document again would be no change.
    if (name === 'a draft discarded') {
      await saveDraft(
        harness.pool,
        { gameId, revision: await revision(), document: gameDocument([sku('c')]) },
        actor,
      );
    }
  }
});
