-- When a player last took an export of the own data: one an hour, on whichever node.

create table player_exports (
  player_id bigint primary key,
  started_at timestamptz not null
);
comment on table player_exports is
  'When a player last began to download the own data. A row of its own: a change of the players row would make cached responses stale.';

comment on table player_notes is
  'What people of the studio have written down about a player, for each other. Players see it in an export of their own data only.';

-- A time as the API writes it: 2026-11-15T12:00:00.000Z.
create function api_time(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Days as the export of a player writes them: [{"first": "2026-11-14", "last": "2026-11-15"}].
create function day_spans(days datemultirange) returns json language sql stable parallel safe as $$
  select coalesce(json_agg(json_build_object('first', lower(r), 'last', upper(r) - 1) order by lower(r)), '[]')
  from unnest(days) r
$$;
