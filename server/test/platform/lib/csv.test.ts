import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvReading, readCsv } from '../../../src/platform/lib/csv-reader.js';
import { csvRow } from '../../../src/platform/lib/csv-writer.js';

const LIMITS = { rows: 100, columns: 20 };
const read = (text: string) => readCsv(text, LIMITS);
const texts = (reading: CsvReading) =>
  reading.ok ? reading.rows.map(({ row, cells }) => [row, ...cells.map(({ text }) => text)]) : reading.fault;

it('what is written is read, an empty text told from no text', () => {
  const cell = fc.option(
    fc
      .array(fc.constantFrom('"', ',', '\r', '\n', ';', '\t', ' ', 'a', '\ufeff'), { maxLength: 5 })
      .map((all) => all.join('')),
  );
  // A header that says what separates the cells, and one cell a row that is not blank.
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constant('x'), cell, cell), { maxLength: 5 }), (rows) => {
      const reading = read([['a', 'b', 'c'], ...rows].map(csvRow).join(''));
      expect(reading.ok && reading.rows.slice(1).map(({ cells }) => cells)).toEqual(
        rows.map((cells) =>
          cells.map((text) => ({
            text: text ?? '',
            isQuoted: text !== null && text !== 'x' && (text === '' || /[",\r\n]|^\s|\s$/.test(text)),
          })),
        ),
      );
    }),
  );
});

describe('blank rows', () => {
  it.each(['\r\n', '\n', ',,\r\n', '"",,""\r\n', ' , ,\r\n'])('%j is left out, and counted', (blank) => {
    expect(texts(read(`a,b,c\r\n${blank}1,2,3\r\n${blank}`))).toEqual([
      [1, 'a', 'b', 'c'],
      [3, '1', '2', '3'],
    ]);
  });
});

describe("Excel's separator line", () => {
  it.each(['sep=,\r\n', '\ufeffsep=,\r\n', '"sep=,"\n', 'SEP=,\n', 'sep=\r\n'])('%j is no row', (line) => {
    expect(texts(read(`${line}a,b\r\n1,2`))).toEqual([
      [1, 'a', 'b'],
      [2, '1', '2'],
    ]);
  });

  it('is counted when a spreadsheet has shown it as a row', () => {
    expect(texts(read('sep=,,,\r\na,b,c\r\n'))).toEqual([[2, 'a', 'b', 'c']]);
  });
});

describe('another separator is named', () => {
  it.each([
    ['a;b;c\r\n1;2,5;3', 'semicolons'],
    ['"a";"b, c, d, e";"c"', 'semicolons'],
    ['\ufeffsep=;\r\na;b\r\n', 'semicolons'],
    ['a\tb\tc', 'tabs'],
    ['sep=\t\na\tb', 'tabs'],
    ['a|b', 'vertical bars'],
  ])('%j', (text, name) => {
    expect(texts(read(text))).toEqual({
      row: null,
      message: expect.stringMatching(
        new RegExp(`^This file is separated by ${name}\\. Separate its cells by commas: `),
      ),
    });
  });

  it.each(['a', 'a,b;c', '"a;b;c",d', ''])('but not for %j', (text) => {
    expect(read(text).ok).toBe(true);
  });
});
