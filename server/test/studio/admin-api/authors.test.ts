import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPerson, type Person } from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
let admin: AdminClient;
/** Two people of one name. */
let first: Person;
let second: Person;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  first = await addPerson(harness, admin, 'editor', { name: 'Sam' });
  second = await addPerson(harness, admin, 'editor', { name: 'Sam' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Draft = { revision: number; updatedBy: string | null; updatedByEmail: string | null };
const save = (person: Person, revision: number, skuId: string) =>
  person.call('PUT', `${GAME}/draft`, { revision, document: gameDocument([sku(skuId)]) });

it('two people of one name are told apart as editors of a draft and authors of versions', async () => {
  const { revision } = await first.ask<Draft>('GET', `${GAME}/draft`);
  expect((await save(first, revision, 'a')).json().data).toMatchObject({
    updatedBy: 'Sam',
    updatedByEmail: first.email,
  });
  const conflict = await save(second, revision, 'b');
  expectGeneralError(conflict, 409, 'draft_conflict');
  expect(conflict.json().error).toMatchObject({ updatedBy: 'Sam', updatedByEmail: first.email });

  const terms = { note: '', confirmPriceRaises: true };
  await second.ask('POST', `${GAME}/draft/publish`, { revision: revision + 1, ...terms }, 201);
  expect(await first.ask<Draft>('GET', `${GAME}/draft`)).toMatchObject({ updatedByEmail: second.email });
  await first.ask('POST', `${GAME}/versions/1/roll-back`, terms, 201);
  await admin.ask('POST', `${GAME}/versions/2/roll-back`, terms, admin.tokens.editor, 201);
  type Versions = { versions: { version: number; author: string; authorEmail: string | null }[] };
  const { versions } = await first.ask<Versions>('GET', `${GAME}/versions?limit=3`);
  expect(versions.map(({ version, author, authorEmail }) => [version, author, authorEmail])).toEqual([
    [4, 'editor of demo-studio', null],
    [3, 'Sam', first.email],
    [2, 'Sam', second.email],
  ]);
  const dashboard = await first.ask<Versions>('GET', `${GAME}/dashboard`);
  expect(dashboard.versions.slice(0, 3).map(({ authorEmail }) => authorEmail)).toEqual([
    null,
    first.email,
    second.email,
  ]);
});

it('two people of one name are told apart where they set and clear flags of players', async () => {
  const { userId } = await harness.login();
  const player = `${GAME}/players/${userId}`;
  await first.ask('PUT', `${player}/overrides/isPayer`, { value: true, reason: 'one' });
  harness.clock.advance(1_000);
  const set = await second.ask('PUT', `${player}/overrides/isPayer`, { value: false, reason: 'two' });
  expect(set).toMatchObject({ author: 'Sam', authorEmail: second.email, clearedByEmail: null });
  harness.clock.advance(1_000);
  const file = `playerId,flagId,value,reason\n${userId},isPayer,true,three\n`;
  const imported = await first.call('POST', `${GAME}/overrides/import`, file, { 'content-type': 'text/csv' });
  expect(imported.statusCode, imported.body).toBe(200);
  harness.clock.advance(1_000);
  await admin.ask('DELETE', `${player}/overrides/isPayer`, undefined, admin.tokens.editor);

  type Overrides = {
    overrides: Record<'reason' | 'authorEmail' | 'clearedBy' | 'clearedByEmail', unknown>[];
  };
  const { overrides } = await first.ask<Overrides>('GET', `${player}/overrides`);
  expect(
    overrides.map(({ reason, authorEmail, clearedBy, clearedByEmail }) => [
      ...[reason, authorEmail, clearedBy, clearedByEmail],
    ]),
  ).toEqual([
    ['three', first.email, 'editor of demo-studio', null],
    ['two', second.email, 'Sam', first.email],
    ['one', first.email, 'Sam', second.email],
  ]);
  type Timeline = { items: { change: string; byEmail: string | null }[] };
  const { items } = await first.ask<Timeline>('GET', `${player}/timeline?kinds=override`);
  expect(items.map(({ change, byEmail }) => [change, byEmail])).toEqual([
    ['cleared', null],
    ['set', first.email],
    ['cleared', first.email],
    ['set', second.email],
    ['cleared', second.email],
    ['set', first.email],
  ]);
});
