import type { Client, Pool } from '../../platform/db/pool.js';

/** An event that counts this long before its receipt was played in the past. Whatever is later may have been received like that. */
const LATE = "interval '2 hours'";
/** How long after the last of them the events of a player's hour arrive. */
const DELAY = "interval '1 second'";

/**
 * Players whom a simulation has created since it began: by their devices, and not those that the studio's server has attached to a device
 * of that name. A player who has a past already was created before.
 */
export async function listSimulatedPlayers(
  pool: Pool,
  { gameId, deviceIds, sinceMs }: { gameId: number; deviceIds: readonly string[]; sinceMs: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select p.id
     from unnest($2::text[]) as wanted(device_id)
     cross join lateral (
       select player_id from devices
       where game_id = $1 and device_id = wanted.device_id and attached_at is null offset 0
     ) d
     cross join lateral (select id, created_at from players where id = d.player_id and game_id = $1 offset 0) p
     where p.created_at >= $3
     order by p.id`,
    [gameId, deviceIds, new Date(sinceMs)],
  );
  return rows.map(({ id }) => id);
}

/** $1 are players, $2 is the start of the simulation: no block of theirs was received before. */
const PLAYED = `event_blocks
  where player_id = any($1::bigint[]) and received_at >= $2 and first_at < received_at - ${LATE}`;

/**
 * The events of some blocks. `hour` is null for events that stay: what counts at its receipt, because its clock is not believed, would count
 * at another time if the receipt moved.
 */
const EVENTS = `
  select b.player_id, b.id, b.received_at, b.game_id, b.install_id, e.event, e.place, (e.event ->> 1)::timestamptz as occurred_at,
    case when e.event -> 6 -> 'suspect' is null and (e.event ->> 1)::timestamptz < b.received_at - ${LATE}
      then date_trunc('hour', (e.event ->> 1)::timestamptz at time zone 'UTC')
    end as hour
  from BLOCKS b
  cross join lateral jsonb_array_elements(b.events) with ordinality as e(event, place)`;
const EVENTS_PLAYED = EVENTS.replace('BLOCKS', `(select * from ${PLAYED})`);
const EVENTS_TAKEN = EVENTS.replace('BLOCKS', 'taken');

/** The UTC days on which the events will have been received. */
export async function listDaysOfReceipt(
  pool: Pool,
  playerIds: readonly string[],
  sinceMs: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>(
    `select distinct ((occurred_at + delay) at time zone 'UTC')::date::text as day
     from (${EVENTS_PLAYED}) e
     cross join (values (interval '0'), (${DELAY})) d(delay)
     where hour is not null
     order by 1`,
    [playerIds, new Date(sinceMs)],
  );
  return rows.map(({ day }) => day);
}

export type Moved = Readonly<{ events: number; purchases: number }>;

/**
 * Moves the receipts of the players, who must be locked: events, the purchases and gaps that came with them, and the players themselves.
 * When an event counts, and for what, stays the same. A block has the events of one receipt, so blocks are cut by the hour.
 * Events before `keptFromMs` stay, because retention has passed that time.
 */
export async function moveReceipts(
  client: Client,
  playerIds: readonly string[],
  { sinceMs, keptFromMs }: { sinceMs: number; keptFromMs: number | null },
): Promise<Moved> {
  const { rows } = await client.query<Moved>(MOVE, [
    playerIds,
    new Date(sinceMs),
    keptFromMs === null ? null : new Date(keptFromMs),
  ]);
  return rows[0] ?? { events: 0, purchases: 0 };
}

const MOVE = `
  with taken as (
    delete from ${PLAYED} returning *
  ), found as (${EVENTS_TAKEN}
  ), placed as materialized (
    select *,
      case when hour >= coalesce($3::timestamptz at time zone 'UTC', '-infinity')
        then date_trunc('milliseconds', max(occurred_at) over (partition by player_id, install_id, hour)) + ${DELAY}
      end as receipt,
      (event ->> 4)::bigint as seq
    from found
  ), stored as (
    insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, install_id, events)
    select player_id, coalesce(receipt, received_at), game_id, count(*), min(occurred_at), max(occurred_at), install_id,
      -- Compaction has noted the receipt of an event where its block has several.
      jsonb_agg(case when receipt is null then event else event #- '{6,received}' end order by seq, id, place)
    from placed
    group by player_id, game_id, install_id, receipt, received_at, case when receipt is null then id end
  ), bought as materialized (
    select player_id, event -> 2 ->> 'transactionId' as transaction_id, min(receipt) as receipt
    from placed where event ->> 0 = 'Purchase' and receipt is not null
    group by 1, 2
  ), purchases as (
    update transactions t set received_at = b.receipt
    from bought b
    where t.player_id = b.player_id and t.transaction_id = b.transaction_id and t.received_at > b.receipt
    returning t.transaction_id
  ), gaps as (
    -- noticed when the next number arrived
    update event_gaps g set noticed_at = n.receipt
    from (
      select distinct on (o.player_id, o.install_id, o.first_seq) o.player_id, o.install_id, o.first_seq, p.receipt
      from event_gaps o
      join placed p on p.player_id = o.player_id and p.install_id = o.install_id and p.seq > o.last_seq
      where o.player_id = any($1::bigint[])
      order by o.player_id, o.install_id, o.first_seq, p.seq
    ) n
    where g.player_id = n.player_id and g.install_id = n.install_id and g.first_seq = n.first_seq and n.receipt < g.noticed_at
  ), created as (
    update players set created_at = first_event_at
    where id = any($1::bigint[]) and first_event_at < created_at
    returning id, created_at
  ), put as (
    update devices d set created_at = c.created_at from created c where d.player_id = c.id and d.attached_at is null
  )
  select (select count(*)::int from placed where receipt is not null) as events,
    (select count(*)::int from purchases) as purchases`;

/**
 * Lets the first version of a game be published on the first simulated day, so that the past has a store and rules. Only if the game has no
 * other version, no experiment, and no player who was there before the version: what they saw was not this. Call it before players are moved.
 */
export async function updateOnlyPublication(
  client: Client,
  gameId: number,
  publishedAtMs: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update config_versions v set published_at = $2
     from games g
     where g.id = $1 and g.published_version = 1 and g.running_experiments is null
       and v.game_id = g.id and v.version = 1 and v.published_at > $2
       and not exists (select from players p where p.game_id = $1 and p.created_at < v.published_at)`,
    [gameId, new Date(publishedAtMs)],
  );
  return rowCount === 1;
}
