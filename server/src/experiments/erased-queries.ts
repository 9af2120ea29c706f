import { measuredExperiments } from '../decide/document/offer-holdouts.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import type { OfferEntry } from '../decide/document/parts/offers.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';

/** The games of players in which an experiment runs, or has run. */
export async function listGamesWithRuns(
  connection: DedicatedConnection,
  playerIds: readonly string[],
): Promise<number[]> {
  const { rows } = await connection.query<{ gameId: number }>(
    `select g.id as "gameId"
     from (
       select distinct p.game_id
       from unnest($1::bigint[]) as w (id)
       cross join lateral (select game_id from players p where p.id = w.id offset 0) p
     ) p
     cross join lateral (select id, running_experiments from games g where g.id = p.game_id offset 0) g
     where g.running_experiments is not null or exists (select from experiment_runs r where r.game_id = g.id)
     order by g.id`,
    [playerIds],
  );
  return rows.map(({ gameId }) => gameId);
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
