import type { DedicatedConnection } from '../../db/dedicated-connection.js';

/** An experiment with one seed. */
export type RunKey = Readonly<{ gameId: number; experimentId: string; seed: string }>;

/** The place after an exposure, in the order of time. */
export type ExposureCursor = Readonly<{ exposedAt: string; playerId: string }>;

/** A player who counts from `day` on. */
export type CountedExposure = Readonly<{
  playerId: string;
  variantId: string;
  day: string;
  exposedOn: string;
  sawTwoArms: boolean;
}>;

type ExposureRow = Omit<CountedExposure, 'day'> &
  Readonly<{ day: string | null; exposedAt: string; wasDrawnBefore: boolean }>;

/** A test device: it has seen what somebody pinned, whatever arm was stored before. */
export const WAS_PINNED = `exists (
         select from player_pins n
         where n.player_id = e.player_id and n.kind = 'variant' and n.target = e.experiment_id offset 0
       )`;

/**
 * A player who has had, or missed, the offer under another share of its hold-out. What that changed goes on, so only players who are drawn
 * under this share first are compared.
 */
export const WAS_DRAWN_BEFORE = `(e.experiment_id like 'offer:%' and exists (
         select from experiment_exposures b
         where b.player_id = e.player_id and b.experiment_id = e.experiment_id and b.seed <> e.seed
           and b.exposed_at < e.exposed_at
         offset 0
       ))`;

export const FIRST_EXPOSURE: ExposureCursor = { exposedAt: '-infinity', playerId: '0' };

/** Exposures are read in the order of their index. While there are few, PostgreSQL would rather sort them. */
export async function walkInOrder(connection: DedicatedConnection): Promise<void> {
  await connection.query('set enable_sort = off');
}

/**
 * The next exposures up to the end of a day, and the place after them; null at the end. With an activation event, players who have not sent it do
 * not count.
 */
export async function listExposures(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  {
    behind,
    to,
    isActivated,
    limit,
  }: { behind: ExposureCursor; to: string; isActivated: boolean; limit: number },
): Promise<{ counted: CountedExposure[]; last: ExposureCursor | null }> {
  const { rows } = await connection.query<ExposureRow>(
    `select e.player_id as "playerId", e.variant_id as "variantId", e.exposed_at::text as "exposedAt",
       (case when $7 then e.activated_at else e.exposed_at end at time zone 'UTC')::date::text as day,
       (e.exposed_at at time zone 'UTC')::date::text as "exposedOn",
       exists (
         select from experiment_exposures o
         where o.player_id = e.player_id and o.experiment_id = $2 and o.seed <> $3 and o.variant_id <> e.variant_id
         offset 0
       ) as "sawTwoArms",
       ${WAS_DRAWN_BEFORE} as "wasDrawnBefore"
     from experiment_exposures e
     where e.game_id = $1 and e.experiment_id = $2 and e.seed = $3
       and (e.exposed_at, e.player_id) > ($4::timestamptz, $5::bigint)
       and e.exposed_at < ($6::date + 1)::timestamp at time zone 'UTC'
       and not ${WAS_PINNED}
     order by e.exposed_at, e.player_id
     limit $8`,
    [gameId, experimentId, seed, behind.exposedAt, behind.playerId, to, isActivated, limit],
  );
  const counted = rows.flatMap(({ day, exposedAt: _, wasDrawnBefore, ...exposure }) =>
    wasDrawnBefore || day === null || day > to ? [] : [{ day, ...exposure }],
  );
  const last = rows.at(-1);
  return {
    counted,
    last: last === undefined ? null : { exposedAt: last.exposedAt, playerId: last.playerId },
  };
}
