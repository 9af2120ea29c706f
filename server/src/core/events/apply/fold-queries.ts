import type { OwnState } from '../../../decide/own-attributes/own-state.js';
import { type Call, type Client, query } from '../../../platform/db/pool.js';
import { REPORTED_BY_DAY } from '../intake/player-profile.js';
import type { EventSums } from './event-sums.js';

/** What the lock says about a player. */
export type LockedPlayer = Readonly<{
  playerId: string;
  gameId: number;
  /** The erasure of the player was requested: no event of the player counts any more. */
  isLeaving: boolean;
  /** By which set own attributes are folded; null: by none. */
  ownVersion: number | null;
  /** Null without one, and of players without an event. */
  ownState: OwnState | null;
}>;

/**
 * Locks players, and returns those that exist: a player may have been erased after the request was checked. PostgreSQL evaluates a row
 * again that it had to wait for, but not the row of the game: a player without an event may begin with an older set than the newest.
 */
export async function lockPlayers(
  client: Client,
  playerIds: readonly string[],
): Promise<ReadonlyMap<string, LockedPlayer>> {
  const rows = await query<LockedPlayer>(
    client,
    {
      name: 'lock_players',
      text: `select p.id as "playerId", p.game_id as "gameId", p.erase_requested_at is not null as "isLeaving",
               case
                 when p.own_attributes_version is not null then p.own_attributes_version
                 when p.event_count = 0 then (select g.own_attributes_version from games g where g.id = p.game_id)
               end as "ownVersion",
               case when p.event_count > 0 then p.own_attributes end as "ownState"
             from players p where p.id = any($1::bigint[])
             order by p.id for no key update of p`,
    },
    [playerIds],
  );
  return new Map(rows.map((row) => [row.playerId, row]));
}

/**
 * Merges what was new into the players, their days and the game's roll-ups. The players must be locked.
 *
 *   sums ─┬─► players
 *         └─► day states (what the days held before) ─┬─► player_days
 *                                                     ├─► starts (of players with a new active day) ─┬─► game_days
 *   types ──► game_event_types                        └──────────────────────────────────────────────┴─► game_cohorts
 */
export function foldEvents({ playerIds, rows, types }: EventSums): Call {
  return { statement: FOLD_EVENTS, values: [JSON.stringify(rows), JSON.stringify(types), playerIds] };
}

/** The rows of `sumEvents`. */
const SUMS = `
      select "playerId" as player_id, "gameId" as game_id, day, "onlyAbout" as only_about, events, "eventType" as event_type,
        counts, "eventTypes" as event_types, coalesce(sessions, 0) as sessions, coalesce("adImpressions", 0) as ad_impressions,
        coalesce("storeViews", 0) as store_views, coalesce("playMs", 0) as play_ms, "firstAt" as first_at,
        coalesce("lastAt", "firstAt") as last_at, "severalDays" as several_days, profile,
        coalesce("profileSince", "profileUntil") as since, "profileUntil" as until, source, "sourceAt" as source_at,
        zone, own, "ownVersion" as own_version
      from jsonb_to_recordset($1::jsonb) as s(
        "playerId" bigint, "gameId" integer, day date, "onlyAbout" text, events integer, "eventType" text, counts jsonb,
        "eventTypes" text[], sessions integer, "adImpressions" integer, "storeViews" integer, "playMs" bigint,
        "firstAt" timestamptz, "lastAt" timestamptz, "severalDays" datemultirange, profile jsonb,
        "profileSince" timestamptz, "profileUntil" timestamptz, source text, "sourceAt" timestamptz,
        zone jsonb, own text, "ownVersion" integer
      )`;

/** The counts of a sum, added to those in OLD. */
const ADDED_COUNTS = `OLD || case
          when s.counts is null then jsonb_build_object(s.event_type, s.events + coalesce((OLD ->> s.event_type)::bigint, 0))
          else (
            select jsonb_object_agg(c.key, c.value::bigint + coalesce((OLD ->> c.key)::bigint, 0))
            from jsonb_each_text(s.counts) c
          )
        end`;
/** Of more than 256 types the first in byte order stay, which only a new type can change: see `first_keys` in the schema. */
const NEW_COUNTS = `case
          when OLD ? s.event_type or OLD ?& s.event_types then ${ADDED_COUNTS}
          else first_keys(${ADDED_COUNTS})
        end`;
const PLAYER_COUNTS = NEW_COUNTS.replaceAll('OLD', 'p.event_counts');
const DAY_COUNTS = NEW_COUNTS.replaceAll('OLD', 's.old_counts');

const UPDATE_PLAYERS = `
      update players p
      set event_count = p.event_count + s.events,
        event_counts = ${PLAYER_COUNTS},
        first_event_at = least(p.first_event_at, s.first_at),
        last_event_at = greatest(p.last_event_at, s.last_at),
        first_day = least(p.first_day, s.day),
        -- nearly always: a day that is known
        active_days = case
          when s.several_days is null and p.active_days @> s.day then p.active_days
          else recent_days(p.active_days + coalesce(s.several_days, datemultirange(daterange(s.day, s.day, '[]'))))
        end,
        profile = case
          when s.profile is null then p.profile
          -- nearly always: later than all that is known. Comparing member by member costs a third of the whole fold.
          when p.profile_at is null or s.since > p.profile_at then p.profile || s.profile
          else merge_profiles(p.profile, s.profile)
        end,
        profile_at = greatest(p.profile_at, s.until),
        -- the earliest; of equal times the lesser text
        source = case
          when s.source is null or row(p.source_at, p.source collate "C") <= row(s.source_at, s.source collate "C") then p.source
          else s.source
        end,
        source_at = least(p.source_at, s.source_at),
        time_zone = case when s.zone is null then p.time_zone else counting_zone(p.time_zone, s.zone) end,
        own_attributes = coalesce(s.own::json, p.own_attributes),
        own_attributes_version = coalesce(s.own_version, p.own_attributes_version)
      from sums s
      -- their ids once more: else a plan made while there are few players reads all of them
      where p.id = s.player_id and p.id = any($3::bigint[]) and s.only_about is distinct from 'day'`;

const DAY_REPORTS = REPORTED_BY_DAY.map(
  ([name, member]) =>
    `d.${name} as old_${name}, d.${name}_ms as old_${name}_ms, s.profile #>> '{${member},v}' as new_${name},
        ((s.profile #>> '{${member},t}')::bigint % 86400000)::integer as new_${name}_ms`,
).join(', ');
/** The later report of the day. Equal times are decided by the value, as in `later_entry`. */
const LATER_REPORTS = REPORTED_BY_DAY.map(([name]) => {
  const isLater = `row(new_${name}_ms, new_${name} collate "C") > row(coalesce(old_${name}_ms, -1), old_${name} collate "C")`;
  return `case when ${isLater} then new_${name} else old_${name} end,
        case when ${isLater} then new_${name}_ms else old_${name}_ms end`;
}).join(', ');
const REPORT_COLUMNS = REPORTED_BY_DAY.map(([name]) => `${name}, ${name}_ms`).join(', ');
const SET_REPORTS = REPORTED_BY_DAY.map(
  ([name]) => `${name} = excluded.${name}, ${name}_ms = excluded.${name}_ms`,
).join(', ');

/** The sums of days, with what the rows held before: the players are locked, so no other transaction changes them. */
const DAY_STATES = `
      select s.*, coalesce(d.events, 0) as old_events, d.sessions as old_sessions, d.ad_impressions as old_ad_impressions,
        d.store_views as old_store_views, d.play_ms as old_play_ms, coalesce(d.event_counts, '{}') as old_counts,
        ${DAY_REPORTS}
      from sums s
      -- offset 0: looked up one by one, whatever the planner guesses
      left join lateral (
        select * from player_days d where d.player_id = s.player_id and d.day = s.day offset 0
      ) d on true
      where s.only_about is distinct from 'player'`;

const UPSERT_PLAYER_DAYS = `
      insert into player_days (player_id, day, events, sessions, ad_impressions, store_views, play_ms, event_counts,
        ${REPORT_COLUMNS})
      select player_id, day, events + old_events, sessions + coalesce(old_sessions, 0),
        ad_impressions + coalesce(old_ad_impressions, 0), store_views + coalesce(old_store_views, 0),
        play_ms + coalesce(old_play_ms, 0), ${DAY_COUNTS},
        ${LATER_REPORTS}
      from day_states s
      on conflict (player_id, day) do update
      set events = excluded.events,
        sessions = excluded.sessions,
        ad_impressions = excluded.ad_impressions,
        store_views = excluded.store_views,
        play_ms = excluded.play_ms,
        event_counts = excluded.event_counts,
        ${SET_REPORTS}`;

/** On which day the players with a new active day started, before these events and with them. */
const STARTS = `
      select d.player_id, d.game_id, p.start as old_start, least(p.start, d.first_day) as new_start
      from (
        select player_id, game_id, min(day) as first_day from day_states where old_events = 0 group by player_id, game_id
      ) d
      join lateral (
        select start_day(created_at, first_day) as start
        from players p where p.game_id = d.game_id and p.id = d.player_id offset 0
      ) p on true`;

const UPSERT_GAME_DAYS = `
      insert into game_days as g (game_id, day, shard, active_players, new_players, events, sessions, ad_impressions,
        store_views, play_ms)
      -- active: the player's first events of that day; a purchase may have made the row before
      select game_id, day, rollup_shard('events'), count(*) filter (where old_events = 0), sum(new_players), sum(events),
        sum(sessions), sum(ad_impressions), sum(store_views), sum(play_ms)
      from (
        select game_id, day, old_events, 0 as new_players, events, sessions, ad_impressions, store_views, play_ms from day_states
        union all
        select game_id, day, null, n, 0, 0, 0, 0, 0
        from starts cross join lateral (values (old_start, -1), (new_start, 1)) v(day, n)
        where new_start < old_start
      ) d
      group by game_id, day
      order by game_id, day
      on conflict (game_id, day, shard) do update
      set active_players = g.active_players + excluded.active_players,
        new_players = g.new_players + excluded.new_players,
        events = g.events + excluded.events,
        sessions = g.sessions + excluded.sessions,
        ad_impressions = g.ad_impressions + excluded.ad_impressions,
        store_views = g.store_views + excluded.store_views,
        play_ms = g.play_ms + excluded.play_ms`;

const UPSERT_GAME_EVENT_TYPES = `
      insert into game_event_types as t (game_id, day, event_type, shard, events)
      select "gameId", day, "eventType", rollup_shard('events'), events
      from jsonb_to_recordset($2::jsonb) as s("gameId" integer, day date, "eventType" text, events bigint)
      order by 1, 2, 3
      on conflict (game_id, day, event_type, shard) do update set events = t.events + excluded.events`;

/**
 * New active days, and those that move along with a player to an earlier cohort. The latter are read from `player_days`: `active_days`
 * holds 180 days, and imported history may be older than all of them.
 */
const UPSERT_GAME_COHORTS = `
    insert into game_cohorts as c (game_id, cohort_day, active_day, shard, players)
    select game_id, cohort_day, active_day, rollup_shard('events'), sum(n)
    from (
      select s.game_id, s.new_start as cohort_day, d.day as active_day, 1 as n
      from day_states d join starts s on s.player_id = d.player_id
      where d.old_events = 0
      union all
      select s.game_id, v.cohort_day, a.day, v.n
      from starts s
      cross join lateral (
        select day from player_days a
        where a.player_id = s.player_id and a.events > 0 and s.new_start < s.old_start offset 0
      ) a
      cross join lateral (values (s.old_start, -1), (s.new_start, 1)) v(cohort_day, n)
    ) d
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict (game_id, cohort_day, active_day, shard) do update set players = c.players + excluded.players`;

const FOLD_EVENTS = {
  name: 'fold_events',
  text: `
    with sums as materialized (${SUMS}
    ), updated_players as (${UPDATE_PLAYERS}
    ), day_states as materialized (${DAY_STATES}
    ), upserted_player_days as (${UPSERT_PLAYER_DAYS}
    ), starts as materialized (${STARTS}
    ), upserted_game_days as (${UPSERT_GAME_DAYS}
    ), upserted_game_event_types as (${UPSERT_GAME_EVENT_TYPES}
    )
    ${UPSERT_GAME_COHORTS}`,
};
