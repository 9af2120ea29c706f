import { type Call, type Client, query } from '../../../platform/db/pool.js';
import { isoTime } from '../../../platform/lib/iso-time.js';
import { EVENT_LIMITS } from '../intake/limits.js';
import type { KnownSequences, SequenceClaim, SettledClaim } from './sequence-claims.js';
import { formatRanges, rangesOf } from './sequences.js';

/**
 * What is known of the installations that sent these numbers. An installation whose numbers are simply the next ones, and
 * which has never left a gap, is not in the result: nearly always that is all of them.
 */
export async function findSequences(
  client: Client,
  claims: readonly SequenceClaim[],
): Promise<KnownSequences[]> {
  return query<KnownSequences>(client, FIND_SEQUENCES, [
    JSON.stringify(
      claims.map(({ playerId, installId, numbers }) => ({
        player_id: playerId,
        install_id: installId,
        numbers: formatRanges(rangesOf(numbers)),
      })),
    ),
    EVENT_LIMITS.maxInstalls,
  ]);
}

const FIND_SEQUENCES = {
  name: 'find_sequences',
  text: `
    select (w.place - 1)::integer as place, w.seen::text as seen, w.installs
    from (
      select c.place, c.numbers, coalesce(i.seen, '{}') as seen,
        case when i.seen is null then (
          select count(*)::integer
          from (select from event_installs s where s.player_id = c.player_id limit $2) known
        ) end as installs
      from rows from (jsonb_to_recordset($1::jsonb) as (player_id bigint, install_id text, numbers int8multirange))
        with ordinality as c(player_id, install_id, numbers, place)
      left join lateral (
        select seen from event_installs s where s.player_id = c.player_id and s.install_id = c.install_id offset 0
      ) i on true
    ) w
    where w.seen && w.numbers or w.installs >= $2
      -- a gap, after these numbers or before them: they may have filled the last one
      or w.seen + w.numbers <> int8multirange(int8range(1, upper(w.seen + w.numbers)))
      or w.seen <> '{}' and w.seen <> int8multirange(int8range(1, upper(w.seen)))`,
};

/** Stores the numbers, and the gaps among them. The players must be locked. */
export function rememberSequences(settled: readonly SettledClaim[]): Call[] {
  const added = settled.filter((each) => each.added.length > 0);
  const withGaps = settled.filter((each) => each.gaps !== undefined);
  return [
    ...(added.length > 0 ? [upsertInstalls(added)] : []),
    ...(withGaps.length > 0 ? [replaceGaps(withGaps)] : []),
  ];
}

function upsertInstalls(settled: readonly SettledClaim[]): Call {
  return {
    statement: {
      name: 'upsert_installs',
      text: `insert into event_installs as i (player_id, install_id, seen)
             select player_id, install_id, seen
             from jsonb_to_recordset($1::jsonb) as s(player_id bigint, install_id text, seen int8multirange)
             order by player_id, install_id
             on conflict (player_id, install_id) do update set seen = i.seen + excluded.seen`,
    },
    values: [
      JSON.stringify(
        settled.map(({ claim, added }) => ({
          player_id: claim.playerId,
          install_id: claim.installId,
          seen: formatRanges(added),
        })),
      ),
    ],
  };
}

/** A gap that has become smaller keeps the time at which it was first noticed. */
function replaceGaps(settled: readonly SettledClaim[]): Call {
  return {
    statement: {
      name: 'replace_gaps',
      text: `
        with given as materialized (
          select * from jsonb_to_recordset($1::jsonb) as g(player_id bigint, install_id text, game_id integer,
            noticed_at timestamptz, client_build text, platform text, gaps jsonb)
        ), open as materialized (
          select g.player_id, g.install_id, g.game_id, (r ->> 0)::bigint as first_seq, (r ->> 1)::bigint as last_seq,
            coalesce(o.noticed_at, g.noticed_at) as noticed_at,
            case when o.player_id is null then g.client_build else o.client_build end as client_build,
            case when o.player_id is null then g.platform else o.platform end as platform
          from given g
          cross join lateral jsonb_array_elements(g.gaps) r
          left join lateral (
            select * from event_gaps e
            where e.player_id = g.player_id and e.install_id = g.install_id and e.first_seq <= (r ->> 0)::bigint
              and e.last_seq >= (r ->> 1)::bigint
            offset 0
          ) o on true
        ), filled as (
          -- by place: a join would read all gaps of all games if planned while there are few
          delete from event_gaps
          where ctid = any (array(
            select e.place
            from given g
            cross join lateral (
              select ctid as place, first_seq from event_gaps e
              where e.player_id = g.player_id and e.install_id = g.install_id offset 0
            ) e
            where not exists (
              select from open o
              where o.player_id = g.player_id and o.install_id = g.install_id and o.first_seq = e.first_seq
            )
          ))
        )
        insert into event_gaps (player_id, install_id, game_id, first_seq, last_seq, noticed_at, client_build, platform)
        select player_id, install_id, game_id, first_seq, last_seq, noticed_at, client_build, platform from open
        order by player_id, install_id, first_seq
        on conflict (player_id, install_id, first_seq) do update set last_seq = excluded.last_seq`,
    },
    values: [
      JSON.stringify(
        settled.map(({ claim, gaps }) => ({
          player_id: claim.playerId,
          install_id: claim.installId,
          game_id: claim.gameId,
          noticed_at: isoTime(claim.receivedAtMs),
          client_build: claim.clientBuild,
          platform: claim.platform,
          gaps: (gaps ?? []).map(({ first, last }) => [first, last]),
        })),
      ),
    ],
  };
}
