/** @module-tag full */
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.js';
import type { Sent } from '../../support/sent-statements.js';
import { parse, readSources } from '../../support/source.js';
import { connect, explainAll, keepsPlan } from './plans/explain-all.js';
import {
  A_FEW,
  countRows,
  fillTables,
  listLargeTables,
  moveGame,
  stopAutovacuum,
  WORLD,
} from './plans/large-tables.js';
import { planProblems } from './plans/plan-problems.js';
import { type Recorded, recordAll } from './plans/record-all.js';
import { unlistedNames, unlistedTexts } from './plans/unlisted-statements.js';

/** Enough that reading all of a table, or of an index, is told from a look-up. */
const ROWS = 10_000;
const ANOTHER_GAME = 2_000_000;

const KEPT = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan';
/** What the test must notice, for it not to fall asleep. */
const BREACHES: readonly Sent[] = [
  { text: 'select from players where event_count = $1', values: [1], options: '' },
  { text: 'select from players where event_count = $1', values: [1], options: KEPT },
  { text: 'select from event_identities where player_id = $1', values: [1], options: KEPT },
  { text: 'select from players where game_id = $1', values: [1], options: KEPT },
  {
    text: `select from unnest($1::bigint[]) n
           where n is null or exists (select from event_gaps v where v.player_id = n)`,
    values: [[1]],
    options: KEPT,
  },
].map((breach) => ({ name: undefined, ...breach }));

/**
 * A worker keeps the plan of a prepared statement for as long as the connection, or until there are new statistics. A plan that
 * was made while a table was empty must not read all of it: the next minute may bring a hundred thousand players.
 */
describe('every statement', () => {
  let recorded: Recorded[];
  /** The breaches that were noticed. On a busy server PostgreSQL may drop a plan that was kept, and plan again with full tables. */
  const noticed = new Set<number>();
  beforeAll(async () => {
    recorded = await recordAll();
  });

  it.each([
    ['were never analysed', async () => {}],
    ['were analysed while they were empty', (client: pg.Client) => client.query('analyze')],
    [
      'were analysed with a few rows',
      async (client: pg.Client) => {
        await fillTables(client, A_FEW);
        await client.query('analyze');
      },
    ],
    [
      'were analysed before the game that is asked about had anything',
      async (client: pg.Client) => {
        await fillTables(client, ROWS);
        await moveGame(client, WORLD.gameId, ANOTHER_GAME);
        await client.query('analyze');
        await moveGame(client, ANOTHER_GAME, WORLD.gameId);
      },
    ],
  ])('looks rows up by index, or says why not, in tables that %s', async (_, makeStatistics) => {
    const database = await createTestDatabase();
    const client = await connect(database.url);
    try {
      await stopAutovacuum(client);
      await makeStatistics(client);
      const tables = await listLargeTables(client);
      const statements = distinct(recorded).filter((statement) => isChecked(statement, tables));
      const plans = await explainAll(database.url, [...statements, ...BREACHES], () =>
        fillTables(client, ROWS),
      );

      const problems = statements.flatMap(({ what, reads, options }, index) =>
        planProblems(plans[index], { tables, reads, isKept: keepsPlan(options) }).map(
          (problem) => `${what}: ${problem}`,
        ),
      );
      expect(problems).toEqual([]);
      for (const [index, { options }] of BREACHES.entries()) {
        const plan = plans[statements.length + index];
        if (planProblems(plan, { tables, isKept: keepsPlan(options) }).length > 0) noticed.add(index);
      }
      // A table that `fillTables` does not know would look small here, whatever is read of it.
      for (const table of tables)
        expect(await countRows(client, table), table).toBeGreaterThanOrEqual(ROWS / 10);
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('would be noticed if it read more', () => {
    expect(BREACHES.filter((_, index) => !noticed.has(index))).toEqual([]);
  });

  it('is on a list', async () => {
    const database = await createTestDatabase();
    const client = await connect(database.url);
    const tables = await listLargeTables(client);
    await client.end();
    await database.drop();
    const sources = readSources();
    const names = new Set(recorded.flatMap(({ name }) => name ?? []));
    const texts = recorded.map(({ text }) => text);
    expect(unlistedNames(sources, names)).toEqual([]);
    expect(unlistedTexts(sources, texts, tables)).toEqual([]);

    const breach = parse(
      'features/a.ts',
      "query(pool, { name: 'unheard_of', text: 'select unheard_of from players where id = $1' }, [1]);",
    );
    expect(unlistedNames([breach], names)).toEqual(['features/a.ts:1 unheard_of']);
    expect(unlistedTexts([breach], texts, tables)).toEqual(['features/a.ts:1']);
  });
});

/** Each text with each plan it can have once; calls of one text that differ in what they ask for stay. */
function distinct(recorded: readonly Recorded[]): Recorded[] {
  const kept = new Set(recorded.filter(({ options }) => keepsPlan(options)).map(({ text }) => text));
  const seen = new Set<string>();
  return recorded.filter(({ text, values, options }) => {
    // What a worker prepares also folds events into the temporary tables of an explanation, where there is one player.
    if (!keepsPlan(options) && kept.has(text)) return false;
    const key = JSON.stringify([text, values]);
    return !seen.has(key) && seen.add(key);
  });
}

const PLANNED =
  /^\s*(?:with|select|insert|update|delete|declare|create temp\w* table \w+ (?:on commit drop )?as)\b/;

/** Whether a statement has a plan, and reads more than what it says why it reads all of. */
function isChecked({ text, reads }: Recorded, tables: readonly string[]): boolean {
  const named = tables.filter((table) => new RegExp(`\\b${table}(?:_\\d{8}|_default)?\\b`).test(text));
  const isExempt = (table: string) => reads?.atMost === 'all' && reads.tables.includes(table);
  return PLANNED.test(text) && !named.every(isExempt);
}
