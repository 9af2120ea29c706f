import { findConfigVersionAt } from '../core/configs/config-queries.js';
import { isHoldoutOver } from '../decide/document/offer-holdouts.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import type { Pool } from '../platform/db/pool.js';
import { DAY_MS, utcDay } from '../platform/lib/day.js';
import type { RunKey } from './exposure-queries.js';

const CHUNK = 5_000;
/** As long as the sums of a run that has ended. A hold-out that comes back within this time goes on. */
const KEPT_DAYS = 35;

type ExpiryOptions = Readonly<{
  pool: Pool;
  nowMs: number;
  signal?: AbortSignal | undefined;
  chunk?: number;
}>;

/**
 * Deletes whom the hold-outs of offers have drawn once these hold-outs are over for some weeks, in chunks of a transaction each, and returns
 * how many rows. Nothing asks for the rows any more: the bucket decides who is held out, and the reports are made. But all of them are read
 * with the facts of a player, so they would grow with every hold-out that the game ever had. Arms of experiments are kept: they decide.
 */
export async function deleteEndedHoldouts(
  connection: DedicatedConnection,
  { pool, nowMs, signal, chunk = CHUNK }: ExpiryOptions,
): Promise<number> {
  const before = new Date(nowMs - KEPT_DAYS * DAY_MS);
  const ended = [
    ...(await listEndedHoldouts(connection, before)),
    ...(await listHoldoutsOfPastOffers(connection, before, { pool, nowMs })),
  ];
  let deleted = 0;
  for (const run of ended) {
    let found = chunk;
    while (found === chunk && signal?.aborted !== true) {
      found = await deleteExposures(connection, run, before, chunk);
      deleted += found;
    }
    if (signal?.aborted === true) break;
    await deleteErasedSums(connection, run);
  }
  return deleted;
}

/** Not while another share of the same offer is compared: who was drawn before does not count for that. */
async function listEndedHoldouts(connection: DedicatedConnection, before: Date): Promise<RunKey[]> {
  const { rows } = await connection.query<RunKey>(
    `select r.game_id as "gameId", r.experiment_id as "experimentId", r.seed from experiment_runs r
     where r.experiment_id like 'offer:%' and not exists (
       select from experiment_runs o
       where o.game_id = r.game_id and o.experiment_id = r.experiment_id and (o.ended_at is null or o.ended_at >= $1)
     )`,
    [before],
  );
  return rows;
}

/** Offers that are over but still in the document. They are not summed any more. */
async function listHoldoutsOfPastOffers(
  connection: DedicatedConnection,
  before: Date,
  { pool, nowMs }: Pick<ExpiryOptions, 'pool' | 'nowMs'>,
): Promise<RunKey[]> {
  const { rows: games } = await connection.query<{ gameId: number; runs: Omit<RunKey, 'gameId'>[] }>(
    `select game_id as "gameId", json_agg(json_build_object('experimentId', experiment_id, 'seed', seed)) as runs
     from experiment_runs where experiment_id like 'offer:%'
     group by game_id having bool_or(ended_at is null)`,
  );
  const day = utcDay(before.getTime());
  const over: RunKey[] = [];
  for (const { gameId, runs } of games) {
    const { document } = await findConfigVersionAt(pool, gameId, nowMs);
    const ofPast = runs.filter(({ experimentId }) => isHoldoutOver(document.offers, experimentId, day));
    over.push(...ofPast.map((run) => ({ gameId, ...run })));
  }
  return over;
}

async function deleteExposures(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  before: Date,
  limit: number,
): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from experiment_exposures where ctid = any (array(
       select ctid from experiment_exposures
       where game_id = $1 and experiment_id = $2 and seed = $3 and exposed_at < $4
       order by exposed_at limit $5))`,
    [gameId, experimentId, seed, before, limit],
  );
  return rowCount ?? 0;
}

/** What erased players did belongs to the players who are deleted with it. */
async function deleteErasedSums(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
): Promise<void> {
  await connection.query(
    'delete from experiment_erased where game_id = $1 and experiment_id = $2 and seed = $3',
    [gameId, experimentId, seed],
  );
}
