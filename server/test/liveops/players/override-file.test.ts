import { expect, it } from 'vitest';
import { MAX_OVERRIDE_ROWS, readOverrideFile } from '../../../src/liveops/players/override-file.js';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const ID = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';
const HEADER = 'playerId,flagId,value,reason,until';
const read = (...lines: string[]) => readOverrideFile(lines.join('\r\n'), NOW);

it('reads a row for each flag of each player, whatever the order of the columns', () => {
  expect(
    read(
      'reason,value,flagId,playerId,until',
      `"Paid, by bank",TRUE,isPayer,${ID.toUpperCase()},2027-01-01T00:00:00Z`,
      '',
      `,clear,vip,${ID},`,
    ),
  ).toEqual({
    errors: [],
    rows: [
      {
        row: 2,
        userId: ID,
        flagId: 'isPayer',
        value: true,
        reason: 'Paid, by bank',
        until: Date.parse('2027-01-01T00:00:00Z'),
      },
      { row: 4, userId: ID, flagId: 'vip', value: null, reason: '', until: null },
    ],
  });
});

it('does not need the column of the end', () => {
  expect(read('playerId,flagId,value,reason', `${ID},vip,false,r`).rows).toMatchObject([{ until: null }]);
});

it.each([
  ['', null, null, 'The file is empty.'],
  ['playerId;flagId;value;reason', null, null, 'separated by semicolons'],
  ['playerId,flagId,value', 1, 'reason', 'The first row must name this column, too.'],
  ['playerId,flag,value,reason', 1, 'flag', 'The columns are playerId, flagId'],
  ['playerId,playerId,flagId,value,reason', 1, 'playerId', 'two columns'],
])('cannot read a file that begins with %j', (header, row, column, message) => {
  const { rows, errors } = read(header);
  expect(rows).toEqual([]);
  expect(errors).toEqual([{ row, column, message: expect.stringContaining(message) }]);
});

it.each([
  ['x,isPayer,true,r,', 'playerId', 'userId'],
  [`${ID},Not a flag,true,r,`, 'flagId', 'cannot be'],
  [`${ID},isPayer,yes,r,`, 'value', 'true or false'],
  [`${ID},isPayer,,r,`, 'value', 'true or false'],
  [`${ID},isPayer,true,,`, 'reason', 'Say why'],
  [`${ID},isPayer,true,${'x'.repeat(1_001)},`, 'reason', '1000 characters'],
  [`${ID},isPayer,true,a\0b,`, 'reason', 'NUL'],
  [`${ID},isPayer,true,r,2026-11-16T12:00:00Z`, 'until', 'in the future'],
  [`${ID},isPayer,true,r,tomorrow`, 'until', 'in the future'],
])('tells what is wrong with %s', (line, column, message) => {
  const { rows, errors } = read(HEADER, `${ID},vip,true,r,`, line);
  expect(rows.map(({ row }) => row)).toEqual([2]);
  expect(errors).toEqual([{ row: 3, column, message: expect.stringContaining(message) }]);
});

it('refuses two rows for one flag of one player, and more rows than a file may have', () => {
  const { errors } = read(HEADER, `${ID},vip,true,r,`, `${ID.toUpperCase()},vip,false,r,`);
  expect(errors).toEqual([
    { row: 3, column: null, message: 'This flag of this player stands in row 2 already.' },
  ]);
  const many = Array.from({ length: MAX_OVERRIDE_ROWS + 1 }, () => `${ID},vip,true,r,`);
  expect(read(HEADER, ...many).errors).toEqual([
    { row: null, column: null, message: expect.stringContaining('20000 rows at most') },
  ]);
});

it('tells a thousand mistakes at most', () => {
  const wrong = Array.from({ length: 2_000 }, () => 'x,y,z,,');
  expect(read(HEADER, ...wrong).errors).toHaveLength(1_000);
});
