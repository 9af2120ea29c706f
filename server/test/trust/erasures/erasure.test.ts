import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { PLAYER_TABLES } from '../../../src/platform/db/player-tables.js';
import { erasedName } from '../../../src/platform/security/erasure-hashes.js';
import { updateGameSettings } from '../../../src/studio/games-and-keys/tenant-changes.js';
import { RECEIPT_TYPE } from '../../../src/trust/erasures/receipt.js';
import { requestErasures, withdrawErasure } from '../../../src/trust/erasures/request-erasure.js';
import { TABLE_ERASURES } from '../../../src/trust/erasures/table-erasures.js';
import { applyNotification } from '../../../src/trust/stores/apply-notification.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { get } from '../../support/data-calls.js';
import { erase, playerIdOf, requestDeletion, tablesNaming } from '../../support/erasure-calls.js';
import { recordsOf } from '../../support/event-records.js';
import { addExportedPlayer } from '../../support/exported-player.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
  testActor,
} from '../../support/harness.js';
import { addStudio, expectDead } from '../../support/session-calls.js';

/** Steps before which the recount is run: it takes a while. */
const CHECKED_BEFORE = ['event_blocks', 'transactions', 'player_days', 'finish'];
const DAY_MS = 86_400_000;
const STATUS = '/v1/player/status';

let harness: Harness;
let admin: AdminClient;
let gameId: number;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const addPlayer = (name: string) =>
  addExportedPlayer(harness, admin, `device-of-${name}`, `install-of-${name}`);
/** What `addExportedPlayer` gives the player. */
const idsOf = ({ userId }: Session, name: string) => [userId, `device-of-${name}`, `install-of-${name}`];
const differences = async () => (await recountGame(harness.pool, gameId)).differences;
const setWaitDays = (erasureWaitDays: number) =>
  updateGameSettings(harness.pool, gameId, { erasureWaitDays }, testActor());
const erasureOf = async (erasureId: string) =>
  (await harness.pool.query('select * from erasures where id = $1', [erasureId])).rows[0];

/** Erases a player, with an export of a day that begins this many days ago, and another. */
async function expectExpired(session: Session, daysAgo: { kept: number; expired: number }): Promise<void> {
  const now = harness.clock.now();
  const exportOf = (days: number) => {
    const [from, to] = [days, days - 1].map((n) => new Date(now - n * DAY_MS).toISOString());
    return admin.ask<{ exportId: string }>('POST', `${GAME}/exports`, { from, to }, undefined, 202);
  };
  const [kept, expired] = [await exportOf(daysAgo.kept), await exportOf(daysAgo.expired)];
  await requestDeletion(harness, session);
  expect((await erase(harness)).erased).toBe(1);
  const stateOf = async ({ exportId }: { exportId: string }) =>
    (await harness.pool.query('select state from export_jobs where id = $1', [exportId])).rows[0]?.state;
  // An expired export may be deleted already.
  expect([await stateOf(kept), (await stateOf(expired)) ?? 'cancelled']).toEqual(['waiting', 'cancelled']);
  await admin.ask('DELETE', `${GAME}/exports/${kept.exportId}`);
}

it('says of every table of a player how it is erased', () => {
  expect(Object.keys(TABLE_ERASURES).toSorted()).toEqual(PLAYER_TABLES.map(({ name }) => name).toSorted());
});

describe('DELETE /v1/player', () => {
  it('ends every session on every node, and makes the next login a new player', async () => {
    const { app } = await harness.addNode();
    const session = await harness.login('phone');
    const other = await harness.login('tablet');
    const response = await requestDeletion(harness, session);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({
      status: 'success',
      data: { erasureId: expect.any(String), dueAt: new Date(harness.clock.now()).toISOString() },
    });
    for (const node of [harness.app, app]) {
      await expectDead(node, session);
      expect((await postEvents(node, session, [adImpression(1, harness.clock.now())])).statusCode).toBe(401);
    }
    expect((await requestDeletion(harness, session)).statusCode).toBe(401);
    expect((await get(app, STATUS, other)).statusCode).toBe(200);
    const again = await harness.login('phone', app);
    expect(again.userId).not.toBe(session.userId);
    expect((await erase(harness)).erased).toBe(1);
    expect((await get(app, STATUS, again)).statusCode).toBe(200);
  });

  it('needs the token of the player', async () => {
    const session = await harness.login('needs-token');
    const headers = { ...session.headers, 'x-player-id': '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a' };
    expect((await requestDeletion(harness, { ...session, headers })).statusCode).toBe(403);
    expect((await harness.app.inject({ method: 'DELETE', url: '/v1/player' })).statusCode).toBe(401);
    expect((await get(harness.app, STATUS, session)).statusCode).toBe(200);
  });
});

describe('an erasure', () => {
  it('leaves no id of the player anywhere, and everything of others', async () => {
    const { pool, clock } = harness;
    const [session, other] = [await addPlayer('erased'), await addPlayer('kept')];
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const foreign = await studio.login('device-of-erased');
    const playerId = await playerIdOf(harness, session);
    await addTraces(session, playerId, other);
    const ids = [...idsOf(session, 'erased'), 't-device-of-erased', `o'erased`];
    const asked = await askAbout([...ids, await keyOf(playerId)], other);
    ids.push(await keyOf(playerId), `o''erased`);
    const tables = await tablesNaming(harness, ids, playerId);
    for (const { name } of PLAYER_TABLES.filter((table) => !table.isPartitioned && table.name !== 'erasures'))
      expect(tables).toContain(name);
    const before = await admin.ask('GET', `${GAME}/players/${other.userId}`);
    const exportOf = async () => (await admin.call('GET', `${GAME}/players/${other.userId}/export`)).json();
    const { exportedAt: _, ...exported } = await exportOf();
    expect(await differences()).toEqual([]);

    const { erasureId } = (await requestDeletion(harness, session)).json().data;
    expect(await erase(harness)).toEqual({ state: 'done', erased: 1 });
    // The device of the other studio has the same name.
    await pool.query(`update devices set device_id = 'renamed' where player_id = $1`, [
      await playerIdOf(harness, foreign),
    ]);
    await pool.query(`update sessions set device_id = 'renamed' where player_id = $1`, [
      await playerIdOf(harness, foreign),
    ]);
    expect(await tablesNaming(harness, ids, playerId)).toEqual([]);
    expect(await questions()).toEqual(asked);
    expect((await pool.query('select settings from game_stores')).rows).toEqual([
      { settings: { testers: [other.userId] } },
    ]);
    expect(await differences()).toEqual([]);
    expect(await admin.ask('GET', `${GAME}/players/${other.userId}`)).toEqual(before);
    expect(await exportOf()).toMatchObject(exported);
    expect((await get(harness.app, STATUS, foreign)).statusCode).toBe(200);

    const { receipt, state } = await erasureOf(erasureId);
    expect(state).toBe('done');
    const jwks = (await harness.app.inject({ url: '/.well-known/jwks.json' })).json();
    const { payload } = await jwtVerify(receipt, createLocalJWKSet(jwks), {
      typ: RECEIPT_TYPE,
      issuer: harness.ctx.settings.tokenIssuer,
      currentDate: new Date(clock.now()),
    });
    expect(payload).toMatchObject({
      jti: erasureId,
      tenantId: DEMO.tenant,
      gameId: DEMO.game,
      exportsExpired: 1,
      taxRecordsKept: 1,
      deleted: {
        players: 1,
        events: 5,
        event_blocks: 2,
        event_identities: 1,
        devices: 2,
        transactions: 1,
        player_notes: 1,
        failed_events: 1,
      },
    });
    expect(JSON.stringify(payload)).not.toContain(session.userId);
    // Access tokens and receipts are not taken for each other.
    const asToken = { ...session.headers, authorization: `Bearer ${receipt}` };
    expect((await harness.app.inject({ url: STATUS, headers: asToken })).statusCode).toBe(401);
    const { rows } = await pool.query('select amount, currency, refunded_on from erased_transactions');
    // What is left after the refund.
    expect(rows).toEqual([{ amount: '2.495', currency: 'USD', refunded_on: null }]);

    // The store says something about the order afterwards: its id is not stored again, and the tax record is right.
    const nowMs = clock.now();
    const said = {
      gameId,
      store: 'apple',
      notificationId: 'n-after',
      type: 'REFUND',
      signedAtMs: nowMs,
      refund: { transactionId: 't-device-of-erased', share: '1', atMs: nowMs },
    } as const;
    const hashes = await harness.ctx.erasureHashes();
    expect(await applyNotification(pool, hashes, said, nowMs)).toBe('applied');
    expect(await applyNotification(pool, hashes, said, nowMs)).toBe('duplicate');
    expect(await tablesNaming(harness, ids, playerId)).toEqual([]);
    const { rows: kept } = await pool.query(
      'select refunded_on is not null as refunded from erased_transactions',
    );
    expect(kept).toEqual([{ refunded: true }]);
  });

  it('expires exports of a time of which the player has nothing but a refund', async () => {
    const session = await addPlayer('refunded');
    const now = harness.clock.now();
    const said = {
      gameId,
      store: 'apple',
      notificationId: 'n-old',
      type: 'REFUND',
      signedAtMs: now - 400 * DAY_MS,
      refund: { transactionId: 't-device-of-refunded', share: '1', atMs: now - 400 * DAY_MS },
    } as const;
    await applyNotification(harness.pool, await harness.ctx.erasureHashes(), said, now);
    await expectExpired(session, { kept: 402, expired: 400 });
  });

  it('expires exports of the own time of an event that was received much later, or before it', async () => {
    for (const daysAgo of [300, -20]) {
      const session = await harness.login(`offline-${daysAgo}`);
      const at = harness.clock.now() - daysAgo * DAY_MS;
      expect((await postEvents(harness.app, session, [adImpression(1, at)])).statusCode).toBe(202);
      await expectExpired(session, { kept: daysAgo + Math.sign(daysAgo) * 2, expired: daysAgo });
    }
  });

  it('goes on after an interruption before each of its steps, with the same counts, and the recount agrees all the time', async () => {
    const session = await addPlayer('interrupted');
    const playerId = await playerIdOf(harness, session);
    const { erasureId } = (await requestDeletion(harness, session)).json().data;
    const steps: string[] = [];
    for (;;) {
      let left = steps.length + 1;
      let last = '';
      const run = erase(harness, {
        onStep(step) {
          last = step;
          if (--left === 0) throw new Error('killed');
        },
      });
      const isKilled = await run.then(
        () => false,
        () => true,
      );
      if (CHECKED_BEFORE.includes(last)) expect(await differences()).toEqual([]);
      if (!isKilled) break;
      steps.push(last);
    }
    expect(steps).toContain('event_blocks');
    expect(steps).toContain('finish');
    expect(await tablesNaming(harness, idsOf(session, 'interrupted'), playerId)).toEqual([]);
    expect((await erasureOf(erasureId)).counts).toMatchObject({
      players: 1,
      events: 5,
      event_blocks: 2,
      event_identities: 1,
      transactions: 1,
      erased_transactions: 1,
      player_notes: 1,
    });
  });

  it('stores no event that was on its way, and of others in the same group all', async () => {
    const [session, other] = [await harness.login('late'), await harness.login('in-time')];
    const late = await playerIdOf(harness, session);
    const now = harness.clock.now();
    const ofLate = await recordsOf(harness, session, [adImpression(1, now), adImpression(2, now)]);
    const ofOther = await recordsOf(harness, other, [adImpression(1, now)]);
    const numbered = { identity: null, sequence: 3, installId: 'late-install' };
    const records = [
      ...ofLate.slice(0, 1),
      ...ofOther,
      ...ofLate.slice(1).map((each) => ({ ...each, ...numbered })),
    ];
    await requestDeletion(harness, session);
    expect(await applyEvents(harness.pool, records)).toEqual(['no_player', 'new', 'no_player']);
    await erase(harness);
    expect(await applyEvents(harness.pool, records)).toEqual(['no_player', 'duplicate', 'no_player']);
    expect(await tablesNaming(harness, [session.userId, 'late-install'], late)).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('can be requested for many players in one transaction', async () => {
    const [first, second, asked] = await Promise.all(
      ['first', 'second', 'asked'].map((name) => harness.login(`device-of-many-${name}`)),
    );
    const userIds = [first?.userId ?? '', second?.userId ?? '', asked?.userId ?? ''];
    await requestDeletion(harness, asked as Session);
    const hashes = await harness.ctx.erasureHashes();
    const ofNobody = '00000000-0000-4000-8000-00000000dead';
    const by = testActor(harness.clock.now());
    const known = await requestErasures(harness.pool, hashes, { gameId, by }, [ofNobody, ...userIds]);
    expect(known.toSorted()).toEqual(userIds.toSorted());
    const { rows } = await harness.pool.query(
      `select user_id as "userId", requested_by as "requestedBy", counts ->> 'devices' as devices, devices -> 0 ->> 'device_id' as device,
         (select count(*)::int from audit_log a where a.target = 'player ' || e.user_id) as entries
       from erasures e where user_id = any($1) order by array_position($1::uuid[], user_id)`,
      [userIds],
    );
    const byStudio = { requestedBy: by.name, devices: '1', entries: 1 };
    expect(rows).toEqual([
      { userId: userIds[0], device: 'device-of-many-first', ...byStudio },
      { userId: userIds[1], device: 'device-of-many-second', ...byStudio },
      { userId: userIds[2], device: 'device-of-many-asked', requestedBy: 'player', devices: '1', entries: 0 },
    ]);
    await expectDead(harness.app, first as Session);
    expect(await erase(harness)).toMatchObject({ state: 'done', erased: 3 });
  });

  it('can be withdrawn until it is due, and gives the devices back that have no other player', async () => {
    await setWaitDays(7);
    const [session, other] = [await harness.login('withdrawn'), await harness.login('not-withdrawn')];
    const { erasureId, dueAt } = (await requestDeletion(harness, session)).json().data;
    await requestDeletion(harness, other);
    expect(Date.parse(dueAt)).toBe(harness.clock.now() + 7 * DAY_MS);
    expect(await erase(harness)).toEqual({ state: 'done', erased: 0 });
    await expectDead(harness.app, session);
    expect(await withdrawErasure(harness.pool, gameId, erasureId, testActor())).toBe(true);
    expect(await withdrawErasure(harness.pool, gameId, erasureId, testActor())).toBe(false);
    expect((await harness.login('withdrawn')).userId).toBe(session.userId);
    harness.clock.advance(7 * DAY_MS);
    expect(await erase(harness)).toEqual({ state: 'done', erased: 1 });
    expect((await harness.login('withdrawn')).userId).toBe(session.userId);
    expect((await harness.login('not-withdrawn')).userId).not.toBe(other.userId);
    await setWaitDays(0);
  });
});

const keyOf = async (playerId: string): Promise<string> =>
  (await harness.pool.query('select key from player_keys where player_id = $1', [playerId])).rows[0]?.key;

/** Questions in SQL, as the audit log has them. */
async function questions(): Promise<string[]> {
  const { rows } = await harness.pool.query(
    `select after ->> 'sql' as sql from audit_log where action = 'event_files.ask' order by id`,
  );
  return rows.map(({ sql }) => sql);
}

/** Asks a question about each id, and one about another player. Returns what is to be left of them. */
async function askAbout(ids: readonly string[], other: Session): Promise<string[]> {
  const hashes = await harness.ctx.erasureHashes();
  const name = erasedName(hashes.player(ids[0] ?? ''));
  const texts = ids.map((id) => id.replaceAll("'", "''"));
  const ask = (id: string) =>
    `select '€' from events where payload like '%"${id}"%' or transaction_id = '${id}'`;
  const asked = [...texts, (ids[0] ?? '').toUpperCase(), other.userId].map(ask);
  await harness.pool.query(
    `insert into audit_log (game_id, at, actor, action, target, after)
     select $1, now(), '', 'event_files.ask', 'files of events', json_build_object('sql', q) from unnest($2::text[]) q`,
    [gameId, asked],
  );
  return [...texts, ''].map(() => ask(name)).concat(ask(other.userId));
}

/** Rows about the player outside of the tables of players. */
async function addTraces(session: Session, playerId: string, other: Session): Promise<void> {
  const { pool, clock } = harness;
  const now = new Date(clock.now());
  await get(harness.app, '/v1/player/export', session);
  await admin.call('GET', `${GAME}/players/${session.userId}/export`);
  await pool.query(
    `insert into audit_log (game_id, at, actor, action, target, after)
     values ($1, $2, '', 'override.import', '2 flags of players', json_build_array(json_build_object('playerId', $3::text), $4::text))`,
    [gameId, now, session.userId, other.userId],
  );
  await pool.query(
    `insert into audit_log (game_id, at, actor, action, target, before, after)
     values ($1, $2, '', 'purchase.move', 'transaction t-device-of-erased', json_build_object('player', $4::text), json_build_object('player', $3::text))`,
    [gameId, now, session.userId, other.userId],
  );
  await pool.query(
    `insert into game_stores (game_id, settings, updated_at) values ($1, jsonb_build_object('testers', $3::text[]), $2)`,
    [gameId, now, [other.userId, session.userId]],
  );
  await pool.query('insert into player_keys (player_id) values ($1)', [playerId]);
  await pool.query(
    `insert into devices (game_id, device_id, player_id, created_at) values ($1, 'o''erased', $2, $3)`,
    [gameId, playerId, now],
  );
  await pool.query(
    `insert into erasure_codes (player_id, game_id, code_hash, created_at, expires_at) values ($1, $2, 'hash', $3, $3)`,
    [playerId, gameId, now],
  );
  // The store gives half of the price back.
  const transactionId = 't-device-of-erased';
  const refund = { transactionId, share: '0.5', atMs: clock.now() };
  const said = {
    gameId,
    store: 'apple',
    notificationId: 'n-1',
    type: 'REFUND',
    signedAtMs: clock.now(),
  } as const;
  expect(
    await applyNotification(pool, await harness.ctx.erasureHashes(), { ...said, refund }, clock.now()),
  ).toBe('applied');
  await pool.query(
    `insert into google_purchases (game_id, transaction_id, purchase_token, product_id, stored_at, due_at)
     values ($1, $2, 'token', 'sku', $3, $3)`,
    [gameId, transactionId, now],
  );
  // A device that was the player's before it was attached to another one.
  await pool.query(
    `insert into devices (game_id, device_id, player_id, created_at, attached_at, own_player_id) values ($1, 'attached', $2, $3, $3, $4)`,
    [gameId, await playerIdOf(harness, other), now, playerId],
  );
  await pool.query(
    `insert into export_jobs (id, tenant_id, game_id, format, span_from, span_to, state, created_by, created_at, expected_events, expires_at)
     select gen_random_uuid(), tenant_id, id, 'ndjson', '0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z', 'done', '', $2, 1, $3
     from games where id = $1`,
    [gameId, now, new Date(clock.now() + DAY_MS)],
  );
  await pool.query(
    `insert into export_chunks (job_id, number, data) select id, 1, convert_to($1, 'UTF8') from export_jobs`,
    [session.userId],
  );
  await pool.query(
    `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, heartbeat_at, result, expires_at)
     values (gen_random_uuid(), $1, 'dry_run', '{}', 'done', '', $2, $2, json_build_object('examples', $3::text), $2)`,
    [gameId, now, session.userId],
  );
  await pool.query(
    `insert into failed_events (game_id, player_id, fingerprint, code, message, raw, received_at)
     values (0, 0, gen_random_uuid(), 'message_invalid', $1, '', $2)`,
    [`From player ${session.userId}.`, now],
  );
  // The copy of a day that compaction is writing.
  await pool.query('create table event_blocks_20000101_compact (like event_blocks including all)');
  await pool.query(
    'insert into event_blocks_20000101_compact select * from event_blocks where player_id = $1',
    [playerId],
  );
}
