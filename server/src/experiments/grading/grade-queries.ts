import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Pool, query } from '../../platform/db/pool.js';
import type { GradedVerdict } from './aa-experiment.js';
import type { GradedSpan } from './graded-spans.js';
import type { Standing } from './standing.js';

/** A game, and the last night of which all is made; -infinity without one. */
export type UngradedGame = Readonly<{ gameId: number; lastNight: string }>;

export const FIRST_UNGRADED: UngradedGame = { gameId: 0, lastNight: '-infinity' };

/** Games whose A/A experiments of a night are not all made. Those that have waited longest come first, so that each has its turn. */
export async function listUngradedGames(
  connection: DedicatedConnection,
  { behind, night, limit }: { behind: UngradedGame; night: string; limit: number },
): Promise<UngradedGame[]> {
  const { rows } = await connection.query<UngradedGame>(
    `select g.id as "gameId", s.night::text as "lastNight"
     from games g
     cross join lateral (
       select coalesce((select night from experiment_gradings where game_id = g.id), '-infinity') as night offset 0
     ) s
     where s.night < $3::date and (s.night, g.id) > ($1::date, $2::int)
     order by s.night, g.id
     limit $4`,
    [behind.lastNight, behind.gameId, night, limit],
  );
  return rows;
}

export async function listGradedSpans(
  connection: DedicatedConnection,
  gameId: number,
  night: string,
): Promise<Pick<GradedSpan, 'kind' | 'from'>[]> {
  const { rows } = await connection.query<Pick<GradedSpan, 'kind' | 'from'>>(
    `select kind, from_day::text as from from experiment_grades where game_id = $1 and night = $2`,
    [gameId, night],
  );
  return rows;
}

export async function insertGrade(
  connection: DedicatedConnection,
  { gameId, night, span }: { gameId: number; night: string; span: GradedSpan },
  { players, verdicts, nowMs }: { players: number; verdicts: readonly GradedVerdict[]; nowMs: number },
): Promise<void> {
  await connection.query(
    `insert into experiment_grades (game_id, night, kind, from_day, to_day, players, verdicts, made_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (game_id, night, kind, from_day) do nothing`,
    [gameId, night, span.kind, span.from, span.to, players, JSON.stringify(verdicts), new Date(nowMs)],
  );
}

/** The verdicts of all nights that are kept. Older ones are deleted. */
export async function listKeptVerdicts(
  connection: DedicatedConnection,
  gameId: number,
  firstNight: string,
): Promise<GradedVerdict[]> {
  await connection.query('delete from experiment_grades where game_id = $1 and night < $2', [
    gameId,
    firstNight,
  ]);
  const { rows } = await connection.query<{ verdicts: GradedVerdict[] }>(
    'select verdicts from experiment_grades where game_id = $1 order by night, kind, from_day',
    [gameId],
  );
  return rows.flatMap(({ verdicts }) => verdicts);
}

export async function upsertStanding(
  connection: DedicatedConnection,
  { gameId, night, nowMs }: { gameId: number; night: string; nowMs: number },
  standing: Standing,
): Promise<void> {
  await connection.query(
    `insert into experiment_gradings (game_id, night, standing, made_at) values ($1, $2, $3, $4)
     on conflict (game_id) do update
     set night = excluded.night, standing = excluded.standing, made_at = excluded.made_at`,
    [gameId, night, JSON.stringify(standing), new Date(nowMs)],
  );
}

/** The share of players whom the published store holds out; 0: none. */
export async function findPublishedHoldout(connection: DedicatedConnection, gameId: number): Promise<number> {
  const { rows } = await connection.query<{ percent: number }>(
    `select (v.document #>> '{store,holdoutPercent}')::float8 as percent
     from games g
     cross join lateral (
       select document from config_versions v where v.game_id = g.id and v.version = g.published_version offset 0
     ) v
     where g.id = $1`,
    [gameId],
  );
  return rows[0]?.percent ?? 0;
}

/** The currency in which most of these players have paid in the last four weeks; undefined if nobody has. */
export async function findUsualCurrency(
  connection: DedicatedConnection,
  playerIds: readonly number[],
  to: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ currency: string }>(
    `select r.key as currency
     from unnest($1::bigint[]) as w (id)
     cross join lateral (select id from players p where p.id = w.id and p.purchase_count > 0 offset 0) p
     cross join lateral (
       select revenue from player_days d
       where d.player_id = p.id and d.day between $2::date - 27 and $2::date
       offset 0
     ) d
     cross join lateral jsonb_object_keys(d.revenue) r (key)
     group by r.key
     order by count(distinct p.id) desc, r.key
     limit 1`,
    [playerIds, to],
  );
  return rows[0]?.currency;
}

export type KeptStanding = Readonly<{ night: string; madeAt: number; standing: Standing }>;

export async function findStanding(pool: Pool, gameId: number): Promise<KeptStanding | undefined> {
  const rows = await query<KeptStanding>(
    pool,
    {
      name: 'find_experiment_standing',
      text: `select night::text, made_at as "madeAt", standing from experiment_gradings where game_id = $1`,
    },
    [gameId],
  );
  return rows[0];
}

export type GameStanding = Readonly<{
  tenant: string;
  game: string;
  rate: number | null;
  state: Standing['state'];
}>;

export async function listStandings(pool: Pool, games: number): Promise<GameStanding[]> {
  return query<GameStanding>(
    pool,
    {
      name: 'list_experiment_standings',
      text: `select t.slug as tenant, g.slug as game, (s.standing ->> 'rate')::float8 as rate, s.standing ->> 'state' as state
             from games g
             join tenants t on t.id = g.tenant_id
             cross join lateral (select standing from experiment_gradings s where s.game_id = g.id offset 0) s
             order by g.id
             limit $1`,
    },
    [games],
  );
}
