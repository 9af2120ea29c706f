import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REJECTIONS } from '../src/core/events/intake/rejections.js';
import { ADMIN_ERRORS, ERRORS } from '../src/platform/errors.js';

const [, player = '', events = '', admin = ''] = readFileSync(
  new URL('../../docs/troubleshooting.md', import.meta.url),
  'utf8',
).split(/^## /m);

/** The first cell of each row, and the second where there is a status. */
const rowsOf = (section: string) =>
  [...section.matchAll(/^\| `(\w+)` \| (\d{3})?/gm)].map(([, code = '', status]) => [code, Number(status)]);
const byCode = (rows: (string | number)[][]) => rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));

it('the guide to troubleshooting names every error code, with its status, and no other', () => {
  const table = (codes: string[]) =>
    byCode(codes.map((code) => [code, ERRORS[code as keyof typeof ERRORS].status]));
  const adminCodes = Object.keys(ADMIN_ERRORS);
  const playerCodes = Object.keys(ERRORS).filter((code) => !adminCodes.includes(code));
  expect(byCode(rowsOf(player))).toEqual(table(playerCodes));
  expect(byCode(rowsOf(admin))).toEqual(table(adminCodes));
});

it('the guide to troubleshooting names every reason for which an event is refused, and no other', () => {
  expect(rowsOf(events).map(([code]) => code)).toEqual(Object.keys(REJECTIONS));
});
