import { createActivityCounter, OUTCOME_DAYS } from '../../decide/predict/activity-cells.js';
import { WINDOW_DAYS } from '../../decide/predict/player-statistics.js';
import type {
  ActivityCell,
  BuyerCell,
  OriginCells,
  TrainingData,
} from '../../decide/predict/training-data.js';
import { type DedicatedConnection, walkByIndex, walkFreely } from '../../platform/db/dedicated-connection.js';
import { dateOf } from '../../platform/lib/day.js';
import {
  createPurchaseTables,
  createSample,
  findMainCurrency,
  findNonPayerTotals,
  listPayerCells,
  listPlayerDays,
  type PlayersPortion,
  type Sample,
} from './training-queries.js';

/**
 * The origins, in weeks before the last day that is over: those that six rolling tests need for fitting, calibration and test, and
 * one whose 90 days are over.
 */
const ORIGIN_WEEKS = [13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
/** Enough for every model. Bounds the time and the memory of a training. */
export const MAX_PLAYERS = 200_000;

export type TrainingRead = Readonly<{
  data: TrainingData;
  sample: Sample;
  /** The number of cells, over all origins. A cell is a group of equal players. */
  cells: number;
}>;

export type ReadOptions = Readonly<{
  gameId: number;
  /** The last day that is over. */
  day: number;
  signal?: AbortSignal | undefined;
  /** How many players have been read, of how many. */
  onProgress?: Progress | undefined;
  maxPlayers?: number | undefined;
}>;

type Progress = (done: number, total: number) => void;

export async function readTrainingData(
  connection: DedicatedConnection,
  { gameId, day, signal, onProgress, maxPlayers = MAX_PLAYERS }: ReadOptions,
): Promise<TrainingRead> {
  const sample = await createSample(connection, gameId, maxPlayers);
  onProgress?.(0, sample.players);
  const currency = await findMainCurrency(connection);
  const days = ORIGIN_WEEKS.map((weeks) => day - 7 * weeks);
  const read = await readOrigins(connection, days, currency, {
    signal,
    onRead: (done) => onProgress?.(done, sample.players),
  });
  // There is no data before the first player.
  const origins = read.filter(({ activity }) => activity.length > 0);
  const cells = origins.reduce((sum, { activity, payers }) => sum + activity.length + payers.length, 0);
  return { data: { day, currency, origins }, sample, cells };
}

type Watcher = Readonly<{ signal?: AbortSignal | undefined; onRead?: (players: number) => void }>;

/** The cells of several days, in their order, for the players of the sample. Each player is read once. */
export async function readOrigins(
  connection: DedicatedConnection,
  days: readonly number[],
  currency: string | null,
  watcher: Watcher = {},
): Promise<OriginCells[]> {
  await walkByIndex(connection);
  const activity = await countActivity(connection, days, watcher);
  await createPurchaseTables(connection, currency);
  await walkFreely(connection);
  const origins: OriginCells[] = [];
  for (const [at, day] of days.entries()) {
    watcher.signal?.throwIfAborted();
    origins.push({
      day,
      activity: activity.cells[at] as ActivityCell[],
      buyers: activity.buyers[at] as BuyerCell[],
      payers: await listPayerCells(connection, dateOf(day), currency !== null),
      nonPayers: await findNonPayerTotals(connection, dateOf(day)),
    });
  }
  return origins;
}

async function countActivity(
  connection: DedicatedConnection,
  days: readonly number[],
  { signal, onRead }: Watcher,
): Promise<Readonly<{ cells: ActivityCell[][]; buyers: BuyerCell[][] }>> {
  const range = {
    after: dateOf(Math.min(...days) - WINDOW_DAYS),
    until: dateOf(Math.max(...days) + OUTCOME_DAYS),
    present: dateOf(Math.max(...days)),
  };
  const counter = createActivityCounter(days);
  let read = 0;
  let portion: PlayersPortion | undefined = await listPlayerDays(connection, '0', range);
  while (portion !== undefined) {
    signal?.throwIfAborted();
    // PostgreSQL reads the next portion while this one is counted.
    const next: Promise<PlayersPortion> | undefined =
      portion.next === undefined ? undefined : listPlayerDays(connection, portion.next, range);
    for (const player of portion.players) counter.add(player);
    read += portion.players.length;
    onRead?.(read);
    portion = await next;
  }
  return { cells: counter.cells(), buyers: counter.buyers() };
}
