import type { Forecast } from '../decide/predict/forecast.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import { cell } from '../platform/lib/columns.js';
import { dayNumber } from '../platform/lib/day.js';
import { numbersText } from '../platform/lib/numbers-text.js';

/** An experiment with one seed. */
export type RunKey = Readonly<{ gameId: number; experimentId: string; seed: string }>;

/** `isActivated`: its players count from their activation on. */
export type ExposedRun = RunKey & Readonly<{ isActivated: boolean }>;

/** The place after an exposure, in the order of time. */
export type ExposureCursor = Readonly<{ exposedAt: string; playerId: number }>;

/** An exposure that counts. Days are UTC days since 1970. */
export type Exposure = Readonly<{
  playerId: number;
  /** The place of the run. */
  run: number;
  variantId: string;
  exposedOn: number;
  /** Day 0 of the player: that of the exposure, or of the activation. */
  day: number;
  sawTwoArms: boolean;
  /** What the models expected of the player at the exposure; null: nothing. */
  forecast: Forecast | null;
}>;

/**
 * A player who has had, or missed, the offer under another share of its hold-out. What that changed goes on, so only players who are drawn
 * under this share first are compared.
 */
const WAS_DRAWN_BEFORE = `(e.experiment_id like 'offer:%' and exists (
         select from experiment_exposures b
         where b.player_id = e.player_id and b.experiment_id = e.experiment_id and b.seed <> e.seed
           and b.exposed_at < e.exposed_at
         offset 0
       ))`;

const SAW_TWO_ARMS = `exists (
         select from experiment_exposures o
         where o.player_id = e.player_id and o.experiment_id = e.experiment_id and o.seed <> e.seed and o.variant_id <> e.variant_id
         offset 0
       )`;

export const FIRST_EXPOSURE: ExposureCursor = { exposedAt: '-infinity', playerId: 0 };

/** Exposures are read in the order of their index. While there are few, PostgreSQL would rather sort them. */
export async function walkInOrder(connection: DedicatedConnection): Promise<void> {
  await connection.query('set enable_sort = off');
}

/** The players of the next exposures up to the end of a day, and the place after these exposures; null at the end. */
export async function listExposedPlayers(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  { behind, to, limit }: { behind: ExposureCursor; to: string; limit: number },
): Promise<{ playerIds: number[]; last: ExposureCursor | null }> {
  const { rows } = await connection.query<{ playerIds: number[]; exposedAt: string }>(
    `select json_agg(e.player_id) as "playerIds", max(e.exposed_at)::text as "exposedAt"
     from (
       select player_id, exposed_at from experiment_exposures
       where game_id = $1 and experiment_id = $2 and seed = $3
         and (exposed_at, player_id) > ($4::timestamptz, $5::bigint)
         and exposed_at < ($6::date + 1)::timestamp at time zone 'UTC'
       order by exposed_at, player_id
       limit $7
     ) e
     having count(*) > 0`,
    [gameId, experimentId, seed, behind.exposedAt, behind.playerId, to, limit],
  );
  const { playerIds = [], exposedAt = '' } = rows[0] ?? {};
  const playerId = playerIds.at(-1);
  return { playerIds, last: playerId === undefined ? null : { exposedAt, playerId } };
}

/** The places of those runs whose experiment has exposures under another seed: only there can a player have seen two arms. */
export async function listReseeded(
  connection: DedicatedConnection,
  runs: readonly RunKey[],
): Promise<number[]> {
  const { rows } = await connection.query<{ run: number }>(
    `select r.place::int - 1 as run
     from unnest($1::int[], $2::text[], $3::text[]) with ordinality as r (game_id, experiment_id, seed, place)
     cross join lateral (
       (select from experiment_exposures e
        where e.game_id = r.game_id and e.experiment_id = r.experiment_id and e.seed < r.seed order by e.seed limit 1)
       union all
       (select from experiment_exposures e
        where e.game_id = r.game_id and e.experiment_id = r.experiment_id and e.seed > r.seed order by e.seed limit 1)
     ) other
     group by r.place`,
    [
      runs.map(({ gameId }) => gameId),
      runs.map(({ experimentId }) => experimentId),
      runs.map(({ seed }) => seed),
    ],
  );
  return rows.map(({ run }) => run);
}

/** In columns: there are millions of exposures, and a row of its own for each costs several times as much. Null without a row. */
type ExposureColumns = Readonly<{
  playerIds: number[] | null;
  runs: number[];
  variantIds: string[];
  exposedOn: number[];
  forecasts: (Forecast | null)[];
  /** Null if no run asks for it. */
  activatedOn: (number | null)[] | null;
  sawTwoArms: boolean[] | null;
}>;

/** The exposures of players to some runs of a game that count by the end of a day. Test devices do not: they have seen what somebody pinned, whatever arm was stored before. */
export async function listExposures(
  connection: DedicatedConnection,
  playerIds: readonly number[],
  runs: readonly ExposedRun[],
  { to, reseeded }: { to: string; reseeded: readonly number[] },
): Promise<Exposure[]> {
  const hasActivated = runs.some(({ isActivated }) => isActivated);
  const { rows } = await connection.query<ExposureColumns>(
    `select json_agg(e.player_id) as "playerIds", json_agg(e.run) as runs, json_agg(e.variant_id) as "variantIds",
       json_agg((e.exposed_at at time zone 'UTC')::date - date '1970-01-01') as "exposedOn", json_agg(e.forecast) as forecasts,
       case when $6 then json_agg((e.activated_at at time zone 'UTC')::date - date '1970-01-01') end as "activatedOn",
       case when $5 <> '{}'::int[] then json_agg(e.run = any($5::int[]) and ${SAW_TWO_ARMS}) end as "sawTwoArms"
     from (
       select *, array_position($4::text[], experiment_id || '/' || seed) - 1 as run from experiment_exposures
       where player_id = any($1::bigint[]) and exposed_at < ($3::date + 1)::timestamp at time zone 'UTC'
       offset 0
     ) e
     where e.game_id = $2 and e.run is not null
       and (e.player_id, e.experiment_id) not in (
         select player_id, target from player_pins where player_id = any($1::bigint[]) and kind = 'variant'
       )
       and not (e.run = any($5::int[]) and ${WAS_DRAWN_BEFORE})`,
    [numbersText(playerIds), runs[0]?.gameId, to, runs.map(textOf), reseeded, hasActivated],
  );
  const [columns] = rows;
  if (columns === undefined) return [];
  const last = dayNumber(to);
  const exposures: Exposure[] = [];
  for (const [row, playerId] of columns.playerIds?.entries() ?? []) {
    const run = cell(columns.runs, row);
    const exposedOn = cell(columns.exposedOn, row);
    const day = runs[run]?.isActivated ? (columns.activatedOn?.[row] ?? null) : exposedOn;
    if (day === null || day > last) continue;
    const variantId = cell(columns.variantIds, row);
    const sawTwoArms = columns.sawTwoArms?.[row] ?? false;
    exposures.push({
      playerId,
      run,
      variantId,
      exposedOn,
      day,
      sawTwoArms,
      forecast: cell(columns.forecasts, row),
    });
  }
  return exposures;
}

/** No id and no seed has a slash. */
function textOf({ experimentId, seed }: RunKey): string {
  return `${experimentId}/${seed}`;
}
