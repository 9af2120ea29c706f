import { expect, it } from 'vitest';
import { answerCsv, cellText } from '../src/lib/sql-answer.js';

it('shows decimals without superfluous zeros, and structures as JSON', () => {
  expect(cellText('4.990000', 'DECIMAL(18,6)')).toBe('4.99');
  expect(cellText('5.000000', 'DECIMAL(18,6)')).toBe('5');
  expect(cellText('100', 'DECIMAL(18,0)')).toBe('100');
  expect(cellText('1.50', 'VARCHAR')).toBe('1.50');
  expect(cellText({ a: [1] }, 'STRUCT(a INTEGER[])')).toBe('{"a":[1]}');
  expect(cellText(null, 'VARCHAR')).toBe('');
});

it('writes a file in which nothing that a player wrote is a formula', () => {
  const columns = [
    { name: 'name', type: 'VARCHAR' },
    { name: 'n', type: 'INTEGER' },
  ];
  const rows = [
    ['=cmd()', -5],
    ['a "b", c', 1],
  ];
  expect(answerCsv({ columns, rows, isCut: false })).toBe(`name,n\r\n'=cmd(),-5\r\n"a ""b"", c",1\r\n`);
});
