import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../../src/decide/document/document.js';
import type { SkuEntry } from '../../../../src/decide/document/parts/catalogue.js';
import { insertTenant } from '../../../../src/platform/admin-api/tenants.js';
import { configWith, offer, sku } from '../../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { createHarness, type Harness } from '../../../support/harness.js';

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

type Draft = { revision: number; document: ConfigDocument };
const draft = () => admin.ask<Draft>('GET', `${GAME}/draft`);
const skuIds = async () => (await draft()).document.catalogue.map(({ skuId }) => skuId);

const download = (query = '', token: string | null = admin.tokens.viewer) =>
  admin.call('GET', `${GAME}/draft/catalogue${query}`, undefined, token);
const upload = (
  query: string,
  payload: string | Buffer,
  type = 'text/csv',
  headers: Record<string, string> = {},
  token = admin.tokens.editor,
) =>
  admin.app.inject({
    method: 'PUT',
    url: `/admin/v1${GAME}/draft/catalogue${query}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
    payload,
  });

const HEADER =
  'skuId,active,hidden,from,until,defaultCurrency,name,description,assets,price:USD,offerPrice:USD';
const csv = (...lines: string[]) => [HEADER, ...lines].map((line) => `${line}\r\n`).join('');
const [a, b] = [sku('a'), sku('b', { name: { default: '=cmd()', locales: { de: 'B, "groß"' } } })];

let revision: number;
beforeEach(async () => {
  const before = await draft();
  const document = configWith({ catalogue: [a, b], offers: [offer('sale', { skus: ['a'] })] });
  ({ revision } = await admin.ask<Draft>('PUT', `${GAME}/draft`, { revision: before.revision, document }));
});

describe('the catalogue of the draft', () => {
  it('goes out as a file and comes back, in both formats, as it was', async () => {
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['json', 'application/json'],
    ] as const) {
      const file = await download(`?format=${format}`);
      expect(file.headers).toMatchObject({
        'content-type': `${type}; charset=utf-8`,
        'content-disposition': `attachment; filename="demo-game-catalogue.${format}"`,
        'x-draft-revision': String(revision),
        'cache-control': 'no-store',
      });
      const back = await upload(`?mode=replace&revision=${revision}`, file.body, type);
      expect(back.statusCode, back.body).toBe(200);
      expect(back.json()).toEqual({
        data: { revision, added: 0, changed: 0, removed: 0, unchanged: 2 },
        status: 'success',
      });
      expect((await draft()).document.catalogue).toEqual([a, b]);
    }
    expect((await download()).json()).toEqual([a, b]);
  });

  it('refuses JSON in a cell that the database cannot hold', async () => {
    const half = '[{""assetId"":""x"",""type"":""png"",""url"":""https://\\ud83d""}]';
    const response = await upload(`?revision=${revision}`, csv(`a,true,,,,USD,A,,"${half}",9.99,`));
    expectGeneralError(response, 422, 'catalogue_invalid');
    expect(response.json().error.rows).toEqual([
      { row: 2, column: 'assets', message: expect.stringContaining('it cannot be stored') },
    ]);
    expect(await skuIds()).toEqual(['a', 'b']);
  });

  it('takes rows in by their ids, as one audited change', async () => {
    const file = csv('c,true,,,,USD,C,,,5.00,', 'a,false,,,,USD,A,,,9.99,4.99');
    const response = await upload(`?revision=${revision}`, file, 'text/csv; charset=utf-8');
    expect(response.json().data).toEqual({
      revision: revision + 1,
      added: 1,
      changed: 1,
      removed: 0,
      unchanged: 1,
    });
    const { catalogue } = (await draft()).document;
    expect(catalogue.map(({ skuId }) => skuId)).toEqual(['a', 'b', 'c']);
    expect(catalogue[0]).toMatchObject({
      active: false,
      prices: { USD: { actualPrice: '9.99', offerPrice: '4.99' } },
    });
    const { rows } = await harness.pool.query(
      'select actor, action, target from audit_log order by id desc limit 1',
    );
    expect(rows).toEqual([
      { actor: 'editor of demo-studio', action: 'draft.save', target: `draft ${revision + 1}` },
    ]);
  });

  it('changes only the columns that a file has, also where the file replaces all', async () => {
    for (const [mode, name] of [
      ['merge', 'Ruby'],
      ['replace', 'Opal'],
    ]) {
      const { revision: before, document } = await draft();
      const file = `skuId,name\r\na,${name}\r\nb,B\r\n`;
      const response = await upload(`?mode=${mode}&revision=${before}`, file);
      expect(response.statusCode, response.body).toBe(200);
      const [first] = document.catalogue;
      expect((await draft()).document.catalogue[0]).toEqual({
        ...first,
        name: { ...first?.name, default: name },
      });
    }
  });

  it('or is replaced by the file, in its order', async () => {
    const skus: SkuEntry[] = [sku('z'), { ...a, active: false }];
    const response = await upload(
      `?mode=replace&revision=${revision}`,
      JSON.stringify(skus),
      'application/json',
    );
    expect(response.json().data).toMatchObject({ added: 1, changed: 1, removed: 1, unchanged: 0 });
    expect((await draft()).document.catalogue).toEqual(skus);
  });

  it('stays as it is if anything is wrong with the file, all of which is said', async () => {
    const bad = csv(
      'b,true,,,,USD,B,,,1.999,',
      'c,maybe,,,,USD,C,,,1,',
      'd,true,,,,EUR,D,,"[{""assetId"":""x""}]",1,2',
    );
    const response = await upload(`?revision=${revision}`, bad);
    expectGeneralError(response, 422, 'catalogue_invalid');
    expect(response.json().error.rows).toEqual(
      expect.arrayContaining([
        { row: 3, column: 'active', message: 'Write true or false.' },
        { row: 2, column: 'price:USD', message: 'An amount of USD has 2 decimals at most.' },
        { row: 4, column: 'assets', message: '0/url: This member is missing.' },
      ]),
    );
    const cheap = csv('x,true,,,,EUR,X,,,1,2');
    const second = await upload(`?revision=${revision}`, cheap);
    expect(second.json().error.rows).toEqual([
      { row: 2, column: 'defaultCurrency', message: 'There is no price in EUR.' },
      { row: 2, column: 'offerPrice:USD', message: 'The offer price is above the actual price of 1.' },
    ]);
    const json = await upload(
      `?revision=${revision}`,
      JSON.stringify([sku('y'), { ...sku('x'), active: 'yes' }, 7]),
      'application/json',
    );
    expectGeneralError(json, 422, 'catalogue_invalid');
    expect(json.json().error.rows).toEqual(
      expect.arrayContaining([
        { row: 2, column: 'active', message: expect.any(String) },
        { row: 3, column: null, message: expect.any(String) },
      ]),
    );
    expect(await draft()).toMatchObject({ revision, document: { catalogue: [a, b] } });
  });

  it('cannot lose a SKU that an offer is about', async () => {
    const response = await upload(
      `?mode=replace&revision=${revision}`,
      JSON.stringify([b]),
      'application/json',
    );
    expectGeneralError(response, 422, 'catalogue_invalid');
    expect(response.json().error.rows).toEqual([
      { row: null, column: null, message: expect.stringMatching(/^offer "sale" \(\/offers\/0\/skus\/0\): /) },
    ]);
    expect(await skuIds()).toEqual(['a', 'b']);
  });

  it('is not overwritten by who has seen an older revision', async () => {
    const file = csv('c,true,,,,USD,C,,,5,');
    expect((await upload(`?revision=${revision}`, file)).statusCode).toBe(200);
    const response = await upload(`?revision=${revision}`, csv('d,true,,,,USD,D,,,5,'));
    expectGeneralError(response, 409, 'draft_conflict');
    expect(response.json().error).toMatchObject({
      revision: revision + 1,
      updatedBy: 'editor of demo-studio',
      difference: [{ path: 'catalogue/d', change: 'added' }],
    });
    expect(await skuIds()).toEqual(['a', 'b', 'c']);
  });

  it('is read by viewers, written by editors, and unknown to other studios', async () => {
    expect((await download('', null)).statusCode).toBe(401);
    const file = csv('c,true,,,,USD,C,,,5,');
    expectGeneralError(
      await upload(`?revision=${revision}`, file, 'text/csv', {}, admin.tokens.viewer),
      403,
      'role_too_low',
    );
    await insertTenant(harness.pool, 'other-studio', 'Other');
    const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await download('', stranger), 404, 'game_not_found');
    expectGeneralError(
      await upload(`?revision=${revision}`, file, 'text/csv', {}, stranger),
      404,
      'game_not_found',
    );
    expect(await skuIds()).toEqual(['a', 'b']);
  });

  it.each([
    ['an unknown format', () => download('?format=xml'), 400, 'parameter_invalid'],
    ['two formats', () => download('?format=csv&format=csv'), 400, 'parameter_invalid'],
    ['no revision', () => upload('', csv()), 400, 'parameter_invalid'],
    ['an unknown mode', () => upload(`?revision=${revision}&mode=add`, csv()), 400, 'parameter_invalid'],
    ['no body', () => upload(`?revision=${revision}`, '', 'application/json'), 400, 'body_invalid'],
    ['broken UTF-8', () => upload(`?revision=${revision}`, Buffer.from([0x61, 0xff])), 400, 'invalid_utf8'],
    ['another type', () => upload(`?revision=${revision}`, 'x', 'text/plain'), 415, 'unsupported_media_type'],
    [
      'an unknown encoding',
      () => upload(`?revision=${revision}`, 'x', 'text/csv', { 'content-encoding': 'x' }),
      415,
      'unsupported_encoding',
    ],
    [
      'too much',
      () => upload(`?revision=${revision}`, 'x'.repeat(4 * 1024 * 1024 + 1)),
      413,
      'body_too_large',
    ],
    [
      'too much once it is unpacked',
      () =>
        upload(`?revision=${revision}`, gzipSync('x'.repeat(4 * 1024 * 1024 + 1)), 'text/csv', {
          'content-encoding': 'gzip',
        }),
      413,
      'body_too_large',
    ],
    ['an empty file', () => upload(`?revision=${revision}`, ''), 422, 'catalogue_invalid'],
  ] as const)('is refused %s', async (_what, request, status, code) => {
    expectGeneralError(await request(), status, code);
    expect(await draft()).toMatchObject({ revision });
  });

  it('may come compressed', async () => {
    const file = gzipSync(csv('c,true,,,,USD,C,,,5,'));
    const response = await upload(`?revision=${revision}`, file, 'text/csv', { 'content-encoding': 'gzip' });
    expect(response.json().data).toMatchObject({ added: 1 });
  });
});
