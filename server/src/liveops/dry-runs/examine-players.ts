import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { FactColumns } from '../evaluations/fact-columns.js';
import {
  listFactRows,
  listPlayerRanges,
  type PlayerRange,
  type Share,
} from '../evaluations/player-queries.js';
import type { RowFacts } from '../evaluations/row-facts.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import type { MissingAttributes } from '../own-attributes/missing-attributes.js';

/** A page and the next one are in memory at a time. */
const PAGE_PLAYERS = 5_000;
const PAGE_VALUES = 500_000;

export type PlayerReading = Readonly<{
  gameId: number;
  columns: FactColumns;
  share: Share;
  /** Called for each player. */
  examine: (facts: RowFacts) => void;
  /** Own attributes to work out; null: the players have all of them. */
  missing: MissingAttributes | null;
  /** Called with the number of examined players, at the end of each time slice. */
  onProgress: (examined: number) => void;
  signal: AbortSignal | undefined;
  stopwatch: () => number;
}>;

/** Reads the players page by page. False if the run was interrupted. */
export async function examinePlayers(
  connection: DedicatedConnection,
  { gameId, columns, share, examine, missing, onProgress, signal, stopwatch }: PlayerReading,
): Promise<boolean> {
  let examined = 0;
  onProgress(examined);
  const page = Math.min(PAGE_PLAYERS, Math.ceil(PAGE_VALUES / columnCount(columns)));
  const size = Math.ceil((page * share.players) / Math.max(1, share.examined));
  const ranges = share.examined === 0 ? [] : await listPlayerRanges(connection, gameId, size);
  const timeSlice = new TimeSlice(stopwatch);
  for await (const rows of pagesOf(connection, gameId, columns, ranges, share)) {
    const completed = missing && (await complete(connection, rows.map(columns.toFacts), missing, signal));
    if (signal?.aborted) return false;
    for (const [index, row] of rows.entries()) {
      examine(completed?.[index] ?? columns.toFacts(row));
      examined++;
      if (!timeSlice.isOver) continue;
      await timeSlice.giveWay();
      if (signal?.aborted) return false;
      onProgress(examined);
    }
  }
  if (signal?.aborted) return false;
  onProgress(examined);
  return true;
}

async function complete(
  connection: DedicatedConnection,
  players: readonly RowFacts[],
  missing: MissingAttributes,
  signal: AbortSignal | undefined,
): Promise<readonly RowFacts[]> {
  const ids = players.map(({ playerId }) => playerId);
  await missing.workOut(connection, players, await missing.eventsOf(connection, ids), signal);
  return players;
}

export function columnCount({ ofPlayer, ofDays }: FactColumns): number {
  return ofPlayer.length + ofDays.length;
}

/** Reads the next page while a page is being evaluated. */
async function* pagesOf(
  connection: DedicatedConnection,
  gameId: number,
  columns: FactColumns,
  ranges: readonly PlayerRange[],
  share: Share,
): AsyncGenerator<unknown[][]> {
  const read = (range: PlayerRange | undefined) => {
    const page = range && listFactRows(connection, gameId, columns, range, share);
    // If the run ends before, the result of this read is not awaited.
    page?.catch(() => {});
    return page;
  };
  let next = read(ranges[0]);
  for (let index = 1; next !== undefined; index++) {
    const page = await next;
    next = read(ranges[index]);
    yield page;
  }
}
