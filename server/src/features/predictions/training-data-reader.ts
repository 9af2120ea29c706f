import type { OwnConnection } from '../../db/own-connection.js';
import { dateOf } from '../../lib/day.js';
import type { OriginCells, TrainingData } from '../../personalisation/predict/training-data.js';
import {
  createSample,
  findMainCurrency,
  findNonPayerTotals,
  listActivityCells,
  listPayerCells,
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
  onProgress?: ((done: number, total: number) => void) | undefined;
  maxPlayers?: number | undefined;
}>;

export async function readTrainingData(
  connection: OwnConnection,
  { gameId, day, signal, onProgress, maxPlayers = MAX_PLAYERS }: ReadOptions,
): Promise<TrainingRead> {
  const sample = await createSample(connection, gameId, maxPlayers);
  const currency = await findMainCurrency(connection);
  const origins: OriginCells[] = [];
  for (const [index, weeks] of ORIGIN_WEEKS.entries()) {
    signal?.throwIfAborted();
    onProgress?.(index, ORIGIN_WEEKS.length);
    const origin = await readOrigin(connection, day - 7 * weeks, currency);
    // There is no data before the first player.
    if (origin.activity.length > 0) origins.push(origin);
  }
  const cells = origins.reduce((sum, { activity, payers }) => sum + activity.length + payers.length, 0);
  return { data: { day, currency, origins }, sample, cells };
}

/** The cells of one day, for the players of the sample. */
export async function readOrigin(
  connection: OwnConnection,
  day: number,
  currency: string | null,
): Promise<OriginCells> {
  const date = dateOf(day);
  return {
    day,
    activity: await listActivityCells(connection, date),
    payers: await listPayerCells(connection, date, currency),
    nonPayers: await findNonPayerTotals(connection, date, currency),
  };
}
