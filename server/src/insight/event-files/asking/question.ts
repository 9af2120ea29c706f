/** A question to the files of a game, and the limits of its answer. All of it is sent to the process that asks. */
export type Question = Readonly<{
  sql: string;
  /** Paths, in the order of the days. */
  files: readonly string[];
  /** With these columns where there are no files. */
  columns: string;
  maxRows: number;
  maxBytes: number;
  memoryMb: number;
  threads: number;
}>;

export type AnswerColumn = Readonly<{ name: string; type: string }>;
/** Numbers that a double cannot hold, decimals and times are text. */
export type AnswerValue = null | boolean | number | string | AnswerValue[] | { [name: string]: AnswerValue };

export type Answer = Readonly<{
  columns: readonly AnswerColumn[];
  rows: readonly (readonly AnswerValue[])[];
  /** There are more rows than were asked for, or than fit. */
  isCut: boolean;
}>;

/**
 * What comes of a question. `refused`: it is not one statement that reads. `failed`: DuckDB says why. `no_duckdb`: the package is not
 * installed. `out_of_memory`, `out_of_time`, `too_many_files`: it needs more than it may. `answer_too_large`: the answer does.
 * `no_files`: the bucket does not give them.
 */
export type Outcome =
  | Readonly<{ outcome: 'answered'; answer: Answer }>
  | Readonly<{
      outcome:
        | 'refused'
        | 'failed'
        | 'no_duckdb'
        | 'out_of_memory'
        | 'out_of_time'
        | 'too_many_files'
        | 'answer_too_large'
        | 'no_files';
      message: string;
    }>;

/**
 * The answer comes as one line of JSON on a pipe of its own, because DuckDB may print to the usual ones. The service reads no more of it than an
 * answer may have, which it could not do with a message of Node.
 */
export const ANSWER_FD = 4;

export const NO_DUCKDB =
  'Questions to the files of events need DuckDB, which is not installed with Savepoint because it takes 63 MB. Install it beside Savepoint: npm install @duckdb/node-api@1.5.5-r.5';

export const OUT_OF_MEMORY: Outcome = {
  outcome: 'out_of_memory',
  message:
    'The question needs more memory than it may. Ask for fewer days or columns, for sums, or for shorter texts and lists.',
};
