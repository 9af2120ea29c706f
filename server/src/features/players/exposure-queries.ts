import { type Pool, query } from '../../db/pool.js';
import type { DecidedArm } from '../../personalisation/decide/decision.js';
import { isOfferHoldout } from '../../personalisation/document/offer-holdouts.js';
import type { Forecast } from '../../personalisation/predict/forecast.js';

/** The arms that a response to a player depends on and that are not stored yet, and what is known of the player without them. */
export type Exposures = Readonly<{
  playerId: string;
  atMs: number;
  arms: readonly ToldArm[];
  forecast: Forecast | null;
  segments: readonly string[] | null;
}>;

type ToldArm = Pick<DecidedArm, 'experimentId' | 'seed' | 'variantId'>;

/**
 * Stores arms, and returns how many were new. The first one is kept, whichever node sends it. The players are locked as long as nobody may
 * erase them meanwhile; whoever applies their events does not wait. All groups insert in one order, so that two of them never wait for each other.
 */
export async function storeExposures(pool: Pool, exposures: readonly Exposures[]): Promise<number> {
  const rows = exposures.flatMap(({ playerId, atMs, arms, forecast, segments }) =>
    arms.map((arm) => ({
      ...{ ...arm, playerId, at: new Date(atMs), forecast: arrayText(forecast) },
      // Nobody asks for the arms of a hold-out by segment.
      segments: isOfferHoldout(arm.experimentId) ? null : arrayText(segments),
    })),
  );
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
      rows.map(({ playerId }) => playerId),
      rows.map(({ experimentId }) => experimentId),
      rows.map(({ seed }) => seed),
      rows.map(({ variantId }) => variantId),
      rows.map(({ at }) => at),
      rows.map(({ forecast }) => forecast),
      rows.map(({ segments }) => segments),
    ],
  );
  return stored.length;
}

/** Arrays within an array would have to be of one length for `unnest`, and it would join them. */
function arrayText(values: readonly (string | number | null)[] | null): string | null {
  return values && `{${values.map((value) => JSON.stringify(value)).join()}}`;
}
