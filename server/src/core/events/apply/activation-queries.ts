import type { Call } from '../../../platform/db/pool.js';
import type { EventRecord } from '../intake/event-record.js';

/**
 * Marks the players as activated who were in an experiment when they sent an event of its activation type. The earliest such event counts,
 * so any order gives the same. The players must be locked.
 */
export function activatePlayers(records: readonly EventRecord[]): Call[] {
  const rows = records.flatMap(({ playerId, effectiveAtMs, activates }) =>
    (activates ?? []).map(({ experimentId, seed }) => ({
      playerId,
      experimentId,
      seed,
      at: new Date(effectiveAtMs),
    })),
  );
  if (rows.length === 0) return [];
  const values = [
    rows.map(({ playerId }) => playerId),
    rows.map(({ experimentId }) => experimentId),
    rows.map(({ seed }) => seed),
    rows.map(({ at }) => at),
  ];
  return [{ statement: ACTIVATE_PLAYERS, values }];
}

const ACTIVATE_PLAYERS = {
  name: 'activate_players',
  text: `with firsts as materialized (
           select a.player_id, a.experiment_id, a.seed, min(a.at) as at
           from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as a (player_id, experiment_id, seed, at)
           join lateral (
             select * from experiment_exposures x
             where x.player_id = a.player_id and x.experiment_id = a.experiment_id and x.seed = a.seed offset 0
           ) x on x.exposed_at <= a.at and (x.activated_at is null or a.at < x.activated_at)
           group by 1, 2, 3
         )
         update experiment_exposures x set activated_at = f.at
         from firsts f
         where x.player_id = any($1::bigint[])
           and x.player_id = f.player_id and x.experiment_id = f.experiment_id and x.seed = f.seed`,
};
