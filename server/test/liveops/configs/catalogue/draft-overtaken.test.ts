import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../../src/decide/document/document.js';
import { readCatalogueValue } from '../../../../src/liveops/configs/catalogue/catalogue-json.js';
import { importCatalogue } from '../../../../src/liveops/configs/catalogue/import-catalogue.js';
import { type Draft, findDraft, publishDraft, saveDraft } from '../../../../src/liveops/configs/draft.js';
import {
  type PublishOutcome,
  publishConfig,
  rollBackConfig,
} from '../../../../src/liveops/configs/publish.js';
import type { Pool } from '../../../../src/platform/db/pool.js';
import { configWith, sku } from '../../../decide/support/fixtures.js';
import { createGameWorld, type GameWorld } from '../../../support/game-world.js';

const NOW = Date.UTC(2026, 10, 15);
const ada = { name: 'Ada', nowMs: NOW };
const grace = { name: 'Grace', nowMs: NOW };
const withSkus = (...skuIds: string[]) => configWith({ catalogue: skuIds.map((skuId) => sku(skuId)) });

let world: GameWorld;
let gameId: number;
let games = 0;
beforeAll(async () => {
  world = await createGameWorld();
});
beforeEach(async () => {
  gameId = await world.addGame(`game-${games++}`);
});
afterAll(() => world.close());

const graceWrites = (document: ConfigDocument) =>
  publishConfig(world.pool, { gameId, document, note: '' }, grace);
const adaSaves = ({ revision }: Draft, document: unknown) =>
  saveDraft(world.pool, { gameId, revision, document }, ada);
const skuIds = (document: ConfigDocument) => document.catalogue.map(({ skuId }) => skuId);

describe('a draft without changes', () => {
  it.each<[string, () => Promise<{ outcome: string }>]>([
    ['a publication', () => graceWrites(withSkus('grace'))],
    ['a way back', () => rollBackConfig(world.pool, { gameId, version: 1, note: '' }, grace)],
  ])('is not saved over %s that its reader has not seen', async (_what, overtake) => {
    await graceWrites(withSkus('old'));
    await graceWrites(withSkus('old', 'bad'));
    const seen = await findDraft(world.pool, gameId);
    expect((await overtake()).outcome).toBe('published');
    const saved = await adaSaves(seen, withSkus('old', 'bad', 'ada'));
    expect(saved).toMatchObject({
      outcome: 'draft_conflict',
      revision: seen.revision + 1,
      updatedBy: 'Grace',
      difference: expect.arrayContaining([
        expect.objectContaining({ path: 'catalogue/bad', change: 'added' }),
        expect.objectContaining({ path: 'catalogue/ada', change: 'added' }),
      ]),
    });
    const now = await findDraft(world.pool, gameId);
    expect(now).toMatchObject({
      isEdited: false,
      basedOn: 3,
      publishedVersion: 3,
      revision: seen.revision + 1,
    });
    expect((await adaSaves(now, withSkus('ada'))).outcome).toBe('saved');
  });

  it('is not saved over the first publication of its game', async () => {
    const seen = await findDraft(world.pool, gameId);
    expect(seen).toMatchObject({ revision: 0, basedOn: 0 });
    await graceWrites(withSkus('grace'));
    expect((await adaSaves(seen, withSkus('ada'))).outcome).toBe('draft_conflict');
  });

  it('counts as changed once, also if it is published itself', async () => {
    const publication = { gameId, revision: 0, note: '' };
    expect(await publishDraft(world.pool, publication, ada)).toMatchObject({
      outcome: 'published',
      version: 1,
    });
    expect(await findDraft(world.pool, gameId)).toMatchObject({ revision: 1, isEdited: false, basedOn: 1 });
    expect((await graceWrites(withSkus('grace'))).outcome).toBe('published');
    expect((await graceWrites(withSkus('grace'))).outcome).toBe('unchanged');
    expect(await findDraft(world.pool, gameId)).toMatchObject({ revision: 2, updatedBy: 'Grace' });
  });

  it('is read as of one moment', async () => {
    await graceWrites(withSkus('old'));
    const seen = await findDraft(
      interrupted(world.pool, 'query', () => graceWrites(withSkus('old', 'grace'))),
      gameId,
    );
    expect(skuIds(seen.document)).toEqual(['old']);
    expect((await adaSaves(seen, withSkus('old', 'ada'))).outcome).toBe('draft_conflict');
  });

  it('does not take a file in over a publication that came between reading and saving it', async () => {
    await graceWrites(withSkus('old'));
    const reading = readCatalogueValue([sku('ada')]);
    const pool = interrupted(world.pool, 'connect', () => graceWrites(withSkus('old', 'grace')));
    const taken = await importCatalogue(pool, { gameId, reading, mode: 'merge' }, ada);
    expect(taken).toMatchObject({ outcome: 'draft_conflict', updatedBy: 'Grace' });
    expect(skuIds((await findDraft(world.pool, gameId)).document)).toEqual(['old', 'grace']);
  });
});

it('a draft that is edited keeps its revision when others publish, and is told when it is published', async () => {
  await graceWrites(withSkus('old'));
  await adaSaves(await findDraft(world.pool, gameId), withSkus('old', 'ada'));
  const edited = await findDraft(world.pool, gameId);
  await graceWrites(withSkus('old', 'grace'));
  expect(await findDraft(world.pool, gameId)).toEqual({ ...edited, publishedVersion: 2 });
  const { revision } = edited;
  const published = await publishDraft(world.pool, { gameId, revision, note: '' }, ada);
  expect(published).toMatchObject({ outcome: 'conflict', version: 2, author: 'Grace' });
});

it('what makes no sense is refused without waiting for who is changing the game', async () => {
  await graceWrites(withSkus('old'));
  await adaSaves(await findDraft(world.pool, gameId), withSkus('ada'));
  const draft = await findDraft(world.pool, gameId);
  // As an older version of this service, with other rules, could have left them.
  await world.pool.query(`update config_drafts set document = '{}' where game_id = $1`, [gameId]);
  await world.pool.query(
    `insert into config_versions (game_id, version, document, author, published_at) values ($1, 9, '{}', 'x', now())`,
    [gameId],
  );
  const other = await world.pool.connect();
  try {
    await other.query('begin');
    await other.query('select from games where id = $1 for update', [gameId]);
    const { revision } = draft;
    const attempts: Promise<{ outcome: string } | PublishOutcome>[] = [
      adaSaves(draft, {}),
      publishConfig(world.pool, { gameId, document: {}, note: '' }, ada),
      publishDraft(world.pool, { gameId, revision, note: '' }, ada),
    ];
    for (const { outcome } of await Promise.all(attempts)) expect(outcome).toBe('invalid');
    const back = await rollBackConfig(world.pool, { gameId, version: 9, note: '' }, ada);
    expect(back.outcome).toBe('invalid');
  } finally {
    await other.query('rollback');
    other.release();
  }
});

/** The pool, with something that others do after its first statement, or before its first transaction. */
function interrupted(pool: Pool, moment: 'query' | 'connect', others: () => Promise<unknown>): Pool {
  let isDone = false;
  const once = async () => {
    if (isDone) return;
    isDone = true;
    await others();
  };
  const call = {
    query: async (...parameters: unknown[]) => {
      const result = await Reflect.apply(pool.query, pool, parameters);
      if (moment === 'query') await once();
      return result;
    },
    connect: async () => {
      if (moment === 'connect') await once();
      return pool.connect();
    },
  };
  return new Proxy(pool, {
    get: (target, name) =>
      name === 'query' || name === 'connect' ? call[name] : Reflect.get(target, name, target),
  });
}
