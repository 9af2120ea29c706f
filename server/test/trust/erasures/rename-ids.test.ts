import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRenamer } from '../../../src/trust/erasures/rename-ids.js';
import { runs } from '../../support/property-runs.js';

const USER_ID = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';
const rename = (ids: readonly string[], text: string) =>
  createRenamer(new Map(ids.map((id) => [id, id])), (id) => `<${ids.indexOf(id)}>`)(text);

it.each([
  [[USER_ID], `where id = '${USER_ID}'`, `where id = '<0>'`],
  [[USER_ID], `where id = '${USER_ID.toUpperCase()}'`, `where id = '<0>'`],
  [['tablet', 'e'], `select e.x from tablets e -- tablet`, `select <1>.x from tablets <1> -- <0>`],
  [
    ['type'],
    `select event_type from events where event_type = 'type'`,
    `select event_type from events where event_type = '<0>'`,
  ],
  [['GPA.1', 'GPA.1..2'], `'GPA.1..2' 'GPA.1'`, `'<1>' '<0>'`],
  [['1000'], 'transaction_id in (1000,10000, 1000)', 'transaction_id in (<0>,10000, <0>)'],
  [['%', '€ 5'], `like '%a% € 5'`, `like '<0>a<0> <1>'`],
  [[], 'select 1', 'select 1'],
  [['erased'], `'erased' 'erased:${'0'.repeat(29)}'`, `'<0>' 'erased:${'0'.repeat(29)}'`],
])('renames the ids %j', (ids, text, renamed) => {
  expect(rename(ids, text).text).toBe(renamed);
});

it('says whose ids they were', () => {
  expect([...rename(['a', 'b', 'c'], 'c, a, c').found].sort()).toEqual(['a', 'c']);
});

it('finds the longest id at each place, as a search for each of them does', () => {
  const id = fc.string({ unit: fc.constantFrom('a', 'b', '-', "'"), minLength: 1, maxLength: 6 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', "'"), maxLength: 60 });
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 12 }), text, (ids, question) => {
      const isWord = (at: number) => /[ab]/.test(question.charAt(at));
      const isEdge = (at: number) => !(isWord(at - 1) && isWord(at));
      let expected = '';
      for (let at = 0; at < question.length; ) {
        const [longest = ''] = ids
          .filter((each) => question.startsWith(each, at) && isEdge(at) && isEdge(at + each.length))
          .sort((a, b) => b.length - a.length);
        expected += longest === '' ? question.charAt(at) : `<${ids.indexOf(longest)}>`;
        at += Math.max(1, longest.length);
      }
      expect(rename(ids, question).text).toBe(expected);
    }),
    { numRuns: runs(500) },
  );
});
