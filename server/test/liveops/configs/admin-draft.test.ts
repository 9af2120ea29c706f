import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';

type DraftResponse = {
  revision: number;
  basedOn: number;
  isEdited: boolean;
  updatedBy: string | null;
  updatedAt: string | null;
  document: ConfigDocument;
};

let harness: Harness;
let admin: AdminClient;
let session: Session;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  session = await harness.login();
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const draft = () => admin.ask<DraftResponse>('GET', `${GAME}/draft`, undefined, admin.tokens.viewer);
const save = (revision: number, document: unknown, token = admin.tokens.editor) =>
  admin.call('PUT', `${GAME}/draft`, { revision, document }, token);
const publishDraft = (revision: number, rest: Record<string, unknown> = {}) =>
  admin.call('POST', `${GAME}/draft/publish`, { revision, note: 'note', ...rest });
const auditCount = async () =>
  Number((await harness.pool.query('select count(*) from audit_log')).rows[0]?.count);
const skusServed = async () => {
  const { activeSkus } = (await get(harness.app, '/v1/player/store_configs', session)).json();
  return activeSkus.map(({ skuId }: { skuId: string }) => skuId);
};

let counter = 0;
const anotherDocument = (...skuIds: string[]) =>
  gameDocument([...skuIds, `extra_${counter++}`].map((skuId) => sku(skuId)));

describe('the draft', () => {
  beforeEach(async () => {
    const { revision } = await draft();
    await admin.ask('DELETE', `${GAME}/draft?revision=${revision}`);
  });

  it('is what is published until it is edited, and again once it is thrown away', async () => {
    const published = anotherDocument('a');
    const version = await publish(harness.pool, published, harness.clock.now());
    const before = await draft();
    expect(before).toMatchObject({ isEdited: false, basedOn: version, document: published });

    const edited = anotherDocument('b');
    const saved = await save(before.revision, edited);
    expect(saved.statusCode, saved.body).toBe(200);
    expect(saved.json().data).toEqual({
      revision: before.revision + 1,
      basedOn: version,
      isEdited: true,
      updatedBy: 'editor of demo-studio',
      updatedByEmail: null,
      updatedAt: new Date(harness.clock.now()).toISOString(),
      document: edited,
    });
    expect(await draft()).toEqual(saved.json().data);
    expect(await skusServed()).toContain('a');
    const { games } = await admin.ask<{ games: unknown[] }>('GET', '/games');
    expect(games).toContainEqual({
      gameId: 'demo-game',
      name: expect.any(String),
      publishedVersion: version,
      draft: { revision: before.revision + 1, isEdited: true },
      retentionDays: null,
      unregisteredTypes: 'accept',
      erasureWaitDays: 0,
      erasurePage: false,
    });

    const discarded = await admin.ask<DraftResponse>(
      'DELETE',
      `${GAME}/draft?revision=${before.revision + 1}`,
    );
    expect(discarded).toMatchObject({ isEdited: false, document: published });
    expect(await draft()).toEqual(discarded);
  });

  it('stays at its revision when it is saved as it is', async () => {
    const before = await draft();
    expect((await save(before.revision, before.document)).json().data).toEqual(before);
    const edited = anotherDocument('c');
    await save(before.revision, edited);
    expect((await save(before.revision + 1, edited)).json().data).toMatchObject({
      revision: before.revision + 1,
      isEdited: true,
    });
    const reordered = { ...edited, catalogue: edited.catalogue.toReversed() };
    expect((await save(before.revision + 1, reordered)).json().data.revision).toBe(before.revision + 2);
  });

  it('tells the second of two editors what the first did, and keeps it', async () => {
    const grace = await admin.addToken('editor', { name: 'Grace' });
    const { revision } = await draft();
    const mine = anotherDocument('mine');
    const theirs = anotherDocument('theirs');
    const first = await save(revision, theirs, grace);
    expect(first.statusCode).toBe(200);
    const entries = await auditCount();

    for (const attempt of [
      await save(revision, mine),
      await admin.call('DELETE', `${GAME}/draft?revision=${revision}`),
      await publishDraft(revision),
    ]) {
      expectGeneralError(attempt, 409, 'draft_conflict');
      expect(attempt.json().error).toMatchObject({ revision: revision + 1, updatedBy: 'Grace' });
    }
    const conflict = await save(revision, mine);
    expect(conflict.json().error.difference).toContainEqual({
      path: 'catalogue/theirs',
      change: 'removed',
      before: expect.objectContaining({ skuId: 'theirs' }),
      after: null,
    });
    const unpublished = (await publishDraft(revision)).json().error;
    expect(unpublished.difference).toContainEqual(
      expect.objectContaining({ path: 'catalogue/theirs', change: 'added', before: null }),
    );
    expect((await draft()).document).toEqual(theirs);
    expect(await auditCount()).toBe(entries);
    expect((await save(revision + 1, mine)).statusCode).toBe(200);
  });

  it('of ten editors at once takes one', async () => {
    const { revision } = await draft();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => save(revision, anotherDocument(`racer_${n}`))),
    );
    const statuses = responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array(9).fill(409)]);
    const winner = responses.find(({ statusCode }) => statusCode === 200);
    expect(await draft()).toEqual(winner?.json().data);
  });

  it('is refused with every problem and its place when it makes no sense', async () => {
    const { revision, document } = await draft();
    const segment = { segmentId: 'x', name: 'X', visibleToClients: true, priority: 0 };
    const wrong = {
      ...document,
      segments: [{ ...segment, rule: 'purchases.total >\n purchase.total' }],
      offers: [offer('o', { skus: ['nowhere'] })],
    };
    const entries = await auditCount();
    const refused = await save(revision, wrong);
    expectGeneralError(refused, 422, 'document_invalid');
    const { problems } = refused.json().error;
    expect(problems).toContainEqual({
      pointer: '/segments/0/rule',
      subject: 'segment "x"',
      message: expect.stringContaining('purchase'),
      position: { offset: expect.any(Number), line: 2, column: 2 },
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ pointer: expect.stringMatching(/^\/offers\/0\/skus/), position: null }),
    );
    expect(await draft()).toMatchObject({ revision, isEdited: false });
    expect(await auditCount()).toBe(entries);

    const validate = (candidate: unknown) =>
      admin.ask('POST', `${GAME}/draft/validate`, { document: candidate }, admin.tokens.viewer);
    expect(await validate(wrong)).toEqual({ problems });
    expect(await validate(document)).toEqual({ problems: [] });
    expect(await validate(null)).toMatchObject({ problems: [{ pointer: '' }] });
  });

  it('shows what publishing it would change', async () => {
    const version = await publish(harness.pool, gameDocument([sku('a'), sku('b')]), harness.clock.now());
    const { revision } = await draft();
    await save(revision, gameDocument([sku('b'), sku('c')]));
    const response = await admin.ask<{ difference: { path: string; change: string }[] }>(
      'GET',
      `${GAME}/draft/difference`,
      undefined,
      admin.tokens.viewer,
    );
    expect(response).toMatchObject({ revision: revision + 1, basedOn: version, publishedVersion: version });
    expect(response.difference.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'removed catalogue/a',
      'added catalogue/c',
    ]);
  });
});

describe('publishing the draft', () => {
  it('makes it the next version, served with the next request', async () => {
    const { revision } = await draft();
    const { statusCode } = await save(revision, anotherDocument('fresh'));
    expect(statusCode).toBe(200);
    const { basedOn } = await draft();
    const published = await publishDraft(revision + 1, { note: 'fresh goods' });
    expect(published.statusCode, published.body).toBe(201);
    expect(published.json().data).toMatchObject({
      version: basedOn + 1,
      difference: expect.arrayContaining([expect.objectContaining({ path: 'catalogue/fresh' })]),
    });
    expect(await skusServed()).toContain('fresh');
    expect(await draft()).toMatchObject({ isEdited: false, basedOn: basedOn + 1, revision: revision + 2 });
    const entries = await auditCount();
    const again = await publishDraft(revision + 2);
    expectGeneralError(again, 409, 'nothing_to_publish');
    expect(again.json().error.version).toBe(basedOn + 1);
    expect(await auditCount()).toBe(entries);
  });

  it('is refused when another version was published meanwhile, until the draft is based on it', async () => {
    const { revision, basedOn } = await draft();
    await save(revision, anotherDocument('draft'));
    const version = await publish(harness.pool, anotherDocument('meanwhile'), harness.clock.now());
    const refused = await publishDraft(revision + 1);
    expectGeneralError(refused, 409, 'version_conflict');
    expect(refused.json().error).toMatchObject({ version, author: 'test' });
    expect(refused.json().error.difference).toContainEqual(
      expect.objectContaining({ path: 'catalogue/meanwhile', change: 'added' }),
    );
    expect(await skusServed()).toContain('meanwhile');

    const merged = anotherDocument('draft', 'meanwhile');
    for (const wrong of [basedOn - 1, version + 1]) {
      const body = { revision: revision + 1, document: merged, basedOn: wrong };
      expectGeneralError(await admin.call('PUT', `${GAME}/draft`, body), 400, 'body_invalid');
    }
    await admin.ask('PUT', `${GAME}/draft`, { revision: revision + 1, document: merged, basedOn: version });
    expect((await publishDraft(revision + 2)).json().data).toMatchObject({ version: version + 1 });
    expect(await skusServed()).toEqual(expect.arrayContaining(['draft', 'meanwhile']));
  });

  it('asks before it raises a price inside of a running offer', async () => {
    const discounted = (discountPercent: string) =>
      gameDocument([sku('gems')], { offers: [offer('sale', { effect: { price: { discountPercent } } })] });
    const version = await publish(harness.pool, discounted('50'), harness.clock.now());
    const { revision } = await draft();
    await save(revision, discounted('20'));
    const entries = await auditCount();
    for (const rest of [{}, { confirmPriceRaises: false }]) {
      const refused = await publishDraft(revision + 1, rest);
      expectGeneralError(refused, 409, 'price_raise_unconfirmed');
      expect(refused.json().error.raises).toEqual([
        {
          offerId: 'sale',
          skuId: 'gems',
          currency: 'USD',
          from: '2.49',
          to: '3.99',
          at: null,
          pointer: '/offers/0',
        },
      ]);
    }
    expect(await auditCount()).toBe(entries);
    const confirmed = await publishDraft(revision + 1, { confirmPriceRaises: true });
    expect(confirmed.json().data).toMatchObject({ version: version + 1 });
  });

  it('asks before a price goes up later, and says when', async () => {
    const sale = offer('sale', { effect: { price: { discountPercent: '50' } } });
    await publish(harness.pool, gameDocument([sku('gems')], { offers: [sale] }), harness.clock.now());
    const { revision } = await draft();
    const until = new Date(harness.clock.now() + 86_400_000).toISOString();
    await save(revision, gameDocument([sku('gems')], { offers: [{ ...sale, until }] }));
    const refused = await publishDraft(revision + 1);
    expectGeneralError(refused, 409, 'price_raise_unconfirmed');
    expect(refused.json().error.raises).toMatchObject([{ from: '2.49', to: '4.99', at: until }]);
    expect((await publishDraft(revision + 1, { confirmPriceRaises: true })).statusCode).toBe(201);
  });
});

describe('the calendar', () => {
  const calendar = (query: string) =>
    admin.call('GET', `${GAME}/calendar?${query}`, undefined, admin.tokens.viewer);
  const days = 'from=2026-11-15&to=2026-11-16';

  it('shows what runs when under the draft, and under what is published, for players of a zone', async () => {
    const version = await publish(harness.pool, anotherDocument(), harness.clock.now());
    const zone = 'player';
    const evening = { days: { every: 'day' as const }, from: '18:00', to: '20:00', zone };
    const schedule = { ...evening, firstDate: null, lastDate: null, except: [] };
    const edited = {
      ...anotherDocument(),
      offers: [offer('evening', { schedule })],
      calendar: { studioZone: 'Asia/Tokyo' },
    };
    expect((await save((await draft()).revision, edited)).statusCode).toBe(200);
    expect((await calendar(`${days}&zone=Europe/Berlin`)).json().data).toEqual({
      zone: 'Europe/Berlin',
      from: '2026-11-14T23:00:00.000Z',
      to: '2026-11-16T23:00:00.000Z',
      version: null,
      entries: [
        {
          part: 'offers',
          id: 'evening',
          label: '',
          windows: [
            { from: '2026-11-15T17:00:00.000Z', until: '2026-11-15T19:00:00.000Z' },
            { from: '2026-11-16T17:00:00.000Z', until: '2026-11-16T19:00:00.000Z' },
          ],
        },
      ],
      leftOut: 0,
    });
    expect((await calendar(days)).json().data).toMatchObject({
      zone: 'Asia/Tokyo',
      from: '2026-11-14T15:00:00.000Z',
      entries: [{ windows: [{ from: '2026-11-15T09:00:00.000Z' }, {}] }],
    });
    const published = (await calendar(`${days}&version=published`)).json().data;
    expect(published).toMatchObject({ zone: 'UTC', version, entries: [] });
  });

  it.each([
    'from=2026-11-15',
    'from=2026-11-15&to=2026-11-14',
    'from=2026-01-01&to=2026-12-31',
    'from=2026-02-30&to=2026-03-01',
    `${days}&zone=Mars/Base`,
    `${days}&version=7`,
  ])('refuses %s', async (query) => {
    expectGeneralError(await calendar(query), 400, 'parameter_invalid');
  });
});
