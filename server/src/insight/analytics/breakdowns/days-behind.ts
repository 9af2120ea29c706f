import { Type } from 'typebox';
import { nullable } from '../../../platform/admin-api/admin-responses.js';
import { type Pool, query } from '../../../platform/db/pool.js';
import { utcDay } from '../../../platform/lib/day.js';
import type { DaySpan } from '../../../studio/admin-api/day-span.js';
import { SUMMED_DAYS } from './dimensions.js';

/**
 * Days whose breakdowns lack much of what happened on them, as after an import of history. A few late events are no reason to say so,
 * nor to sum a large game without its pause.
 */
const MUCH = 0.01;

/** For SQL: whether a day, with the totals `d.totals` now and `s.totals` when it was summed (null: never), is behind. */
export const IS_BEHIND = `(s.totals is null or exists (
  select from unnest('{active,new,paying,purchases}'::text[]) name
  where abs((d.totals ->> name)::numeric - (s.totals ->> name)::numeric) > ${MUCH} * (d.totals ->> name)::numeric
))`;

/** How far the summing has come. */
export type Summing = Readonly<{ daysDone: number; days: number }>;

export const SummingSchema = nullable(
  Type.Object(
    {
      daysDone: Type.Integer({ minimum: 0, description: 'How many of these days are complete' }),
      days: Type.Integer({
        minimum: 1,
        description: 'Days of the span with players, today aside, that breakdowns are summed for',
      }),
    },
    {
      title: 'Summing',
      description:
        'The numbers are not complete: some days are still being summed, as after an import of history. The service goes on until all are; ask again after a minute. Null once they are complete',
    },
  ),
);

/** Null if no day of the span is behind. Today always is, by some minutes. */
export async function findSumming(
  pool: Pool,
  gameId: number,
  { from, to }: DaySpan,
  nowMs: number,
): Promise<Summing | null> {
  const [row] = await query<Summing>(pool, SUMMING, [gameId, from, to, utcDay(nowMs)]);
  return row === undefined || row.daysDone === row.days ? null : row;
}

const SUMMING = {
  name: 'find_summing',
  text: `
    with days as materialized (
      select day, totals from game_day_totals
      where game_id = $1 and day <= $3::date and day < $4::date and day >= greatest(
        $2::date, $4::date - ${SUMMED_DAYS} + 1, $4::date - (select retention_days from games where id = $1)
      )
    )
    select count(*) filter (where not ${IS_BEHIND})::int as "daysDone", count(*)::int as days
    from days d
    left join lateral (
      select totals from game_breakdown_days s where s.game_id = $1 and s.day = d.day offset 0
    ) s on true`,
};
