import { type Client, query } from '../../db/pool.js';
import type { EventRecord } from './event-record.js';
import { latestProfiles, MAX_PROFILE_LENGTH, PROFILE_MEMBERS } from './player-profile.js';

export async function lockPlayers(client: Client, playerIds: readonly string[]): Promise<undefined> {
  await query(
    client,
    {
      name: 'lock_players',
      text: 'select from players where id = any($1::bigint[]) order by id for no key update',
    },
    [playerIds],
  );
}

/** The first timestamp seen with an eventId is the one that counts; see `event_names` in the schema. */
export async function pinEventNames(client: Client, named: readonly EventRecord[]): Promise<undefined> {
  await query(
    client,
    {
      name: 'pin_event_names',
      text: `insert into event_names (player_id, identity, occurred_at)
             select n.player_id, n.identity, n.occurred_at
             from unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::int[]) with ordinality
               as n(player_id, identity, occurred_at, game_id, place)
             join games g on g.id = n.game_id
             -- an event from before that day is not stored again, nor is its name
             where g.events_deleted_before is null
               or n.occurred_at >= g.events_deleted_before::timestamp at time zone 'UTC'
             order by n.place
             on conflict do nothing`,
    },
    [
      named.map((record) => record.playerId),
      named.map((record) => record.identity),
      named.map((record) => record.occurredAt),
      named.map((record) => record.gameId),
    ],
  );
}

/**
 * Inserts the events and merges the new ones into their players, the players' days and the game's roll-ups. Returns
 * `playerId:identity` of the new ones, or undefined when all were new.
 */
export async function insertAndFoldEvents(
  client: Client,
  records: readonly EventRecord[],
): Promise<string[] | undefined> {
  const rows = await query<{ fresh: string[] | null }>(client, INSERT_AND_FOLD, [
    eventsJson(records),
    records.length,
    JSON.stringify(latestProfiles(records)),
    PROFILE_MEMBERS,
    MAX_PROFILE_LENGTH,
  ]);
  return rows[0]?.fresh ?? undefined;
}

/** The new counts of the types in a group, and whether any of them is new to the row. */
const COUNTS = `jsonb_object_agg(t.event_type, t.n + coalesce((s.old_counts ->> t.event_type)::bigint, 0)) as counts,
        bool_or(not s.old_counts ? t.event_type) as has_new_type`;
/** Of more than 256 types the first in byte order stay: see `first_keys` in the schema. */
const MERGED_COUNTS = `case when c.has_new_type then first_keys(s.old_counts || c.counts) else s.old_counts || c.counts end`;

// One JSON text parameter: it costs a third of what an array parameter per column does. As jsonb it is parsed once, and not once
// more for every payload: 7% of what PostgreSQL spends on batches of 50.
const INSERT_AND_FOLD = {
  name: 'insert_and_fold_events',
  text: `
    with incoming as materialized (
      select *
      from rows from (jsonb_to_recordset($1::jsonb) as (
        p bigint, g integer, i uuid, n text, t text, o timestamptz, r timestamptz, c boolean, s text, d jsonb, m jsonb
      )) with ordinality as e(p, g, i, n, t, o, r, c, s, d, m, place)
    ), fresh as (
      insert into events (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type, payload,
        metadata, event_id, timestamp_text)
      select o, p, r, i, g, c, t, d, m, n, s
      from incoming
      join games on games.id = g
      where (n is null
          or exists (select from event_names v where v.player_id = p and v.identity = i and v.occurred_at = o))
        and (games.events_deleted_before is null or o >= games.events_deleted_before::timestamp at time zone 'UTC')
      -- of several with one identity the first counts
      order by o, p, i, place
      on conflict do nothing
      returning game_id, player_id, identity, occurred_at, event_type,
        case when clock_suspect then received_at else least(occurred_at, received_at) end as effective_at,
        case when event_type = 'Session_End' and jsonb_typeof(payload -> 'durationMs') = 'number'
          then least((payload ->> 'durationMs')::numeric, 86400000)::bigint else 0 end as play_ms
    ), by_type as (
      select game_id, player_id, (effective_at at time zone 'UTC')::date as day, event_type, count(*) as n,
        min(effective_at) as first_at, max(effective_at) as last_at, sum(play_ms) as play_ms
      from fresh
      group by 1, 2, 3, 4
    ), by_day as (
      select game_id, player_id, day, sum(n) as events, min(first_at) as first_at, max(last_at) as last_at,
        coalesce(sum(n) filter (where event_type = 'Session_Start'), 0) as sessions,
        coalesce(sum(n) filter (where event_type = 'Ad_Impression'), 0) as ad_impressions,
        coalesce(sum(n) filter (where event_type = 'Store_View'), 0) as store_views,
        sum(play_ms) as play_ms
      from by_type
      group by 1, 2, 3
    ), day_states as materialized (
      -- with what the rows held before: the players are locked, so nobody else changes them
      select b.*, d.events as old_events, d.sessions as old_sessions, d.ad_impressions as old_ad_impressions,
        d.store_views as old_store_views, d.play_ms as old_play_ms, coalesce(d.event_counts, '{}') as old_counts
      from by_day b
      left join player_days d using (player_id, day)
    ), day_counts as (
      select s.player_id, s.day, ${COUNTS}
      from by_type t
      join day_states s using (player_id, day)
      group by 1, 2
    ), by_player as (
      select player_id, sum(events) as events, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
        range_agg(daterange(day, day, '[]')) as days
      from by_day
      group by 1
    ), player_states as materialized (
      select b.*, p.event_counts as old_counts from by_player b join players p on p.id = b.player_id
    ), player_counts as (
      select s.player_id, ${COUNTS}
      from (select player_id, event_type, sum(n) as n from by_type group by 1, 2) t
      join player_states s using (player_id)
      group by 1
    ), profiles as (
      -- $3 is made of all the events. Where some were sent before, an event whose clock is not believed would count at
      -- today's receipt in it, and no longer at its first: then the profiles are read from the new events alone.
      select f.p, f.profile, f.since, f.until
      from jsonb_to_recordset($3::jsonb) as f(p bigint, profile jsonb, since timestamptz, until timestamptz)
      where (select count(*) from fresh) = $2
      union all
      select t.p, jsonb_object_agg(t.name, jsonb_build_object('v', t.value, 't', t.at)),
        date_trunc('milliseconds', min(t.effective_at)), date_trunc('milliseconds', max(t.effective_at))
      from (
        select distinct on (e.p, m.key) e.p, m.key as name, m.value #>> '{}' as value, f.effective_at,
          floor(extract(epoch from f.effective_at) * 1000)::bigint as at
        from fresh f
        join (select distinct on (p, i, o) p, i, o, m from incoming order by p, i, o, place) e
          on e.p = f.player_id and e.i = f.identity and e.o = f.occurred_at
        cross join jsonb_each(e.m) m
        where (select count(*) from fresh) < $2 and m.key = any($4::text[])
          and jsonb_typeof(m.value) = 'string' and length(m.value #>> '{}') between 1 and $5
        order by e.p, m.key, at desc, m.value #>> '{}' collate "C" desc
      ) t
      group by t.p
    ), folded as (
      update players p
      set event_count = p.event_count + s.events,
        event_counts = ${MERGED_COUNTS},
        first_event_at = least(p.first_event_at, s.first_at),
        last_event_at = greatest(p.last_event_at, s.last_at),
        first_day = least(p.first_day, s.first_day),
        -- nearly always: a day that is known
        active_days = case when p.active_days @> s.days then p.active_days else recent_days(p.active_days + s.days) end,
        profile = case
          when f.profile is null then p.profile
          -- nearly always: later than all that is known. Comparing member by member costs a third of the whole fold.
          when p.profile_at is null or f.since > p.profile_at then p.profile || f.profile
          else merge_profiles(p.profile, f.profile)
        end,
        profile_at = greatest(p.profile_at, f.until)
      from player_states s
      join player_counts c using (player_id)
      left join profiles f on f.p = s.player_id
      where p.id = s.player_id
    ), days as (
      insert into player_days (player_id, day, events, sessions, ad_impressions, store_views, play_ms, event_counts)
      select s.player_id, s.day, s.events + coalesce(s.old_events, 0), s.sessions + coalesce(s.old_sessions, 0),
        s.ad_impressions + coalesce(s.old_ad_impressions, 0), s.store_views + coalesce(s.old_store_views, 0),
        s.play_ms + coalesce(s.old_play_ms, 0), ${MERGED_COUNTS}
      from day_states s
      join day_counts c using (player_id, day)
      order by s.player_id, s.day
      on conflict (player_id, day) do update
      set events = excluded.events,
        sessions = excluded.sessions,
        ad_impressions = excluded.ad_impressions,
        store_views = excluded.store_views,
        play_ms = excluded.play_ms,
        event_counts = excluded.event_counts
    ), first_days as (
      -- the player's first events of that day; a purchase may have made the row before
      select game_id, player_id, day from day_states where coalesce(old_events, 0) = 0
    ), game_totals as (
      insert into game_days as g (game_id, day, shard, active_players, events, sessions, ad_impressions, store_views,
        play_ms)
      select game_id, day, rollup_shard('events'), count(*) filter (where coalesce(old_events, 0) = 0), sum(events),
        sum(sessions), sum(ad_impressions), sum(store_views), sum(play_ms)
      from day_states
      group by game_id, day
      order by game_id, day
      on conflict (game_id, day, shard) do update
      set active_players = g.active_players + excluded.active_players,
        events = g.events + excluded.events,
        sessions = g.sessions + excluded.sessions,
        ad_impressions = g.ad_impressions + excluded.ad_impressions,
        store_views = g.store_views + excluded.store_views,
        play_ms = g.play_ms + excluded.play_ms
    ), game_types as (
      insert into game_event_types as t (game_id, day, event_type, shard, events)
      select game_id, day, event_type, rollup_shard('events'), sum(n)
      from by_type
      group by 1, 2, 3
      order by 1, 2, 3
      on conflict (game_id, day, event_type, shard) do update set events = t.events + excluded.events
    ), cohorts as (
      insert into game_cohorts as c (game_id, cohort_day, active_day, shard, players)
      select p.game_id, (p.created_at at time zone 'UTC')::date as cohort_day, d.day, rollup_shard('events'), count(*)
      from first_days d
      join players p on p.id = d.player_id
      where d.day >= (p.created_at at time zone 'UTC')::date
      group by 1, 2, 3
      order by 1, 2, 3
      on conflict (game_id, cohort_day, active_day, shard) do update set players = c.players + excluded.players
    )
    select case when count(*) < $2
      then coalesce(array_agg(player_id || ':' || replace(identity::text, '-', '')), '{}') end as fresh
    from fresh`,
};

/** The rows as JSON text. Payload and metadata are JSON text already and are spliced in as they are. */
function eventsJson(records: readonly EventRecord[]): string {
  let json = '[';
  for (const record of records) {
    const received = new Date(record.receivedAtMs).toISOString();
    json += `${json.length === 1 ? '' : ','}{"p":${record.playerId},"g":${record.gameId},"i":"${record.identity}","t":${JSON.stringify(record.eventType)},"o":"${record.occurredAt}","r":"${received}","c":${record.clockSuspect}`;
    if (record.eventId !== null) json += `,"n":${JSON.stringify(record.eventId)}`;
    if (record.timestampText !== null) json += `,"s":${JSON.stringify(record.timestampText)}`;
    json += `,"d":${record.payloadJson},"m":${record.metadataJson}}`;
  }
  return `${json}]`;
}
