import { clipText } from '../../../platform/lib/clip-text.js';
import type { AnswerColumn, AnswerValue, Outcome, Question } from './question.js';

/** A table that people read has fewer. Its columns are written before its rows, so their number has a limit of its own. */
const MAX_COLUMNS = 1_000;
/** Of a name or a type. DuckDB calls a column by its expression where the question gives it no name. */
const MAX_NAME = 500;
/** DuckDB repeats the line of the question, and what the question puts into `error()`. */
const MAX_MESSAGE = 4_000;

type Rows = readonly (readonly AnswerValue[])[];

/** As many rows as were asked for and fit. */
export function cutAnswer(
  columns: readonly AnswerColumn[],
  rows: Rows,
  { maxRows, maxBytes }: Pick<Question, 'maxRows' | 'maxBytes'>,
): Outcome {
  if (columns.length > MAX_COLUMNS) return tooManyColumns(columns.length);
  const named = columns.map(({ name, type }) => ({
    name: clipText(name, MAX_NAME),
    type: clipText(type, MAX_NAME),
  }));
  const taken: Rows[number][] = [];
  let bytes = bytesOf(named);
  for (const row of rows) {
    bytes += bytesOf(row);
    if (taken.length < maxRows && bytes <= maxBytes) taken.push(row);
    else if (taken.length === 0) return rowTooLarge(maxBytes);
    else return { outcome: 'answered', answer: { columns: named, rows: taken, isCut: true } };
  }
  return { outcome: 'answered', answer: { columns: named, rows: taken, isCut: false } };
}

/** What is said of a question, however long DuckDB's words are. */
export function cutMessage(outcome: Outcome): Outcome {
  if (outcome.outcome === 'answered') return outcome;
  return { outcome: outcome.outcome, message: clipText(outcome.message, MAX_MESSAGE) };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const tooManyColumns = (columns: number): Outcome => ({
  outcome: 'answer_too_large',
  message: `The answer has ${columns} columns, and may have ${MAX_COLUMNS}. Select fewer.`,
});

const rowTooLarge = (maxBytes: number): Outcome => ({
  outcome: 'answer_too_large',
  message: `A row of the answer takes more than ${maxBytes} bytes. Select shorter texts and lists.`,
});
