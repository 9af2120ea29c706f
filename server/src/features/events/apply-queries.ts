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

// One JSON text parameter: it costs a third of what an array parameter per column does.
const INSERT_AND_FOLD = {
  name: 'insert_and_fold_events',
  text: `
    with incoming as materialized (
      select *
      from rows from (json_to_recordset($1::json) as (
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
      returning game_id, player_id, identity, event_type,
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
        sum(play_ms) as play_ms,
        -- a row begins with what jsonb_add would leave in it, or its types would depend on how events were grouped
        case when count(*) > 256 then jsonb_add('{}', jsonb_object_agg(event_type, n))
          else jsonb_object_agg(event_type, n) end as counts
      from by_type
      group by 1, 2, 3
    ), by_player as (
      select player_id, sum(events) as events, min(first_at) as first_at, max(last_at) as last_at, min(day) as first_day,
        range_agg(daterange(day, day, '[]')) as days, jsonb_total(counts) as counts
      from by_day
      group by 1
    ), profiles as (
      -- $3 is made of all the events. Where some were sent before, an event whose clock is not believed would count at
      -- today's receipt in it, and no longer at its first: then the profiles are read from the new events alone.
      select f.p, f.profile
      from json_to_recordset($3::json) as f(p bigint, profile jsonb)
      where (select count(*) from fresh) = $2
      union all
      select t.p, jsonb_object_agg(t.name, jsonb_build_object('v', t.value, 't', t.at))
      from (
        select distinct on (e.p, m.key) e.p, m.key as name, m.value #>> '{}' as value,
          floor(extract(epoch from f.effective_at) * 1000)::bigint as at
        from fresh f
        join incoming e on e.p = f.player_id and e.i = f.identity
        cross join jsonb_each(e.m) m
        where (select count(*) from fresh) < $2 and m.key = any($4::text[])
          and jsonb_typeof(m.value) = 'string' and length(m.value #>> '{}') between 1 and $5
        order by e.p, m.key, at desc, m.value #>> '{}' collate "C" desc
      ) t
      group by t.p
    ), folded as (
      update players p
      set event_count = p.event_count + b.events,
        event_counts = jsonb_add(p.event_counts, b.counts),
        first_event_at = least(p.first_event_at, b.first_at),
        last_event_at = greatest(p.last_event_at, b.last_at),
        first_day = least(p.first_day, b.first_day),
        active_days = recent_days(p.active_days + b.days),
        profile = merge_profiles(p.profile, coalesce(f.profile, '{}'))
      from by_player b
      left join profiles f on f.p = b.player_id
      where p.id = b.player_id
    ), days as (
      insert into player_days as d (player_id, day, events, sessions, ad_impressions, store_views, play_ms, event_counts)
      select player_id, day, events, sessions, ad_impressions, store_views, play_ms, counts
      from by_day
      order by player_id, day
      on conflict (player_id, day) do update
      set events = d.events + excluded.events,
        sessions = d.sessions + excluded.sessions,
        ad_impressions = d.ad_impressions + excluded.ad_impressions,
        store_views = d.store_views + excluded.store_views,
        play_ms = d.play_ms + excluded.play_ms,
        event_counts = jsonb_add(d.event_counts, excluded.event_counts)
      -- no more than what is added here: these are the player's first events of that day
      returning player_id, day, d.events
    ), game_totals as (
      insert into game_days as g (game_id, day, shard, active_players, events, sessions, ad_impressions, store_views,
        play_ms, event_counts)
      select b.game_id, b.day, rollup_shard('events'), count(*) filter (where d.events = b.events), sum(b.events),
        sum(b.sessions), sum(b.ad_impressions), sum(b.store_views), sum(b.play_ms), jsonb_total(b.counts)
      from by_day b
      join days d using (player_id, day)
      group by b.game_id, b.day
      order by b.game_id, b.day
      on conflict (game_id, day, shard) do update
      set active_players = g.active_players + excluded.active_players,
        events = g.events + excluded.events,
        sessions = g.sessions + excluded.sessions,
        ad_impressions = g.ad_impressions + excluded.ad_impressions,
        store_views = g.store_views + excluded.store_views,
        play_ms = g.play_ms + excluded.play_ms,
        event_counts = jsonb_add(g.event_counts, excluded.event_counts)
    ), cohorts as (
      insert into game_cohorts as c (game_id, cohort_day, active_day, shard, players)
      select p.game_id, (p.created_at at time zone 'UTC')::date as cohort_day, d.day, rollup_shard('events'), count(*)
      from days d
      join by_day b using (player_id, day)
      join players p on p.id = d.player_id
      where d.events = b.events and d.day >= (p.created_at at time zone 'UTC')::date
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
