import { describe, expect, it } from 'vitest';
import { readCatalogueCsv } from '../../../../src/liveops/configs/catalogue/catalogue-csv.js';

const HEADER = 'skuId,active,hidden,from,until,defaultCurrency,name,description,assets,price:USD';
const csv = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('');
const errorsOf = (...lines: string[]) =>
  readCatalogueCsv(csv(...lines)).errors.map(
    ({ row, column, message }) => `${row ?? '-'} ${column ?? '-'} ${message}`,
  );

describe('what spreadsheets make of a catalogue', () => {
  it('is read: rows and columns of nothing, a separator line, blanks around a title', () => {
    const { rows, errors } = readCatalogueCsv(
      csv(
        'sep=,',
        `${HEADER.replace('active', ' active ')},,`,
        'a,true,,,,USD,,,,1,,',
        ',,,,,,,,,,,',
        'b,true,,,,USD,,,,2,,',
        ',,,',
      ),
    );
    expect(errors).toEqual([]);
    expect(rows.map(({ row, sku }) => [row, sku.skuId])).toEqual([
      [2, 'a'],
      [4, 'b'],
    ]);
  });

  it.each([
    [HEADER.replaceAll(',', ';'), 'semicolons'],
    [HEADER.replaceAll(',', '\t'), 'tabs'],
    [`sep=;\r\n${HEADER.replaceAll(',', ';')}`, 'semicolons'],
  ])('another separator is named: %.20j', (header, name) => {
    expect(errorsOf(header, 'a;true')).toEqual([
      expect.stringContaining(`This file is separated by ${name}. Separate its cells by commas: `),
    ]);
  });

  it('prices in the way of a region or with a currency are refused with what to write instead', () => {
    expect(
      errorsOf(HEADER, 'a,true,,,,USD,,,,"0,99"', 'b,true,,,,USD,,,,$4.99', 'c,true,,,,USD,,,,free'),
    ).toEqual([
      '2 price:USD "0,99" is not a price: write 0.99 (digits, and a point before the decimals).',
      '3 price:USD "$4.99" is not a price: write 4.99 (digits, and a point before the decimals).',
      '4 price:USD "free" is not a price: write digits, and a point before the decimals, as in 4.99.',
    ]);
    expect(errorsOf(HEADER, 'a,true,,,,USD,,,,0,99')).toEqual([
      '2 - The row has 11 cells, the first row 10. A cell with a comma in it must be quoted; decimals follow a point.',
    ]);
    // The last cell is empty, and 05 could be an offer price.
    expect(errorsOf(`${HEADER},offerPrice:USD`, 'a,true,,,,USD,,,,9,05,')).toEqual([
      '2 - The row has 12 cells, the first row 11. A cell with a comma in it must be quoted; decimals follow a point.',
    ]);
  });

  it.each([
    ['sku_id', 'skuId', 'There is no such column. Did you mean "skuId"?'],
    ['Active', 'active', 'There is no such column. Did you mean "active"?'],
    ['prize:USD', 'price:USD', 'There is no such column. Did you mean "price:USD"?'],
    ['price USD', 'price:USD', 'There is no such column. Did you mean "price:USD"?'],
    ['OfferPrice:USD', 'price:USD', 'There is no such column. Did you mean "offerPrice:USD"?'],
    ['price:usd', 'price:USD', '"usd" is not a currency of ISO 4217, such as USD. Did you mean "USD"?'],
  ])('the column %s', (title, meant, message) => {
    expect(errorsOf(HEADER.replace(meant, title))).toEqual([`1 ${title} ${message}`]);
  });

  it('a misspelt column beside the right one', () => {
    expect(errorsOf(`sku_id,${HEADER}`)).toEqual(['1 sku_id There is no such column. Did you mean "skuId"?']);
  });

  it('a column without a name is told by its number', () => {
    expect(errorsOf(HEADER.replace('hidden', 'hidden,'))).toEqual(['1 - Column 4 has no name.']);
  });
});
