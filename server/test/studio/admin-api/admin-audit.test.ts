import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Entry = {
  id: string;
  at: string;
  game: string | null;
  actor: string;
  action: string;
  target: string;
} & Record<'before' | 'after', unknown>;

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'demo-studio', 'second-game');
  await addStudio(harness, 'other-studio', 'other-game');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const log = async (query = '', token = admin.tokens.viewer) =>
  (await admin.ask<{ entries: Entry[] }>('GET', `/audit-log${query}`, undefined, token)).entries;

it('every change is in the log once, with actor, target, time, before and after', async () => {
  const ada = await admin.addToken('editor', { name: 'Ada' });
  const [newest] = await log('?limit=1');
  expect(newest).toMatchObject({
    action: 'admin_token.create',
    game: null,
    after: { name: 'Ada', role: 'editor' },
  });
  const { userId } = await harness.login();
  const ask = (...parameters: Parameters<AdminClient['ask']>) =>
    admin.ask(parameters[0], parameters[1], parameters[2], ada, parameters[4]);
  const flag = `${GAME}/players/${userId}/overrides/isPayer`;

  const steps: [string, string, () => Promise<unknown>][] = [
    [
      'draft.save',
      'draft 2',
      () => ask('PUT', `${GAME}/draft`, { revision: 1, document: gameDocument([sku('a')]) }),
    ],
    ['draft.discard', 'draft 3', () => ask('DELETE', `${GAME}/draft?revision=2`)],
    [
      'draft.save',
      'draft 4',
      () => ask('PUT', `${GAME}/draft`, { revision: 3, document: gameDocument([sku('b')]) }),
    ],
    [
      'config.publish',
      'version 2',
      () =>
        ask(
          'POST',
          `${GAME}/draft/publish`,
          { revision: 4, note: 'n', confirmPriceRaises: true },
          undefined,
          201,
        ),
    ],
    [
      'config.roll_back',
      'version 3',
      () =>
        ask('POST', `${GAME}/versions/1/roll-back`, { note: 'b', confirmPriceRaises: true }, undefined, 201),
    ],
    ['override.set', `player ${userId} isPayer`, () => ask('PUT', flag, { value: true, reason: 'one' })],
    ['override.set', `player ${userId} isPayer`, () => ask('PUT', flag, { value: false, reason: 'two' })],
    ['override.clear', `player ${userId} isPayer`, () => ask('DELETE', flag)],
  ];
  const written: Entry[] = [];
  for (const [action, target, step] of steps) {
    harness.clock.advance(1000);
    await step();
    const at = new Date(harness.clock.now()).toISOString();
    const [entry, previous] = await log('?limit=2');
    expect(entry).toMatchObject({ action, target, at, actor: 'Ada', game: 'demo-game' });
    expect(previous?.id).toBe((written.at(-1) ?? newest)?.id);
    written.push(entry as Entry);
  }
  const [, , , published, rolledBack, set, replaced, cleared] = written;
  expect(published).toMatchObject({ before: { version: 1 }, after: { version: 2, note: 'n' } });
  expect(JSON.stringify(published?.after)).toContain('"catalogue/b"');
  expect(rolledBack).toMatchObject({ before: { version: 2 }, after: { version: 3, copyOf: 1 } });
  expect(set).toMatchObject({
    before: null,
    after: { value: true, reason: 'one', author: 'Ada', until: null },
  });
  expect(replaced).toMatchObject({
    before: { value: true, reason: 'one' },
    after: { value: false, reason: 'two' },
  });
  expect(cleared).toMatchObject({ before: { value: false, reason: 'two' }, after: null });
});

it('reading, and discarding a draft without changes, write no entry', async () => {
  const [before] = await log('?limit=1');
  const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
  await admin.ask('DELETE', `${GAME}/draft?revision=${revision}`);
  await admin.ask('POST', `${GAME}/draft/validate`, { document: {} });
  await admin.ask('GET', `${GAME}/versions`);
  expect(await log('?limit=1')).toEqual([before]);
});

it('lists the entries of one studio, or of one game, page by page', async () => {
  const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
  const theirs = await log('', stranger);
  expect(theirs.map(({ action }) => action)).toEqual(['admin_token.create']);

  const all = await log('?limit=100');
  expect(all.length).toBeGreaterThan(10);
  expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).toSorted((a, b) => b - a));
  const pages: Entry[] = [];
  for (;;) {
    const page = await log(`?limit=4${pages.length === 0 ? '' : `&before=${pages.at(-1)?.id}`}`);
    if (page.length === 0) break;
    pages.push(...page);
  }
  expect(pages).toEqual(all);
  expect(await log('?game=demo-game&limit=100')).toEqual(all.filter(({ game }) => game === 'demo-game'));
  expect(await log('?game=second-game')).toEqual([]);
});

it.each([
  ['?limit=0', 400, 'parameter_invalid'],
  ['?limit=101', 400, 'parameter_invalid'],
  ['?before=x', 400, 'parameter_invalid'],
  ['?before=9999999999999999999', 400, 'parameter_invalid'],
  ['?before=1&before=2', 400, 'parameter_invalid'],
  ['?game=other-game', 404, 'game_not_found'],
  ['?game=a&game=b', 400, 'parameter_invalid'],
  ['?game=%00', 404, 'game_not_found'],
])('refuses %s', async (query, status, code) => {
  expectGeneralError(await admin.call('GET', `/audit-log${query}`), status, code);
});

it('leaves out values that are too large for a list; the single entry has them', async () => {
  const insert = async (before: string, after: string | null): Promise<string> => {
    const { rows } = await harness.pool.query<{ id: string }>(
      `insert into audit_log (tenant_id, at, actor, action, target, before, after)
       select id, now(), 'Ada', 'draft.save', 'draft 9', $1::json, $2::json from tenants where slug = 'demo-studio'
       returning id`,
      [before, after],
    );
    return rows[0]?.id ?? '';
  };
  const text = (bytes: number, letter = 'x') => JSON.stringify(letter.repeat(bytes - 2));
  // Such a text is very small when compressed, but the limit is for the size that would be sent.
  const repetitive = await insert(text(65_537), '1');
  const digest = (n: number) => createHash('sha256').update(`${n}`).digest('base64');
  const random = JSON.stringify(Array.from({ length: 2500 }, (_, n) => digest(n)).join(''));
  const incompressible = await insert('1', random);
  const fits = await insert(text(65_536), null);
  expect(await log('?limit=3')).toMatchObject([
    { id: fits, before: 'x'.repeat(65_534), after: null, isShortened: false },
    { id: incompressible, before: null, after: null, isShortened: true },
    { id: repetitive, before: null, after: null, isShortened: true, actor: 'Ada', target: 'draft 9' },
  ]);
  const entry = await admin.ask<Entry>('GET', `/audit-log/${repetitive}`, undefined, admin.tokens.viewer);
  expect(entry).toEqual({
    id: repetitive,
    at: expect.any(String),
    game: null,
    actor: 'Ada',
    actorEmail: null,
    actorTokenId: null,
    action: 'draft.save',
    target: 'draft 9',
    before: 'x'.repeat(65_535),
    after: 1,
  });
  expect((await admin.ask<Entry>('GET', `/audit-log/${incompressible}`)).after).toBe(JSON.parse(random));
});

it('an entry is not found by another studio', async () => {
  const [own] = await log('?limit=1');
  const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
  const at = (id: string, token?: string) => admin.call('GET', `/audit-log/${id}`, undefined, token);
  expect((await at(own?.id ?? '')).statusCode).toBe(200);
  expectGeneralError(await at(own?.id ?? '', stranger), 404, 'audit_entry_not_found');
  expectGeneralError(await at('999999999999999999'), 404, 'audit_entry_not_found');
  for (const id of ['x', '-1', '9999999999999999999', '1.5']) {
    expectGeneralError(await at(id), 400, 'parameter_invalid');
  }
});
