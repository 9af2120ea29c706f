import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import { measuredExperiments } from '../../personalisation/document/offer-holdouts.js';
import type { ExperimentEntry } from '../../personalisation/document/parts/experiments.js';
import type { OfferEntry } from '../../personalisation/document/parts/offers.js';
import {
  type Exposure,
  type RunKey,
  SAW_TWO_ARMS,
  WAS_DRAWN_BEFORE,
  WAS_PINNED,
} from './exposure-queries.js';

export type ErasedExposure = RunKey & Exposure;

/** The exposures of players in experiments that run, up to the end of a day. */
export async function listErasedExposures(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  to: string,
): Promise<ErasedExposure[]> {
  const { rows } = await connection.query<ErasedExposure>(
    `select e.game_id as "gameId", e.experiment_id as "experimentId", e.seed, e.player_id as "playerId", e.variant_id as "variantId",
       (e.exposed_at at time zone 'UTC')::date::text as "exposedOn",
       (e.activated_at at time zone 'UTC')::date::text as "activatedOn",
       ${SAW_TWO_ARMS} as "sawTwoArms"
     from unnest($1::bigint[]) as w (id)
     cross join lateral (
       select * from experiment_exposures e
       where e.player_id = w.id and e.exposed_at < ($2::date + 1)::timestamp at time zone 'UTC'
       offset 0
     ) e
     cross join lateral (select running_experiments from games g where g.id = e.game_id offset 0) g
     where not ${WAS_PINNED} and not ${WAS_DRAWN_BEFORE} and exists (
       select from jsonb_array_elements(g.running_experiments) r where r ->> 0 = e.experiment_id and r ->> 1 = e.seed
     )
     order by e.game_id, e.experiment_id, e.seed, e.player_id`,
    [playerIds, to],
  );
  return rows;
}

export async function findPublishedExperiments(
  connection: DedicatedConnection,
  gameId: number,
): Promise<ExperimentEntry[]> {
  const { rows } = await connection.query<{ experiments: ExperimentEntry[] | null; offers: OfferEntry[] }>(
    `select v.document -> 'experiments' as experiments, v.document -> 'offers' as offers
     from games g
     cross join lateral (
       select document from config_versions v where v.game_id = g.id and v.version = g.published_version offset 0
     ) v
     where g.id = $1`,
    [gameId],
  );
  return rows.flatMap(({ experiments, offers }) =>
    measuredExperiments({ experiments: experiments ?? [], offers }),
  );
}
