import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { erase } from '../../support/erasure-calls.js';
import { addExportedPlayer } from '../../support/exported-player.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio, expectAlive, expectDead } from '../../support/session-calls.js';

const NO_ERASURE = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Listed = { erasureId: string; playerId: string | null; state: string; requestedBy: string };
const pathOf = (userId: string) => `${GAME}/players/${userId}/erasure`;
const list = async () => (await admin.ask<{ erasures: Listed[] }>('GET', `${GAME}/erasures`)).erasures;
const setWaitDays = (erasureWaitDays: number) =>
  admin.ask('PATCH', GAME, { erasureWaitDays }, admin.tokens.owner);

describe('the erasure of a player for the studio', () => {
  it('shows what goes and what stays before, and the receipt after it', async () => {
    const session = await addExportedPlayer(harness, admin, 'erased');
    const preview = await admin.ask('GET', pathOf(session.userId), undefined, admin.tokens.viewer);
    expect(preview).toMatchObject({
      playerId: session.userId,
      waitDays: 0,
      erasure: null,
      goes: {
        events: 5,
        player_days: 1,
        transactions: 1,
        devices: 1,
        sessions: 1,
        player_notes: 1,
        failed_events: 1,
      },
      taxRecords: 1,
    });
    const erasure = await admin.ask('POST', pathOf(session.userId), undefined, undefined, 202);
    expect(erasure).toMatchObject({
      playerId: session.userId,
      state: 'waiting',
      requestedBy: 'editor of demo-studio',
    });
    await expectDead(harness.app, session);
    expect(await admin.ask('POST', pathOf(session.userId), undefined, undefined, 202)).toEqual(erasure);
    await erase(harness);
    const done = await admin.ask('GET', `${GAME}/erasures/${erasure.erasureId}`);
    expect(done).toMatchObject({
      playerId: null,
      state: 'done',
      receipt: expect.any(String),
      counts: { events: 5 },
    });
    expect(await list()).toMatchObject([{ erasureId: erasure.erasureId, state: 'done' }]);
    expectGeneralError(await admin.call('POST', pathOf(session.userId)), 404, 'player_not_found');
    const { entries } = await admin.ask<{ entries: unknown[] }>(
      'GET',
      '/audit-log?limit=1',
      undefined,
      admin.tokens.owner,
    );
    expect(entries).toMatchObject([
      { action: 'player.erase', target: `player ${done.playerHash}`, actor: 'editor of demo-studio' },
    ]);
  });

  it('can be withdrawn while it waits', async () => {
    await setWaitDays(7);
    const session = await harness.login('waits');
    const { erasureId } = await admin.ask('POST', pathOf(session.userId), undefined, undefined, 202);
    expect(await admin.ask('GET', pathOf(session.userId))).toMatchObject({
      waitDays: 7,
      erasure: { erasureId, state: 'waiting' },
    });
    const path = `${GAME}/erasures/${erasureId}`;
    expect(await admin.ask('DELETE', path)).toEqual({ erasureId });
    expectGeneralError(await admin.call('DELETE', path), 409, 'erasure_begun');
    expectGeneralError(
      await admin.call('DELETE', `${GAME}/erasures/${NO_ERASURE}`),
      404,
      'erasure_not_found',
    );
    const again = await harness.login('waits');
    expect(again.userId).toBe(session.userId);
    await expectAlive(harness.app, again);
    await setWaitDays(0);
  });

  it('pages its list, and knows only players and requests of the studio', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const foreign = await studio.login('theirs');
    expectGeneralError(await admin.call('POST', pathOf(foreign.userId)), 404, 'player_not_found');
    expectGeneralError(await admin.call('GET', pathOf(foreign.userId)), 404, 'player_not_found');
    await expectAlive(harness.app, foreign);
    const other = await admin.addToken('editor', { tenant: 'other-studio' });
    const [first] = await list();
    expectGeneralError(
      await admin.call('GET', `/games/other-game/erasures/${first?.erasureId}`, undefined, other),
      404,
      'erasure_not_found',
    );
    const { nextCursor } = await admin.ask('GET', `${GAME}/erasures?limit=1`);
    const rest = await admin.ask<{ erasures: Listed[] }>(
      'GET',
      `${GAME}/erasures?limit=1&cursor=${nextCursor}`,
    );
    expect(rest.erasures).toEqual((await list()).slice(1, 2));
    expectGeneralError(await admin.call('GET', `${GAME}/erasures?cursor=abc`), 400, 'parameter_invalid');
  });

  it('is for editors; viewers see the requests', async () => {
    const session = await harness.login('kept');
    expectGeneralError(
      await admin.call('POST', pathOf(session.userId), undefined, admin.tokens.viewer),
      403,
      'role_too_low',
    );
    expect((await admin.call('GET', `${GAME}/erasures`, undefined, admin.tokens.viewer)).statusCode).toBe(
      200,
    );
    await expectAlive(harness.app, session);
  });
});
