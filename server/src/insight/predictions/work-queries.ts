import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** The progress of training and grading of each game. */

/** Notes a training, also one without a model. A day that is older than the stored one changes nothing. */
export async function noteTrained(client: Client, gameId: number, day: string): Promise<void> {
  await client.query(
    `insert into prediction_work (game_id, trained_day) values ($1, $2)
     on conflict (game_id) do update set trained_day = greatest(prediction_work.trained_day, excluded.trained_day),
       failed_at = null, failure = null`,
    [gameId, day],
  );
}

export async function noteGraded(db: Pool, gameId: number, day: string): Promise<void> {
  await query(
    db,
    {
      name: 'note_graded',
      text: `insert into prediction_work (game_id, graded_day) values ($1, $2)
             on conflict (game_id) do update
               set graded_day = greatest(prediction_work.graded_day, excluded.graded_day),
                 failed_at = null, failure = null`,
    },
    [gameId, day],
  );
}

export type NotedFailure = Readonly<{ gameId: number; failure: string }>;

export async function noteFailure(db: Pool, { gameId, failure }: NotedFailure, nowMs: number): Promise<void> {
  await query(
    db,
    {
      name: 'note_prediction_failure',
      text: `insert into prediction_work (game_id, failed_at, failure) values ($1, $2, $3)
             on conflict (game_id) do update set failed_at = excluded.failed_at, failure = excluded.failure`,
    },
    [gameId, new Date(nowMs), failure],
  );
}

/** Why the last attempt to train or grade failed; undefined if it succeeded. */
export async function findFailure(
  pool: Pool,
  gameId: number,
): Promise<{ failedAt: number; failure: string } | undefined> {
  const rows = await query<{ failedAt: number; failure: string }>(
    pool,
    {
      name: 'find_prediction_failure',
      text: `select failed_at as "failedAt", failure from prediction_work
             where game_id = $1 and failed_at is not null`,
    },
    [gameId],
  );
  return rows[0];
}
