import { describe, expect, it } from 'vitest';
import { cutAnswer, cutMessage } from '../../../../src/insight/event-files/asking/cut-answer.js';

const LIMITS = { maxRows: 3, maxBytes: 10_000 };
const ANY = expect.anything();
const column = (name: string, type = 'VARCHAR') => ({ name, type });

describe('an answer', () => {
  it('has as many rows as it may, and as fit with their columns', () => {
    const cut = (length: number, maxRows = 3) =>
      cutAnswer([column('text')], Array(3).fill(['x'.repeat(length)]), { ...LIMITS, maxRows });
    const answered = (rows: number, isCut: boolean) => ({ answer: { rows: Array(rows).fill(ANY), isCut } });
    expect(cut(3_000)).toMatchObject(answered(3, false));
    expect(cut(3_000, 2)).toMatchObject(answered(2, true));
    expect(cut(4_990)).toMatchObject(answered(1, true));
    // Bytes, not characters: control characters are escaped.
    const escaped = cutAnswer([column('text')], [['é\u0001'.repeat(1_200)], ['x'.repeat(400)]], LIMITS);
    expect(escaped).toMatchObject(answered(1, true));
  });

  it('is refused where its first row or its columns are too large', () => {
    const refused = { outcome: 'answer_too_large', message: expect.stringMatching(/^(A row|The answer) /) };
    expect(cutAnswer([column('text')], [['\u0001'.repeat(1_700)], [1]], LIMITS)).toMatchObject(refused);
    expect(cutAnswer(Array(1_001).fill(column('a')), [], LIMITS)).toMatchObject(refused);
  });

  it('has no long name and type of a column', () => {
    const outcome = cutAnswer([column('n'.repeat(9_000), 't'.repeat(9_000))], [], LIMITS);
    expect(outcome).toMatchObject({
      answer: { columns: [{ name: `${'n'.repeat(499)}…`, type: `${'t'.repeat(499)}…` }] },
    });
  });

  it('has no long message', () => {
    const cut = cutMessage({ outcome: 'failed', message: '\n'.repeat(100_000) });
    expect(cut).toEqual({ outcome: 'failed', message: `${'\n'.repeat(3_999)}…` });
  });
});
