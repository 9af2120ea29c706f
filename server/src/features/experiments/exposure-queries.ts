import type { DedicatedConnection } from '../../db/dedicated-connection.js';

/** An experiment with one seed. */
export type RunKey = Readonly<{ gameId: number; experimentId: string; seed: string }>;

/** The place after an exposure, in the order of time. */
export type ExposureCursor = Readonly<{ exposedAt: string; playerId: string }>;

/** An exposure as it is stored, by days. */
export type Exposure = Readonly<{
  playerId: string;
  variantId: string;
  exposedOn: string;
  /** Of the activation event; null before it. */
  activatedOn: string | null;
  sawTwoArms: boolean;
}>;

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

export const SAW_TWO_ARMS = `exists (
         select from experiment_exposures o
         where o.player_id = e.player_id and o.experiment_id = e.experiment_id and o.seed <> e.seed and o.variant_id <> e.variant_id
         offset 0
       )`;

export const FIRST_EXPOSURE: ExposureCursor = { exposedAt: '-infinity', playerId: '0' };

/** Exposures are read in the order of their index. While there are few, PostgreSQL would rather sort them. */
export async function walkInOrder(connection: DedicatedConnection): Promise<void> {
  await connection.query('set enable_sort = off');
}

/**
 * The players of the next exposures up to the end of a day, and the place after these exposures; null at the end. Players who are also in one of the runs of
 * `except` are left out.
 */
export async function listExposedPlayers(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  {
    behind,
    to,
    limit,
    except = [],
  }: { behind: ExposureCursor; to: string; limit: number; except?: readonly RunKey[] },
): Promise<{ playerIds: string[]; last: ExposureCursor | null }> {
  const { rows } = await connection.query<ExposureCursor & { playerIds: string[] }>(
    `with page as materialized (
       select e.player_id, e.exposed_at from experiment_exposures e
       where e.game_id = $1 and e.experiment_id = $2 and e.seed = $3
         and (e.exposed_at, e.player_id) > ($4::timestamptz, $5::bigint)
         and e.exposed_at < ($6::date + 1)::timestamp at time zone 'UTC'
       order by e.exposed_at, e.player_id
       limit $7
     )
     select l.exposed_at::text as "exposedAt", l.player_id as "playerId",
       array(
         select w.player_id from page w
         where cardinality($8::text[]) = 0 or not exists (
           select from experiment_exposures o
           where o.player_id = w.player_id and o.experiment_id || '/' || o.seed = any($8::text[])
             and o.exposed_at < ($6::date + 1)::timestamp at time zone 'UTC'
           offset 0
         )
       ) as "playerIds"
     from (select exposed_at, player_id from page order by exposed_at desc, player_id desc limit 1) l`,
    [gameId, experimentId, seed, behind.exposedAt, behind.playerId, to, limit, except.map(textOf)],
  );
  const [page] = rows;
  if (page === undefined) return { playerIds: [], last: null };
  const { playerIds, ...last } = page;
  return { playerIds, last };
}

/** The exposures of players to some runs, up to the end of a day. `run` is the place of the run. */
export async function listExposures(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  runs: readonly RunKey[],
  to: string,
): Promise<(Exposure & { run: number })[]> {
  const { rows } = await connection.query<Exposure & { run: number }>(
    `select e.place - 1 as run, e.player_id as "playerId", e.variant_id as "variantId",
       (e.exposed_at at time zone 'UTC')::date::text as "exposedOn",
       (e.activated_at at time zone 'UTC')::date::text as "activatedOn",
       ${SAW_TWO_ARMS} as "sawTwoArms"
     from unnest($1::bigint[]) as w (id)
     cross join lateral (
       select *, array_position($3::text[], e.experiment_id || '/' || e.seed) as place from experiment_exposures e
       where e.player_id = w.id and e.exposed_at < ($2::date + 1)::timestamp at time zone 'UTC'
       offset 0
     ) e
     where e.place is not null and not ${WAS_PINNED} and not ${WAS_DRAWN_BEFORE}`,
    [playerIds, to, runs.map(textOf)],
  );
  return rows;
}

/** No id and no seed has a slash. */
function textOf({ experimentId, seed }: RunKey): string {
  return `${experimentId}/${seed}`;
}

/** Exposures with day 0 of the player: that of the exposure, or of the activation where `isActivated`. Those whose day 0 is after `to` do not count yet. */
export function countedExposures<T extends Exposure>(
  exposures: readonly T[],
  isActivated: (exposure: T) => boolean,
  to: string,
): (T & { day: string })[] {
  return exposures.flatMap((exposure) => {
    const day = isActivated(exposure) ? exposure.activatedOn : exposure.exposedOn;
    return day === null || day > to ? [] : [{ ...exposure, day }];
  });
}
