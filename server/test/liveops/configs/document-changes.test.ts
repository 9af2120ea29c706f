import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createGame } from '../../../src/studio/games-and-keys/tenant-changes.js';
import { configWith, sku } from '../../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { createHarness, type Harness, testActor } from '../../support/harness.js';
import { listWaiting } from '../../support/locks.js';
import { addStudio } from '../../support/session-calls.js';

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

/** Makes whoever changes the game wait. */
async function holdGame(slug: string) {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select from games where slug = $1 for no key update', [slug]);
  return { letGo: () => client.end() };
}

async function saveAndPublish(game: string, token: string): Promise<number> {
  const { revision } = await admin.ask<{ revision: number }>('GET', `/games/${game}/draft`, undefined, token);
  const document = configWith({ catalogue: [sku(`of-${game}`)] });
  const saved = await admin.ask<{ revision: number }>(
    'PUT',
    `/games/${game}/draft`,
    { revision, document },
    token,
  );
  const published = await admin.ask<{ version: number }>(
    'POST',
    `/games/${game}/draft/publish`,
    { revision: saved.revision, note: '' },
    token,
    201,
  );
  return published.version;
}

it('the changes of one studio wait for each other, and those of another go ahead', async () => {
  await createGame(harness.pool, { tenant: 'demo-studio', slug: 'second', name: 'Second' }, testActor());
  await addStudio(harness, 'other-studio', 'other-game');
  const other = await admin.addToken('editor', { tenant: 'other-studio' });
  const held = await holdGame('demo-game');
  const done: string[] = [];
  const first = saveAndPublish('demo-game', admin.tokens.editor).then(() => done.push('first'));
  await vi.waitFor(
    async () => expect(await listWaiting(harness.pool, 'select id as "gameId"')).toHaveLength(1),
    { timeout: 120_000 },
  );
  const second = saveAndPublish('second', admin.tokens.editor).then(() => done.push('second'));
  expect(await saveAndPublish('other-game', other)).toBe(1);
  expect(done).toEqual([]);
  await held.letGo();
  await Promise.all([first, second]);
  expect(done).toHaveLength(2);
});
