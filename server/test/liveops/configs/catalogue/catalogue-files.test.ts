import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SkuEntry } from '../../../../src/decide/document/parts/catalogue.js';
import { validateDocument } from '../../../../src/decide/validate/validate-document.js';
import { catalogueToCsv, readCatalogueCsv } from '../../../../src/liveops/configs/catalogue/catalogue-csv.js';
import {
  catalogueToJson,
  readCatalogueJson,
} from '../../../../src/liveops/configs/catalogue/catalogue-json.js';
import { planImport } from '../../../../src/liveops/configs/catalogue/import-catalogue.js';
import { pairedDocuments } from '../../../decide/support/document-arbitrary.js';
import { configWith, sku } from '../../../decide/support/fixtures.js';

const HEADER = 'skuId,active,hidden,from,until,defaultCurrency,name,description,assets';
const csv = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('');

/** Texts with everything that CSV and spreadsheets make trouble of. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom('"', ',', '\r', '\n', "'", '=', '+', '-', '@', '\t', ' ', ';', '＝', '\ufeff', 'a'),
      {
        maxLength: 6,
      },
    )
    .map((parts) => parts.join('')),
);
const withoutNul = texts.map((text) => text.replaceAll('\0', ''));

/** Catalogues that could be published, with texts as nasty as can be. */
const catalogues: fc.Arbitrary<SkuEntry[]> = fc
  .tuple(pairedDocuments, fc.array(fc.record({ name: withoutNul, text: withoutNul }), { minLength: 4 }))
  .map(([{ document }, nasty]) =>
    document.catalogue.map((entry, index) => {
      const { name, text } = nasty[index] ?? { name: '', text: '' };
      const { hidden: _hidden, ...plain } = entry;
      return {
        ...(index % 2 === 0 ? plain : entry),
        skuId: `${text.replace(/[\p{Cc}]/gu, '')}${entry.skuId}`,
        name: { default: name, locales: { ...entry.name.locales, fr: text } },
        description: { ...entry.description, default: text },
      };
    }),
  );

describe('a catalogue goes out and comes back the same', () => {
  it('as CSV', () => {
    fc.assert(
      fc.property(catalogues, (skus) => {
        expect(validateDocument(configWith({ catalogue: skus })).ok).toBe(true);
        const file = catalogueToCsv(skus);
        const { rows, errors } = readCatalogueCsv(file);
        expect(errors).toEqual([]);
        expect(rows.map((row) => row.sku)).toStrictEqual(skus);
        expect(rows.map(({ row }) => row)).toEqual(skus.map((_, index) => index + 2));
        expect(catalogueToCsv(rows.map((row) => row.sku))).toBe(file);
      }),
      { numRuns: 500 },
    );
  });

  it('as JSON', () => {
    fc.assert(
      fc.property(catalogues, (skus) => {
        const { rows, errors } = readCatalogueJson(catalogueToJson(skus));
        expect(errors).toEqual([]);
        expect(rows).toStrictEqual(skus.map((entry, index) => ({ row: index + 1, sku: entry })));
      }),
    );
  });

  it('empty, too', () => {
    expect(catalogueToCsv([])).toBe(`${HEADER}\r\n`);
    expect(readCatalogueCsv(catalogueToCsv([]))).toMatchObject({ rows: [], errors: [] });
    expect(readCatalogueJson(catalogueToJson([]))).toMatchObject({ rows: [], errors: [] });
  });
});

describe('a CSV file', () => {
  const gems = sku('gems', {
    name: { default: '80 gems', locales: { de: '80 "Steine"' } },
    prices: { USD: { actualPrice: '4.99', offerPrice: '3.99', floorPrice: '1' } },
  });

  it('has a row a SKU under a header', () => {
    expect(catalogueToCsv([gems, sku('pass', { hidden: false, from: '2026-12-24T18:00:00Z' })])).toBe(
      csv(
        `${HEADER},name:de,price:USD,offerPrice:USD,floorPrice:USD`,
        'gems,true,,,,USD,80 gems,About gems,,"80 ""Steine""",4.99,3.99,1',
        'pass,true,false,2026-12-24T18:00:00Z,,USD,Name of pass,About pass,,,10,10,',
      ),
    );
  });

  it('holds no cell that a spreadsheet takes for a formula', () => {
    const names = ['=1+1', '+1', '-50% off', '@SUM(A1)', '\t=1', "'=1", "''+1"];
    const skus = names.map((name, n) =>
      sku(`${name.trim()}${n}`, { name: { default: name, locales: { de: name } } }),
    );
    const file = catalogueToCsv(skus);
    const cells = file.split('\r\n').flatMap((line) => line.split(','));
    expect(cells.filter((cell) => /^"?[=+\-@\t]/.test(cell))).toEqual([]);
    expect(readCatalogueCsv(file).rows.map((row) => row.sku)).toEqual(skus);
    // Written by hand, without the apostrophe, it is the text that it is.
    expect(
      readCatalogueCsv(csv(`${HEADER},price:USD`, 'a,true,,,,USD,-50% off,,,1')).rows[0]?.sku.name.default,
    ).toBe('-50% off');
  });

  it('may have a byte order mark, other line ends, columns in any order, blank rows and shouted booleans', () => {
    const file =
      '\ufeffprice:USD,name,skuId,active,hidden,from,until,defaultCurrency,description,assets\n\n4.99,"Two\r\nlines",gems,TRUE,False,,,USD,,[]\r1,,b,false,,,,USD,,';
    const { rows, errors } = readCatalogueCsv(file);
    expect(errors).toEqual([]);
    expect(rows).toEqual([
      {
        row: 3,
        sku: {
          ...sku('gems', { hidden: false, prices: { USD: { actualPrice: '4.99', offerPrice: '4.99' } } }),
          name: { default: 'Two\r\nlines', locales: {} },
          description: { default: '', locales: {} },
        },
      },
      expect.objectContaining({ row: 4 }),
    ]);
  });

  it('may leave out every column but skuId: a new SKU is on sale, in the currency of its first price', () => {
    const { rows, errors } = readCatalogueCsv(csv('skuId,name,price:EUR,price:USD', 'gems,Gems,1.99,2.49'));
    expect(errors).toEqual([]);
    expect(rows[0]?.sku).toEqual({
      skuId: 'gems',
      name: { default: 'Gems', locales: {} },
      description: { default: '', locales: {} },
      prices: {
        EUR: { actualPrice: '1.99', offerPrice: '1.99' },
        USD: { actualPrice: '2.49', offerPrice: '2.49' },
      },
      defaultCurrency: 'EUR',
      assets: [],
      active: true,
      from: null,
      until: null,
    });
  });

  it('leaves a known SKU as it is where the file has no column, and empties it where a cell is empty', () => {
    const former = sku('gems', {
      name: { default: 'Gems', locales: { de: 'Steine', fr: 'Gemmes' } },
      prices: {
        USD: { actualPrice: '4.99', offerPrice: '3.99', floorPrice: '1' },
        EUR: { actualPrice: '5', offerPrice: '5' },
        JPY: { actualPrice: '500', offerPrice: '500' },
      },
      assets: [{ assetId: 'icon', type: 'image/png', url: 'https://cdn.example/icon.png' }],
      active: false,
      hidden: true,
      from: '2026-12-24T18:00:00Z',
    });
    const completed = (...lines: string[]) => {
      const { rows, complete } = readCatalogueCsv(csv(...lines));
      return rows.map((row) => complete(row.sku, former))[0];
    };
    expect(completed('skuId', 'gems')).toEqual(former);
    expect(completed('skuId,name:de,price:USD,price:JPY', 'gems,,6,')).toEqual({
      ...former,
      name: { default: 'Gems', locales: { fr: 'Gemmes' } },
      prices: { USD: { actualPrice: '6', offerPrice: '6', floorPrice: '1' }, EUR: former.prices.EUR },
    });
    const { hidden: _, ...shown } = former;
    expect(completed('skuId,hidden,active,from,assets,name', 'gems,,true,,,Stones')).toEqual({
      ...shown,
      name: { default: 'Stones', locales: former.name.locales },
      assets: [],
      active: true,
      from: null,
    });
  });

  it('tells an empty translation from none', () => {
    const { rows } = readCatalogueCsv(
      csv(`${HEADER},price:USD,name:de`, 'a,true,,,,USD,,,,1,""', 'b,true,,,,USD,,,,1,'),
    );
    expect(rows.map((row) => row.sku.name.locales)).toEqual([{ de: '' }, {}]);
  });

  it.each([
    ['', [null, null, 'The file is empty.']],
    ['a,"b\r\n', [1, null, 'A quoted cell does not end.']],
    ['a,b"c"\r\n', [1, null, 'A cell with a quote in it must be quoted, and the quote written twice.']],
    [
      `${HEADER}\r\n"a"b`,
      [2, null, 'After the quote that ends a cell, only a comma or the end of the row can follow.'],
    ],
    [
      `${HEADER},discount:USD`,
      [
        1,
        'discount:USD',
        expect.stringMatching(/^There is no such column\. There are skuId, .*price:<currency>/),
      ],
    ],
    [`${HEADER},price:xyz`, [1, 'price:xyz', '"xyz" is not a currency of ISO 4217, such as USD.']],
    [`${HEADER},name:__proto__`, [1, 'name:__proto__', '"__proto__" is not a locale, such as de or pt-BR.']],
    [`${HEADER},name`, [1, 'name', 'There are two columns of this name.']],
    [HEADER.replace('skuId,', ''), [1, 'skuId', 'The first row must name this column, too.']],
    [
      csv(HEADER, ...Array.from({ length: 1001 }, (_, n) => `s${n},true,,,,USD,,,`)),
      [null, null, 'A catalogue can have 1000 SKUs at most.'],
    ],
    // Nothing behind the bound is read: what is wrong there is not found.
    [
      csv(HEADER, ...Array.from({ length: 1001 }, (_, n) => `s${n},true,,,,USD,,,`), 'a"b'),
      [null, null, 'A catalogue can have 1000 SKUs at most.'],
    ],
    [`${HEADER}${','.repeat(661)}"b`, [1, null, 'There can be 669 columns at most.']],
    [csv(HEADER, `a${','.repeat(669)}"b`), [2, null, 'There can be 669 columns at most.']],
  ])('that cannot be read says where and why: %.40j', (file, [row, column, message]) => {
    expect(readCatalogueCsv(file)).toMatchObject({ rows: [], errors: [{ row, column, message }] });
  });

  it('can have 1000 SKUs, and any number of empty rows between them', () => {
    const file = csv(HEADER, ...Array.from({ length: 1000 }, (_, n) => `s${n},true,,,,USD,,,\r\n\n\r`));
    const { rows, errors } = readCatalogueCsv(file);
    expect(errors).toEqual([]);
    expect(rows).toHaveLength(1000);
    expect(rows.slice(0, 2).map(({ row }) => row)).toEqual([2, 6]);
  });

  it('says all that is wrong with its rows at once, and reads the others', () => {
    const { rows, errors } = readCatalogueCsv(
      csv(
        `${HEADER},price:USD,offerPrice:USD`,
        'a,yes,maybe,,,USD,,,{},1,',
        'b,true,,,,USD,,,,1,',
        'c,true',
        'd,true,,,,USD,,,,,5',
        'b,true,,,,USD,,,,1,',
        'e,true,,,,USD,x\0y,,,1,',
      ),
    );
    expect(rows.map(({ row }) => row)).toEqual([3, 6]);
    expect(errors).toEqual([
      { row: 2, column: 'assets', message: expect.stringContaining('Write a list as JSON') },
      { row: 2, column: 'active', message: 'Write true or false.' },
      { row: 2, column: 'hidden', message: 'Write true or false.' },
      { row: 4, column: null, message: 'The row has 2 cells, the first row 11.' },
      { row: 5, column: 'price:USD', message: 'There are other prices in USD, but not this one.' },
      { row: 7, column: 'name', message: 'A text cannot hold the character U+0000.' },
      { row: 6, column: 'skuId', message: '"b" stands in row 3 already.' },
    ]);
  });
});

it.each([
  ['nonsense', expect.stringContaining('The file is not JSON')],
  ['{}', expect.stringContaining('must be a list of SKUs')],
  [JSON.stringify(Array.from({ length: 1001 }, () => 1)), 'A catalogue can have 1000 SKUs at most.'],
])('a JSON file that cannot be read says why: %.20s', (file, message) => {
  expect(readCatalogueJson(file)).toMatchObject({ rows: [], errors: [{ row: null, column: null, message }] });
});

describe('taking rows in', () => {
  const [a, b, c] = [sku('a'), sku('b'), sku('c')];
  const newB = sku('b', { active: false });
  const rows = [
    { row: 2, sku: c },
    { row: 3, sku: newB },
    { row: 4, sku: a },
  ];

  it('merges by id: others stay, the order of what is there stays, new ones come last', () => {
    const plan = planImport([a, b, sku('z')], rows, 'merge');
    expect(plan.catalogue.map(({ skuId }) => skuId)).toEqual(['a', 'b', 'z', 'c']);
    expect(plan.catalogue[1]).toBe(newB);
    expect(plan.counts).toEqual({ added: 1, changed: 1, removed: 0, unchanged: 2 });
    expect([0, 1, 2, 3].map(plan.rowAt)).toEqual([4, 3, undefined, 2]);
  });

  it('or replaces all: what the file says, in its order', () => {
    const plan = planImport([a, b, sku('z')], rows, 'replace');
    expect(plan.catalogue).toEqual([c, newB, a]);
    expect(plan.counts).toEqual({ added: 1, changed: 1, removed: 1, unchanged: 1 });
    expect([0, 1, 2].map(plan.rowAt)).toEqual([2, 3, 4]);
  });
});
