import type { Pool } from '../../platform/db/pool.js';

/** Devices of one game, by the names that their clients gave them. */
export type Devices = { gameId: number; deviceIds: readonly string[] };

// $1 is the game, $2 the devices. Each is looked up by its key, however many other players the game has.
const PLAYERS = `
  select p.id, p.event_counts, p.purchase_count, p.spend
  from unnest($2::text[]) as wanted(device_id)
  cross join lateral (
    select player_id from devices where game_id = $1 and device_id = wanted.device_id offset 0
  ) d
  cross join lateral (
    select id, event_counts, purchase_count, spend from players where id = d.player_id offset 0
  ) p`;

export type PlayerTotals = { players: number; payers: number; purchases: number };

export async function findPlayerTotals(pool: Pool, { gameId, deviceIds }: Devices): Promise<PlayerTotals> {
  const { rows } = await pool.query<PlayerTotals>(
    `select count(*)::int as players, (count(*) filter (where purchase_count > 0))::int as payers,
       coalesce(sum(purchase_count), 0)::float8 as purchases
     from (${PLAYERS}) p`,
    [gameId, deviceIds],
  );
  return rows[0] ?? { players: 0, payers: 0, purchases: 0 };
}

/** By event type. */
export async function countStoredEvents(
  pool: Pool,
  { gameId, deviceIds }: Devices,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<Count>(
    `select c.key, sum(c.value::numeric)::float8 as n
     from (${PLAYERS}) p cross join lateral jsonb_each_text(p.event_counts) c
     group by 1`,
    [gameId, deviceIds],
  );
  return toRecord(rows);
}

/** In hundredths, by currency: whole numbers, which can be compared. */
export async function sumStoredRevenue(
  pool: Pool,
  { gameId, deviceIds }: Devices,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<Count>(
    `select c.key, (sum(c.value::numeric) * 100)::float8 as n
     from (${PLAYERS}) p cross join lateral jsonb_each_text(p.spend) c
     group by 1`,
    [gameId, deviceIds],
  );
  return toRecord(rows);
}

/** Events in the inbox, by the code they were refused with. */
export async function countRefusedEvents(
  pool: Pool,
  { gameId, deviceIds }: Devices,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<Count>(
    `select f.code as key, count(*)::float8 as n
     from (${PLAYERS}) p
     cross join lateral (select code from failed_events where player_id = p.id offset 0) f
     group by 1`,
    [gameId, deviceIds],
  );
  return toRecord(rows);
}

/** Numbers that are missing, by `build|platform`, however short they have been. */
export async function countMissingEvents(
  pool: Pool,
  { gameId, deviceIds }: Devices,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<Count>(
    `select concat_ws('|', coalesce(g.client_build, ''), coalesce(g.platform, '')) as key,
       sum(g.last_seq - g.first_seq + 1)::float8 as n
     from (${PLAYERS}) p
     cross join lateral (
       select client_build, platform, first_seq, last_seq from event_gaps where player_id = p.id offset 0
     ) g
     group by 1`,
    [gameId, deviceIds],
  );
  return toRecord(rows);
}

type Count = { key: string; n: number };

function toRecord(rows: readonly Count[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
}
