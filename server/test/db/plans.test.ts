import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Pool, type Statement } from '../../src/db/pool.js';
import { sumEvents } from '../../src/features/events/event-sums.js';
import { foldEvents, lockPlayers } from '../../src/features/events/fold-queries.js';
import {
  findLivePlayers,
  findRefreshRows,
  insertSessions,
} from '../../src/features/session/session-queries.js';
import { withoutRateLimits } from '../support/data-calls.js';
import { createHarness, type Harness } from '../support/harness.js';

type Plan = {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  'Node Type': string;
  Plans?: Plan[];
};

/** These grow with the players of all studios. */
const LARGE = ['players', 'sessions', 'devices', 'player_days'];

/**
 * A plan is kept for as long as the connection, or until there are new statistics. One that was made while a table was small
 * must not read all of it, because the next minute may bring a hundred thousand players.
 */
describe('the plans of hot statements', () => {
  let harness: Harness;
  let pool: Pool;
  beforeAll(async () => {
    harness = await createHarness({ config: withoutRateLimits() });
    pool = createPool({
      url: harness.databaseUrl,
      size: 1,
      timeoutMs: 10_000,
      onError: () => {},
      lookUps: 'planned once',
    });
  });
  afterAll(async () => {
    await pool.end();
    await harness.close();
  });

  for (const players of [0, 20, 150]) {
    it(`look rows up one by one, also when ${players} players are known to the statistics`, async () => {
      for (let n = 0; n < players; n++) await harness.login(`device-${players}-${n}`);
      await pool.query('analyze');
      for (const statement of await hotStatements()) {
        const { rows } = await pool.query(`explain (generic_plan, format json) ${statement.text}`);
        expect(wholeScans(rows[0]['QUERY PLAN'][0].Plan), statement.name).toEqual([]);
      }
    });
  }
});

async function hotStatements(): Promise<Statement[]> {
  const asked: Statement[] = [];
  const recorder = {
    query: async (statement: Statement) => {
      asked.push(statement);
      return { rows: [] };
    },
  } as unknown as Pool;
  await findLivePlayers(recorder, []);
  await findRefreshRows(recorder, []);
  await insertSessions(recorder, []);
  return [...asked, lockPlayers([]).statement, foldEvents(sumEvents([])).statement];
}

/** The large tables that are read without a condition on an index. */
function wholeScans(plan: Plan): string[] {
  const inside = (plan.Plans ?? []).flatMap(wholeScans);
  const table = plan['Relation Name'] ?? '';
  const isScan = /Scan$/.test(plan['Node Type']) && LARGE.includes(table);
  const condition = plan['Index Cond'] ?? plan['Recheck Cond'] ?? '';
  // An index on two columns that is searched by the second one alone may be read from end to end, too.
  const isBounded = plan['Index Name'] === 'players_game' ? condition.includes('game_id') : condition !== '';
  return isScan && !isBounded ? [`${table} by ${plan['Index Name']} ${condition}`, ...inside] : inside;
}
