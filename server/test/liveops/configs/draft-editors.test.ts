import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addPerson, type Person } from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Editors = {
  revision: number;
  isEdited: boolean;
  updatedBy: string | null;
  updatedAt: string | null;
  editors: { windowId: string; name: string; email: string; openedAt: string; changedAt: string | null }[];
};

let harness: Harness;
/** Two nodes on one database. */
let admin: AdminClient;
let otherNode: AdminClient;
let ada: Person;
let ben: Person;
let vera: Person;

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  otherNode = await openAdminClient(harness);
  ada = await addPerson(harness, admin, 'editor', { name: 'Ada' });
  ben = await addPerson(harness, otherNode, 'owner', { name: 'Ben' });
  vera = await addPerson(harness, admin, 'viewer', { name: 'Vera' });
});
beforeEach(async () => {
  await harness.pool.query('delete from draft_editors');
});
afterAll(async () => {
  await admin.close();
  await otherNode.close();
  await harness.close();
});

const editorsOf = (windowId?: string) =>
  `${GAME}/draft/editors${windowId === undefined ? '' : `/${windowId}`}`;
const keepOpen = (person: Person, windowId: string, secondsSinceChange: number | null = null) =>
  person.ask<Editors>('PUT', editorsOf(windowId), { secondsSinceChange });
const names = ({ editors }: Editors) => editors.map(({ name }) => name);

describe('editors who have the draft open', () => {
  it('are told of each other, over two nodes, with what is not saved', async () => {
    const [window, hers] = [randomUUID(), randomUUID()];
    expect(names(await keepOpen(ada, hers))).toEqual(['Ada']);
    harness.clock.advance(60_000);
    const seen = await keepOpen(ben, window, 20);
    const time = (secondsAgo: number) => new Date(harness.clock.now() - secondsAgo * 1000).toISOString();
    expect(seen.editors).toEqual([
      { windowId: hers, name: 'Ada', email: ada.email, openedAt: time(60), changedAt: null },
      { windowId: window, name: 'Ben', email: ben.email, openedAt: time(0), changedAt: time(20) },
    ]);
    expect(await ada.ask('GET', editorsOf())).toEqual(seen);
    // Saved: the window stays open as the same one.
    harness.clock.advance(5_000);
    const saved = await keepOpen(ben, window);
    expect(saved.editors[1]).toMatchObject({ openedAt: time(5), changedAt: null });
  });

  it('are told of the revision that another editor has saved', async () => {
    const before = await keepOpen(ada, randomUUID());
    const body = { revision: before.revision, document: gameDocument([sku('gems')]) };
    await ben.ask('PUT', `${GAME}/draft`, body);
    const after = await keepOpen(ada, randomUUID());
    expect(after).toMatchObject({ revision: before.revision + 1, isEdited: true, updatedBy: 'Ben' });
    const draft = await ada.ask<Record<string, unknown>>('GET', `${GAME}/draft`);
    expect(draft).toMatchObject({ revision: after.revision, updatedAt: after.updatedAt });
    await ben.ask('DELETE', `${GAME}/draft?revision=${after.revision}`);
    expect(await keepOpen(ada, randomUUID())).toMatchObject({
      revision: after.revision + 1,
      isEdited: false,
    });
  });

  it('are gone when the window says so, or has said nothing for a while', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await keepOpen(ada, first);
    await keepOpen(ada, second);
    // Not a window of Ben.
    await ben.ask('DELETE', editorsOf(first));
    expect(names(await keepOpen(ben, randomUUID()))).toEqual(expect.arrayContaining(['Ada', 'Ada', 'Ben']));
    expect((await ada.ask<Editors>('DELETE', editorsOf(first))).editors).toHaveLength(2);
    harness.clock.advance(60_000);
    await keepOpen(ada, second);
    harness.clock.advance(60_000);
    expect(names(await ben.ask<Editors>('GET', editorsOf()))).toEqual(['Ada']);
    harness.clock.advance(30_000);
    expect(names(await ben.ask<Editors>('GET', editorsOf()))).toEqual([]);
  });

  it('are not listed after they lost the right to edit', async () => {
    await keepOpen(ada, randomUUID());
    await ben.ask('PUT', `/members/${ada.accountId}`, { role: 'viewer' });
    expect(names(await vera.ask<Editors>('GET', editorsOf()))).toEqual([]);
    await ben.ask('PUT', `/members/${ada.accountId}`, { role: 'editor' });
    expect(names(await vera.ask<Editors>('GET', editorsOf()))).toEqual(['Ada']);
  });

  it('have a bounded number of windows, of which those that are known stay', async () => {
    const windows = Array.from({ length: 25 }, () => randomUUID());
    for (const window of windows) await keepOpen(ada, window);
    const { editors } = await keepOpen(ada, windows[0] ?? '', 3);
    expect(editors).toHaveLength(20);
    expect(editors.find(({ windowId }) => windowId === windows[0])?.changedAt).not.toBeNull();
  });
});

describe('the list of editors', () => {
  it('is seen by viewers, who are not on it', async () => {
    await keepOpen(ada, randomUUID());
    expect(names(await vera.ask<Editors>('GET', editorsOf()))).toEqual(['Ada']);
    const refused = await vera.call('PUT', editorsOf(randomUUID()), { secondsSinceChange: null });
    expectGeneralError(refused, 403, 'role_too_low');
  });

  it('has no place for programs', async () => {
    const refused = await admin.call('PUT', editorsOf(randomUUID()), { secondsSinceChange: null });
    expectGeneralError(refused, 403, 'account_needed');
    await admin.ask('GET', editorsOf(), undefined, admin.tokens.viewer);
  });

  it('is of one studio only', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const eve = await addPerson(harness, admin, 'owner', { tenant: 'other-studio', name: 'Eve' });
    const hers = randomUUID();
    await keepOpen(ada, hers);
    expectGeneralError(await eve.call('GET', editorsOf()), 404, 'game_not_found');
    const knocked = await eve.call('PUT', editorsOf(randomUUID()), { secondsSinceChange: null });
    expectGeneralError(knocked, 404, 'game_not_found');
    expectGeneralError(await eve.call('DELETE', editorsOf(hers)), 404, 'game_not_found');
    // The same window id in her own game is another window.
    const own = await eve.ask<Editors>('PUT', `/games/other-game/draft/editors/${hers}`, {
      secondsSinceChange: null,
    });
    expect(names(own)).toEqual(['Eve']);
    expect(names(await vera.ask<Editors>('GET', editorsOf()))).toEqual(['Ada']);
  });

  it.each([
    ['no uuid', 'window', { secondsSinceChange: null }, 'parameter_invalid'],
    ['a change in the future', randomUUID(), { secondsSinceChange: -1 }, 'body_invalid'],
    ['nothing', randomUUID(), {}, 'body_invalid'],
  ])('refuses %s', async (_what, windowId, body, code) => {
    expectGeneralError(await ada.call('PUT', editorsOf(windowId), body), 400, code);
  });
});
