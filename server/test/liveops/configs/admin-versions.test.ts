import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertGame } from '../../../src/platform/admin-api/tenants.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
let admin: AdminClient;
const first = gameDocument([sku('a')]);
const second = gameDocument([sku('a'), sku('b')]);
let versions: [number, number];
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  versions = [
    await publish(harness.pool, first, harness.clock.now()),
    await publish(harness.pool, second, harness.clock.now()),
  ];
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const read = <T = Record<string, unknown>>(path: string) =>
  admin.ask<T>('GET', `${GAME}/versions${path}`, undefined, admin.tokens.viewer);

describe('published versions', () => {
  it('are listed newest first, page by page', async () => {
    type Listed = { publishedVersion: number; versions: { version: number }[] };
    const all = await read<Listed>('');
    expect(all.publishedVersion).toBe(versions[1]);
    expect(all.versions[0]).toEqual({
      version: versions[1],
      author: 'test',
      authorEmail: null,
      note: '',
      publishedAt: new Date(harness.clock.now()).toISOString(),
      copyOf: null,
    });
    const paged: number[] = [];
    for (let before = ''; ; ) {
      const page = await read<Listed>(`?limit=1${before}`);
      if (page.versions.length === 0) break;
      paged.push(...page.versions.map(({ version }) => version));
      before = `&before=${paged.at(-1)}`;
    }
    expect(paged).toEqual(all.versions.map(({ version }) => version));
    expect(paged).toEqual([3, 2, 1]);
  });

  it('are read with their documents, back to the one every game begins with', async () => {
    expect(await read(`/${versions[0]}`)).toMatchObject({ version: versions[0], document: first });
    expect(await read('/0')).toMatchObject({ version: 0, publishedAt: null, document: { catalogue: [] } });
    expectGeneralError(await admin.call('GET', `${GAME}/versions/999`), 404, 'version_not_found');
  });

  it('are compared with the one before, or with any', async () => {
    const added = { path: 'catalogue/b', change: 'added', before: null };
    const removed = { path: 'catalogue/b', change: 'removed', after: null };
    const [older, newer] = versions;
    expect(await read(`/${newer}/difference`)).toMatchObject({ against: older, difference: [added] });
    expect(await read(`/${older}/difference?against=${newer}`)).toMatchObject({ difference: [removed] });
    expect(await read(`/${older}/difference?against=${older}`)).toMatchObject({ difference: [] });
    expect(await read('/0/difference')).toMatchObject({ version: 0, against: 0, difference: [] });
    expectGeneralError(
      await admin.call('GET', `${GAME}/versions/${newer}/difference?against=99`),
      404,
      'version_not_found',
    );
  });

  it.each([
    '?limit=0',
    '?limit=201',
    '?limit=x',
    '?limit=1&limit=2',
    '?before=-1',
    '?before=99999999999',
    '/x',
    '/1e1',
    '/99999999999',
    '/2/difference?against=',
  ])('are not asked for with %s', async (path) => {
    expectGeneralError(await admin.call('GET', `${GAME}/versions${path}`), 400, 'parameter_invalid');
  });

  it('go back: an old one is published again as the next', async () => {
    const session = await harness.login();
    const [older, newer] = versions;
    const rollBack = (version: number, rest = {}) =>
      admin.call('POST', `${GAME}/versions/${version}/roll-back`, { note: 'no good', ...rest });
    const back = await rollBack(older);
    expect(back.statusCode, back.body).toBe(201);
    expect(back.json().data).toMatchObject({
      version: newer + 1,
      difference: [{ path: 'catalogue/b', change: 'removed' }],
    });
    expect(await read(`/${newer + 1}`)).toMatchObject({
      copyOf: older,
      note: 'no good',
      author: 'editor of demo-studio',
      document: first,
    });
    const store = await get(harness.app, '/v1/player/store_configs', session);
    expect(store.json().activeSkus.map(({ skuId }: { skuId: string }) => skuId)).toEqual(['a']);

    expectGeneralError(await rollBack(older), 409, 'nothing_to_publish');
    expectGeneralError(await rollBack(99), 404, 'version_not_found');
  });

  it('go back to what every game begins with', async () => {
    const before = await publish(harness.pool, second, harness.clock.now());
    const path = `${GAME}/versions/0/roll-back`;
    const back = await admin.ask('POST', path, { note: 'over again' }, undefined, 201);
    expect(back).toMatchObject({ version: before + 1 });
    const { document } = await read('/0');
    expect(await read(`/${before + 1}`)).toMatchObject({ copyOf: 0, note: 'over again', document });
    expectGeneralError(await admin.call('POST', path, { note: '' }), 409, 'nothing_to_publish');

    await insertGame(harness.pool, 'demo-studio', 'untouched', 'Untouched');
    const untouched = await admin.call('POST', '/games/untouched/versions/0/roll-back', { note: '' });
    expectGeneralError(untouched, 409, 'nothing_to_publish');
    expect(untouched.json().error.version).toBe(0);
  });

  it('do not go back over one that the editor has not seen', async () => {
    const seen = await publish(harness.pool, first, harness.clock.now());
    const theirs = await publish(harness.pool, second, harness.clock.now());
    const rollBack = (basedOn: number) =>
      admin.call('POST', `${GAME}/versions/1/roll-back`, { note: '', basedOn });
    const refused = await rollBack(seen);
    expectGeneralError(refused, 409, 'version_conflict');
    expect(refused.json().error).toMatchObject({
      version: theirs,
      author: 'test',
      difference: [{ path: 'catalogue/b', change: 'added' }],
    });
    for (const unknown of [theirs + 1, 2 ** 40, -1]) {
      expectGeneralError(await rollBack(unknown), 400, 'body_invalid');
    }
    expect(await read('')).toMatchObject({ publishedVersion: theirs });
    expect((await rollBack(theirs)).json().data).toMatchObject({ version: theirs + 1 });
  });

  it('ask before an old price that is higher comes back', async () => {
    const discounted = (discountPercent: string) =>
      gameDocument([sku('gems')], { offers: [offer('sale', { effect: { price: { discountPercent } } })] });
    const dear = await publish(harness.pool, discounted('10'), harness.clock.now());
    await publish(harness.pool, discounted('50'), harness.clock.now());
    const path = `${GAME}/versions/${dear}/roll-back`;
    const refused = await admin.call('POST', path, { note: '' });
    expectGeneralError(refused, 409, 'price_raise_unconfirmed');
    expect(refused.json().error.raises).toEqual([expect.objectContaining({ from: '2.49', to: '4.49' })]);
    await admin.ask('POST', path, { note: '', confirmPriceRaises: true }, undefined, 201);
  });
});
