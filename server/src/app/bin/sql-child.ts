import { writeFileSync } from 'node:fs';
import { cutAnswer, cutMessage } from '../../insight/event-files/asking/cut-answer.js';
import type { Answer, Outcome, Question } from '../../insight/event-files/asking/question.js';
import { ANSWER_FD, NO_DUCKDB, OUT_OF_MEMORY } from '../../insight/event-files/asking/question.js';
import { stepBehindPlayers } from '../../platform/lib/thread-priority.js';

/**
 * The process that answers one question with DuckDB, and then waits to be killed. What stands between the question and this machine:
 * one statement that reads, no file but those of the game, no network, no extension, no setting that a question could change. All of it
 * is fixed before the question is looked at.
 */
async function answer(question: Question): Promise<Outcome> {
  const duckdb = await import('@duckdb/node-api').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (duckdb === undefined) return { outcome: 'no_duckdb', message: NO_DUCKDB };
  const instance = await duckdb.DuckDBInstance.create(':memory:', {
    memory_limit: `${question.memoryMb}MB`,
    threads: String(question.threads),
    // Work that does not fit into memory ends with an error, and not on the disk.
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  await connection.run(viewOf(question));
  await connection.run(`set allowed_paths = ${listOf(question.files)}`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');

  const statements = await connection.extractStatements(question.sql);
  if (statements.count !== 1) return { outcome: 'refused', message: ONE_STATEMENT };
  const statement = await statements.prepare(0);
  if (statement.statementType !== duckdb.StatementType.SELECT)
    return { outcome: 'refused', message: ONLY_SELECT };
  const reader = await statement.streamAndReadUntil(question.maxRows + 1);
  const columns = reader
    .columnNames()
    .map((name, index) => ({ name, type: String(reader.columnType(index)) }));
  return cutAnswer(columns, reader.getRowsJson() as Answer['rows'], question);
}

const ONE_STATEMENT = 'Ask one question at a time: one statement, without others behind a semicolon.';
const ONLY_SELECT = 'Only questions are possible: a statement that begins with select, with or from.';

const VIEW = 'create view events as select * from read_parquet(FILES, union_by_name = true)';
const EMPTY = 'create table events (COLUMNS)';

/** `events` shows all files as one table. */
function viewOf({ files, columns }: Question): string {
  return files.length === 0
    ? EMPTY.replace('COLUMNS', () => columns)
    : VIEW.replace('FILES', () => listOf(files));
}

/** DuckDB takes no parameters in a view. */
function listOf(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}]`;
}

/** In the words of DuckDB, which name the place in the question. */
function failure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith('Out of Memory Error') ? OUT_OF_MEMORY : { outcome: 'failed', message };
}

stepBehindPlayers();
// The service is gone: nobody waits for the answer.
process.once('disconnect', () => process.exit());
process.once('message', (question: Question) => {
  void answer(question)
    .catch(failure)
    .then((outcome) => writeFileSync(ANSWER_FD, `${JSON.stringify(cutMessage(outcome))}\n`));
});
