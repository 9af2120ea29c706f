import { checkpoint } from './checkpoint.mjs';

/**
 * Writes players directly into the tables: rows that fill the tables and are not part of a measurement. Four in ten were
 * here in the last 28 days, on every third of these days on average; older days are there, too. One in twenty has paid. Ids are
 * taken from the sequence; user ids follow from them (`userIdOf`). Returns the first and the last id.
 */
export async function insertPlayers(database, count) {
  const { rows } = await database.query(
    `with made as (
       insert into players (id, game_id, user_id, created_at, first_event_at, last_event_at, event_count, event_counts,
         purchase_count, last_purchase_at, spend, profile)
       select id, (select id from games where slug = 'demo-game'), md5('player-' || id)::uuid, now() - age, now() - age,
         now() - seen, 40 + id % 500,
         jsonb_build_object('Session_Start', id % 90, 'Session_End', id % 89, 'Ad_Impression', id % 200, 'Store_View', id % 30,
           'Level_Start', id % 150, 'Level_Complete', id % 120, 'Purchase', (id % 20 = 0)::int),
         case when id % 20 = 0 then 1 + id % 3 else 0 end, case when id % 20 = 0 then now() - seen end,
         case when id % 20 = 0 then jsonb_build_object('USD', (1 + id % 40) * 4.99) else '{}' end,
         jsonb_build_object('country', jsonb_build_object('v', (array['US','DE','JP','BR','FR'])[1 + id % 5], 't', 1),
           'osName', jsonb_build_object('v', (array['Android','iOS'])[1 + id % 2], 't', 1),
           'deviceType', jsonb_build_object('v', 'phone', 't', 1), 'locale', jsonb_build_object('v', 'en-US', 't', 1))
       from (
         select id, age, least(age, case when random() < 0.4 then random() * random() * interval '28 days'
           else interval '28 days' + random() * interval '300 days' end) as seen
         from (
           select nextval(pg_get_serial_sequence('players', 'id')) as id, random() * interval '400 days' as age
           from generate_series(1, $1::int)
         ) aged
       ) seen
       returning id
     )
     select min(id)::float8 as first, max(id)::float8 as last from made`,
    [count],
  );
  const [{ first, last }] = rows;
  const range = [first, last];
  await database.query(
    `insert into player_days (player_id, day, events, sessions, ad_impressions, store_views, play_ms, event_counts,
       purchases, revenue)
     select p.id, day::date, 20 + p.id % 30, 1 + p.id % 4, p.id % 12, p.id % 3, 60000 * (p.id % 60),
       jsonb_build_object('Session_Start', 1 + p.id % 4, 'Session_End', 1 + p.id % 4, 'Ad_Impression', p.id % 12,
         'Store_View', p.id % 3, 'Level_Start', p.id % 9, 'Level_Complete', p.id % 7),
       (p.id % 20 = 0 and random() < 0.1)::int, case when p.id % 20 = 0 then '{"USD": 4.99}'::jsonb else '{}' end
     from players p
     cross join lateral generate_series(greatest(p.created_at, p.last_event_at - interval '40 days')::date,
       p.last_event_at::date, interval '1 day') day
     where p.id between $1 and $2 and (random() < 0.33 or day = p.last_event_at::date)
       and (p.last_event_at > now() - interval '28 days' or random() < 0.1)`,
    range,
  );
  await database.query(
    `insert into player_promotions (player_id, promo_id, purchases)
     select id, 'promo-' || id % 3, 1 from players where id between $1 and $2 and purchase_count > 0`,
    range,
  );
  return { first, last };
}

/** A device and a live session for each of them; their ids follow from the player's (`sessionIdOf`, `deviceIdOf`). */
export async function insertSessions(database, { first, last }) {
  await database.query(
    `insert into devices (game_id, device_id, player_id, created_at)
     select game_id, 'stored-' || id, id, created_at from players where id between $1 and $2`,
    [first, last],
  );
  await database.query(
    `insert into sessions (id, player_id, device_id, key_id, created_at, expires_at, tag_key, current_hash)
     select md5('session-' || id)::uuid, id, 'stored-' || id, 'dev-key', now(), now() + interval '30 days',
       sha256('tag'), sha256(id::text::bytea)
     from players where id between $1 and $2`,
    [first, last],
  );
}

/** As autovacuum leaves tables that fill over weeks. Otherwise autovacuum would start during the measurement. */
export async function settleTables(database, tables) {
  for (const table of tables) await database.query(`vacuum (analyze) ${table}`);
  await checkpoint(database);
}
