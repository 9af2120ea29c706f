import type pg from 'pg';
import { runSavepoint } from '../support/service.js';
import type { Stack } from './stack.js';
import { withDatabase } from './verify.js';

/** A game whose events are all of the former layout, a row each, when the run begins. */
const GAME = 'old-game';
const DAYS = 20;
const EVENTS_A_DAY = 10;
const EVENTS_A_PLAYER = DAYS * EVENTS_A_DAY;
const TYPES = ['Level_Start', 'Level_Complete', 'Ad_Impression', 'Session_Start', 'Session_End'];
const PLAY_MS = 1_000;

/**
 * Stores events as the former version did, with the counts that belong to them. The days are filled as separate tables and then attached
 * all at once, so that no event is moved before all are there. Returns how many there are, a multiple of two hundred.
 */
export async function storeOldEvents(
  stack: Stack,
  atLeast: number,
  say: (line: string) => void,
): Promise<number> {
  const players = Math.ceil(atLeast / EVENTS_A_PLAYER);
  await addGame(stack);
  await withDatabase(stack, async (client) => {
    const firstId = await insertPlayers(client, players);
    for (let day = 0; day < DAYS; day++) {
      await fillDay(client, day, players, firstId);
      say(`${(day + 1) * players * EVENTS_A_DAY} events of the former layout are stored`);
    }
    await client.query('begin');
    for (let day = 0; day < DAYS; day++) await attachDay(client, day);
    await insertRollups(client, players);
    await client.query('commit');
  });
  return players * EVENTS_A_PLAYER;
}

async function addGame({ settings }: Stack): Promise<void> {
  const { code, output } = await runSavepoint(
    ['game', 'create', GAME, '--tenant', 'demo-studio', '--name', GAME],
    settings,
  );
  if (code !== 0) throw new Error(`savepoint game create: ${output}`);
}

const GAME_ID = `(select id from games where slug = '${GAME}')`;
/** The first day, with some days after the last one: by then everything has been received. */
const FIRST_DAY = `(current_date - ${DAYS + 2})`;
const DAY = `(${FIRST_DAY} + $1::int)`;
/** Events of the players in turn, evenly over the day; `n` counts the events of a day. */
const AT = (day: string, n: string, players: string) =>
  `${day}::timestamp at time zone 'UTC' + (${n}::bigint * 86400000 / (${players}::bigint * ${EVENTS_A_DAY})) * interval '1 ms'`;
const COUNTS = (each: number) =>
  `'${JSON.stringify(Object.fromEntries(TYPES.map((type) => [type, each])))}'::jsonb`;

async function insertPlayers(client: pg.Client, players: number): Promise<string> {
  const lastAt = AT(`(${FIRST_DAY} + ${DAYS - 1})`, `($1::int * ${EVENTS_A_DAY - 1} + n)`, '$1');
  const { rows } = await client.query<{ first: string }>(
    `with inserted as (
       insert into players (game_id, user_id, created_at, first_event_at, last_event_at, event_count, event_counts, active_days,
         first_day, profile, profile_at)
       select ${GAME_ID}, gen_random_uuid(), ${FIRST_DAY}::timestamp at time zone 'UTC', ${AT(FIRST_DAY, 'n', '$1')}, last_at,
         ${EVENTS_A_PLAYER}, ${COUNTS(EVENTS_A_PLAYER / TYPES.length)},
         datemultirange(daterange(${FIRST_DAY}, ${FIRST_DAY} + ${DAYS})), ${FIRST_DAY},
         jsonb_build_object('country', jsonb_build_object('v', 'KE', 't', (extract(epoch from last_at) * 1000)::bigint)), last_at
       from generate_series(0, $1::int - 1) n
       cross join lateral (select ${lastAt} as last_at) l
       order by n
       returning id
     )
     select min(id) as first from inserted`,
    [players],
  );
  return rows[0]?.first ?? '';
}

async function fillDay(client: pg.Client, day: number, players: number, firstId: string): Promise<void> {
  const table = await tableOf(client, day);
  await client.query(`create table ${table} (like old_events including all)`);
  await client.query(
    `insert into ${table} (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type, payload, metadata, event_id)
     select at, $3::bigint + n % $2::bigint, at + interval '1 second', md5($1::int || ' ' || n)::uuid, ${GAME_ID}, false,
       ($4::text[])[1 + (n / $2) % ${TYPES.length}],
       jsonb_build_object('durationMs', ${PLAY_MS}, 'level', n % 100, 'score', n, 'mode', 'campaign'),
       '{"country": "KE", "appVersion": "1.2.3"}', case when n % 20 = 0 then 'event-' || $1::int || '-' || n end
     from generate_series(0, $2::bigint * ${EVENTS_A_DAY} - 1) n
     cross join lateral (select ${AT(DAY, 'n', '$2')} as at) t`,
    [day, players, firstId, TYPES],
  );
  await client.query(
    `insert into old_event_names select player_id, identity, occurred_at from ${table} where event_id is not null`,
  );
  await client.query(
    `insert into player_days (player_id, day, events, sessions, ad_impressions, play_ms, event_counts)
     select $3::bigint + n, ${DAY}, ${EVENTS_A_DAY}, ${OF_A_TYPE}, ${OF_A_TYPE}, ${OF_A_TYPE * PLAY_MS}, ${COUNTS(OF_A_TYPE)}
     from generate_series(0, $2::bigint - 1) n`,
    [day, players, firstId],
  );
}

const OF_A_TYPE = EVENTS_A_DAY / TYPES.length;

async function tableOf(client: pg.Client, day: number): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select 'old_events_' || to_char(${DAY}, 'YYYYMMDD') as name`,
    [day],
  );
  return rows[0]?.name ?? '';
}

async function attachDay(client: pg.Client, day: number): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table old_events attach partition %I for values from (%L) to (%L)', $2::text, ${DAY} || 'Z', ${DAY} + 1 || 'Z')
       as statement`,
    [day, await tableOf(client, day)],
  );
  await client.query(rows[0]?.statement ?? '');
}

async function insertRollups(client: pg.Client, players: number): Promise<void> {
  const days = `generate_series(0, ${DAYS - 1}) n cross join lateral (select ${FIRST_DAY} + n as day) d`;
  await client.query(
    `insert into game_days (game_id, day, shard, active_players, new_players, events, sessions, ad_impressions, play_ms)
     select ${GAME_ID}, day, 0, $1, case when n = 0 then $1 else 0 end, $1 * ${EVENTS_A_DAY}, $1 * ${OF_A_TYPE}, $1 * ${OF_A_TYPE},
       $1 * ${OF_A_TYPE * PLAY_MS}
     from (select $1::bigint) p, ${days}`,
    [players],
  );
  await client.query(
    `insert into game_event_types (game_id, day, event_type, shard, events)
     select ${GAME_ID}, day, type, 0, $1::bigint * ${OF_A_TYPE} from ${days} cross join unnest($2::text[]) type`,
    [players, TYPES],
  );
  await client.query(
    `insert into game_cohorts (game_id, cohort_day, active_day, shard, players)
     select ${GAME_ID}, ${FIRST_DAY}, day, 0, $1::bigint from ${days}`,
    [players],
  );
}

/** Whether events wait to be moved, and whether a node is moving them. */
export async function findMove(stack: Stack): Promise<{ left: boolean; isAtWork: boolean }> {
  return withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ left: boolean; isAtWork: boolean }>(
      `select exists (select from pg_inherits where inhparent = 'old_events'::regclass) as left,
         exists (
           select from pg_locks
           where locktype = 'advisory' and objid = (hashtext('savepoint old events')::bigint & 4294967295)::oid and granted
         ) as "isAtWork"`,
    );
    return rows[0] ?? { left: true, isAtWork: false };
  });
}

/** A sentence for every difference. */
export async function checkOldEvents(stack: Stack, stored: number): Promise<string[]> {
  const problems: string[] = [];
  const count = await withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ events: number; identities: number }>(
      `select (select coalesce(sum(event_count), 0) from event_blocks where game_id = ${GAME_ID})::int as events,
         (select count(distinct i) from event_identities e join players p on p.id = e.player_id, unnest(identities) i
          where p.game_id = ${GAME_ID})::int as identities`,
    );
    return rows[0];
  });
  if (count?.events !== stored) problems.push(`${count?.events} of ${stored} old events are in blocks`);
  if (count?.identities !== stored) problems.push(`${count?.identities} of ${stored} old events are known`);
  const { code, output } = await runSavepoint(
    ['rollups', 'check', '--tenant', 'demo-studio', '--game', GAME],
    stack.settings,
  );
  if (code !== 0) problems.push(`savepoint rollups check of the old events: ${output}`);
  return problems;
}
