import { wholeTable } from './large-tables.js';
import type { Reads } from './listed-statement.js';

/** A node of what `explain (analyze, buffers, format json)` gives. */
export type Plan = Readonly<{
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  'TID Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: readonly Plan[];
}>;

/** A look-up finds a handful of rows: what one player has, or the days of a dashboard. */
const MAX_ROWS = 100;
/** From the root of an index to a leaf, with room for pages that were split. */
const INDEX_BLOCKS = 10;

type Judged = Readonly<{
  /** The large ones. */
  tables: readonly string[];
  /** Why many rows of some of them are read. */
  reads?: Reads | undefined;
  /** Whether the plan stays as it is when the tables grow, whatever it reads of them now. */
  isKept: boolean;
}>;

/** What a plan reads of large tables that a look-up would not. */
export function planProblems(plan: Plan | undefined, judged: Judged): string[] {
  const { tables, reads, isKept } = judged;
  if (plan === undefined) return reads?.atMost === 'all' ? [] : ['there is no plan'];
  const inside = (plan.Plans ?? []).flatMap((child) => planProblems(child, judged));
  const table = wholeTable(plan['Relation Name'] ?? '');
  if (!/Scan$/.test(plan['Node Type']) || !tables.includes(table)) return inside;
  const problem = reads?.tables.includes(table)
    ? readProblem(plan, reads.atMost)
    : (scanProblem(plan, isKept) ?? readProblem(plan, MAX_ROWS));
  if (problem === undefined) return inside;
  const { 'Node Type': scan, 'Index Name': index = 'no index' } = plan;
  return [`${table}: ${scan} by ${index} ${conditionOf(plan) ?? 'without a condition'}${problem}`, ...inside];
}

function conditionOf(plan: Plan): string | undefined {
  return plan['Index Cond'] ?? plan['Recheck Cond'] ?? plan['TID Cond'];
}

/** A plan that ends early, by a limit, is fine without a condition as long as the tables are as they are. */
function scanProblem(plan: Plan, isKept: boolean): string | undefined {
  const isUnbounded = conditionOf(plan) === undefined && (isKept || plan['Node Type'] === 'Seq Scan');
  return isUnbounded ? '' : undefined;
}

function readProblem(plan: Plan, atMost: number | 'all'): string | undefined {
  if (atMost === 'all') return undefined;
  const rows =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  if (rows > atMost) return ` reads ${rows} rows`;
  // An index that is searched by a column that is not its first is read from end to end, whatever it finds.
  const others = (plan.Plans ?? []).filter((child) => !child['Node Type'].startsWith('Bitmap'));
  const blocks = others.reduce((rest, child) => rest - blocksOf(child), blocksOf(plan));
  const blocksALoop = blocks / Math.max(1, plan['Actual Loops']);
  return blocksALoop > INDEX_BLOCKS + 3 * rows ? ` reads ${blocksALoop} blocks for ${rows} rows` : undefined;
}

/** With those of the nodes below. */
function blocksOf(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
