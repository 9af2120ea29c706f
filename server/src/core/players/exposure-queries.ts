import type { DecidedArm } from '../../decide/decide/decision.js';
import { isOfferHoldout } from '../../decide/document/offer-holdouts.js';
import type { Forecast } from '../../decide/predict/forecast.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** The arms that a response to a player depends on and that are not stored yet, and what is known of the player without them. */
export type Exposures = Readonly<{
  playerId: string;
  atMs: number;
  arms: readonly ToldArm[];
  forecast: Forecast | null;
  segments: readonly string[] | null;
}>;

type ToldArm = Pick<DecidedArm, 'experimentId' | 'seed' | 'variantId'>;

type StoredExposures = Readonly<{
  /** How many were new. */
  stored: number;
  /** The players who had been told another arm before. */
  toldOtherwise: ReadonlySet<string>;
}>;

/**
 * The first arm of a player is kept, whichever node stores it. A player who is being erased is waited for, and cannot be erased meanwhile; who
 * applies events of the players does not wait. All groups insert in one order, so that two of them never wait for each other.
 */
export async function storeExposures(pool: Pool, exposures: readonly Exposures[]): Promise<StoredExposures> {
  const rows = rowsOf(exposures);
  const arms = [
    rows.map(({ playerId }) => playerId),
    rows.map(({ experimentId }) => experimentId),
    rows.map(({ seed }) => seed),
    rows.map(({ variantId }) => variantId),
  ];
  const stored = await query<{ playerId: string }>(
    pool,
    {
      name: 'store_exposures',
      text: `with locked as materialized (
               select id, game_id from players where id = any($1::bigint[]) order by id for key share
             )
             insert into experiment_exposures (player_id, experiment_id, seed, variant_id, exposed_at, game_id, forecast, segments)
             select e.player_id, e.experiment_id, e.seed, e.variant_id, e.at, l.game_id, e.forecast::real[],
               e.segments::text[]
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])
               as e (player_id, experiment_id, seed, variant_id, at, forecast, segments)
             join locked l on l.id = e.player_id
             order by e.player_id, e.experiment_id, e.seed
             on conflict do nothing
             returning player_id as "playerId"`,
    },
    [
      ...arms,
      rows.map(({ at }) => at),
      rows.map(({ forecast }) => forecast),
      rows.map(({ segments }) => segments),
    ],
  );
  const areAllNew = stored.length === rows.length;
  return { stored: stored.length, toldOtherwise: areAllNew ? NOBODY : await findToldOtherwise(pool, arms) };
}

const NOBODY: ReadonlySet<string> = new Set();

/** Who has another arm than these. A statement of its own sees what the other node has stored; one that inserts does not. */
async function findToldOtherwise(pool: Pool, arms: readonly unknown[][]): Promise<ReadonlySet<string>> {
  const rows = await query<{ playerId: string }>(
    pool,
    {
      name: 'find_told_otherwise',
      text: `select x.player_id as "playerId"
             from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as e (player_id, experiment_id, seed, variant_id)
             cross join lateral (
               select player_id from experiment_exposures s
               where s.player_id = e.player_id and s.experiment_id = e.experiment_id and s.seed = e.seed
                 and s.variant_id <> e.variant_id
               offset 0
             ) x`,
    },
    [...arms],
  );
  return new Set(rows.map(({ playerId }) => playerId));
}

/** A client asks for its status, segments and store together, and the three responses tell the same arms: they are one row. */
function rowsOf(exposures: readonly Exposures[]) {
  const rows = exposures.flatMap(({ playerId, atMs, arms, forecast, segments }) =>
    arms.map(({ experimentId, seed, variantId }) => ({
      playerId,
      experimentId,
      seed,
      variantId,
      at: new Date(atMs),
      forecast: arrayText(forecast),
      // Nobody asks for the arms of a hold-out by segment.
      segments: isOfferHoldout(experimentId) ? null : arrayText(segments),
    })),
  );
  const keyOf = ({ playerId, experimentId, seed, variantId }: (typeof rows)[number]) =>
    [playerId, experimentId, seed, variantId].join('\n');
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** Arrays within an array would have to be of one length for `unnest`, and it would join them. */
function arrayText(values: readonly (string | number | null)[] | null): string | null {
  return values && `{${values.map((value) => JSON.stringify(value)).join()}}`;
}
