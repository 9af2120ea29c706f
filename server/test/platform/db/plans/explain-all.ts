import { createRequire } from 'node:module';
import pg from 'pg';
import type { Sent } from '../../../support/sent-statements.js';
import type { Plan } from './plan-problems.js';

/**
 * The plans that statements have after `fill`, with what each of them read. Those whose connection keeps plans are planned
 * before it, while the tables are as small as they are now.
 */
export async function explainAll(
  url: string,
  statements: readonly Sent[],
  fill: () => Promise<void>,
): Promise<(Plan | undefined)[]> {
  const clients = new Map<string, pg.Client>();
  try {
    for (const options of new Set(statements.map((statement) => statement.options)))
      clients.set(options, await connect(url, options));
    for (const [index, { text, values, options }] of statements.entries()) {
      if (!keepsPlan(options)) continue;
      await clients.get(options)?.query(`prepare kept_${index} as ${text}`);
      await clients.get(options)?.query(`explain execute kept_${index}${argumentList(values)}`);
    }
    await fill();
    const plans: (Plan | undefined)[] = [];
    for (const [index, { text, values, options }] of statements.entries()) {
      const kept = `execute kept_${index}${argumentList(values)}`;
      const [asked, given] = keepsPlan(options) ? [kept, []] : [text, values];
      plans.push(await explain(clients.get(options), asked, given));
    }
    return plans;
  } finally {
    await Promise.all([...clients.values()].map((client) => client.end()));
  }
}

/** Whether a connection with these options keeps the first plan of a prepared statement. */
export function keepsPlan(options: string): boolean {
  return options.includes('force_generic_plan');
}

const UNDEFINED_TABLE = '42P01';
/** What is copied into a temporary table of a connection is read the same without the table. */
const INTO_TEMPORARY = /^insert into pg_temp\.\w+(?: \([^)]*\))?\s+(?=select)/;

/** Undefined where the statement reads a temporary table, which only its own connection had. */
async function explain(
  client: pg.Client | undefined,
  text: string,
  values: readonly unknown[],
): Promise<Plan | undefined> {
  await client?.query('begin');
  try {
    const result = await client?.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, timing off, format json) ${text.replace(INTO_TEMPORARY, '')}`,
      [...values],
    );
    return result?.rows[0]?.['QUERY PLAN'][0].Plan;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return undefined;
    throw new Error(`${(error as Error).message}, in: ${text}`);
  } finally {
    await client?.query('rollback');
  }
}

/** The driver's own way to write a value as text. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as {
  prepareValue(value: unknown): string | Buffer | null;
};

/** `execute` takes no parameters. */
function argumentList(values: readonly unknown[]): string {
  const literals = values.map((value) => {
    const text = prepareValue(value);
    if (text === null) return 'null';
    return pg.escapeLiteral(Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : String(text));
  });
  return literals.length === 0 ? '' : `(${literals.join(', ')})`;
}

export async function connect(url: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  return client;
}
