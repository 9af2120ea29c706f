import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Note = { noteId: string; text: string; author: string; isOwn: boolean } & Record<string, unknown>;
type Page = { notes: Note[]; nextCursor: string | null };

let harness: Harness;
let admin: AdminClient;
let session: Session;
let bea: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  session = await harness.login('noted');
  bea = await admin.addToken('editor', { name: 'Bea' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const path = (rest = '', userId = session.userId) => `${GAME}/players/${userId}/notes${rest}`;
const list = (query = '', token = admin.tokens.viewer) =>
  admin.ask<Page>('GET', path(query), undefined, token);
const write = (text: string, token = admin.tokens.editor) => admin.ask<Note>('POST', path(), { text }, token);
const now = () => new Date(harness.clock.now()).toISOString();

async function newestAudit() {
  const { entries } = await admin.ask<{ entries: Record<string, unknown>[] }>(
    'GET',
    '/audit-log?limit=1',
    undefined,
    admin.tokens.owner,
  );
  return entries[0];
}

describe('the notes on a player', () => {
  it('are read by viewers, newest first, page by page', async () => {
    expect(await list()).toEqual({ notes: [], nextCursor: null });
    const first = await write('Wrote to support.');
    expect(first).toEqual({
      noteId: expect.stringMatching(/^\d+$/),
      text: 'Wrote to support.',
      author: 'editor of demo-studio',
      authorEmail: null,
      isOwn: true,
      createdAt: now(),
      editedAt: null,
    });
    harness.clock.advance(1_000);
    await write('Got the gems.', bea);
    expect((await list()).notes).toMatchObject([
      { text: 'Got the gems.', author: 'Bea', isOwn: false },
      { text: 'Wrote to support.', isOwn: false },
    ]);
    const page = await list('?limit=1');
    expect(page.notes.map(({ author }) => author)).toEqual(['Bea']);
    const next = await list(`?limit=1&cursor=${page.nextCursor}`);
    expect(next).toEqual({ notes: [{ ...first, isOwn: false }], nextCursor: null });
    const other = await harness.login('without notes');
    expect((await admin.ask<Page>('GET', path('', other.userId))).notes).toEqual([]);
  });

  it('are edited by their author only, which the audit log tells', async () => {
    const { noteId } = await write('Paid twise.');
    harness.clock.advance(1_000);
    const edited = await admin.ask<Note>('PUT', path(`/${noteId}`), { text: 'Paid twice.' });
    expect(edited).toMatchObject({ text: 'Paid twice.', editedAt: now(), isOwn: true });
    expect((await list()).notes[0]).toMatchObject({ noteId, text: 'Paid twice.', editedAt: now() });
    expect(await newestAudit()).toMatchObject({
      action: 'note.edit',
      target: `player ${session.userId} note ${noteId}`,
      before: { author: 'editor of demo-studio', text: 'Paid twise.' },
      after: { text: 'Paid twice.' },
    });
    for (const token of [bea, admin.tokens.owner]) {
      const refused = await admin.call('PUT', path(`/${noteId}`), { text: 'mine' }, token);
      expectGeneralError(refused, 403, 'note_not_yours');
    }
    expect((await list()).notes[0]).toMatchObject({ text: 'Paid twice.' });
  });

  it('are deleted by their author, and by an owner', async () => {
    const [mine, others] = [await write('mine'), await write('not mine')];
    const remove = (noteId: string, token: string) =>
      admin.call('DELETE', path(`/${noteId}`), undefined, token);
    expectGeneralError(await remove(mine.noteId, bea), 403, 'note_not_yours');
    expect((await remove(mine.noteId, admin.tokens.editor)).statusCode).toBe(200);
    expect(await newestAudit()).toMatchObject({
      action: 'note.delete',
      before: { text: 'mine' },
      after: null,
    });
    expect((await remove(others.noteId, admin.tokens.owner)).statusCode).toBe(200);
    expectGeneralError(await remove(others.noteId, admin.tokens.owner), 404, 'note_not_found');
    const texts = (await list()).notes.map(({ text }) => text);
    expect(texts).not.toContain('mine');
    expect(texts).not.toContain('not mine');
  });

  it('are not written by viewers, nor seen by another studio', async () => {
    const refused = await admin.call('POST', path(), { text: 'x' }, admin.tokens.viewer);
    expect(refused.statusCode).toBe(403);
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', path(), undefined, token), 404, 'game_not_found');
    const elsewhere = `/games/other-game/players/${session.userId}/notes`;
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { text: 'x' }],
    ] as const) {
      expectGeneralError(await admin.call(method, elsewhere, body, token), 404, 'player_not_found');
    }
    // A note of another player is not found, either.
    const { noteId } = await write('of this player');
    const sibling = await harness.login('sibling');
    const wrong = await admin.call('PUT', path(`/${noteId}`, sibling.userId), { text: 'x' });
    expectGeneralError(wrong, 404, 'note_not_found');
  });

  it.each([{}, { text: '' }, { text: ' \n' }, { text: 'x'.repeat(4_001) }, { text: 'a\0' }, { text: 1 }])(
    'are not %j',
    async (body) => {
      expect((await admin.call('POST', path(), body)).statusCode).toBe(400);
    },
  );

  it.each(['x', '0', '999999999999999999'])('has no note %s', async (noteId) => {
    expectGeneralError(await admin.call('PUT', path(`/${noteId}`), { text: 'x' }), 404, 'note_not_found');
  });
});
