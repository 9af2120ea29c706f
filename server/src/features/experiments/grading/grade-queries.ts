import type { DedicatedConnection } from '../../../db/dedicated-connection.js';
import { type Pool, query } from '../../../db/pool.js';
import type { GradedVerdict } from './aa-experiment.js';
import type { GradedSpan } from './graded-spans.js';
import type { Standing } from './standing.js';

/** Games whose A/A experiments of a night are not all made. */
export async function listUngradedGames(
  connection: DedicatedConnection,
  { behind, night, limit }: { behind: number; night: string; limit: number },
): Promise<number[]> {
  const { rows } = await connection.query<{ gameId: number }>(
    `select g.id as "gameId" from games g
     where g.id > $1 and not exists (
       select from experiment_gradings s where s.game_id = g.id and s.night >= $2 offset 0
     )
     order by g.id
     limit $3`,
    [behind, night, limit],
  );
  return rows.map(({ gameId }) => gameId);
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

/** The currency in which most purchases of the last four weeks were made; undefined without any. */
export async function findUsualCurrency(
  connection: DedicatedConnection,
  gameId: number,
  to: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ currency: string }>(
    `select r.key as currency from game_days d cross join lateral jsonb_object_keys(d.revenue) r (key)
     where d.game_id = $1 and d.day between $2::date - 27 and $2::date
     group by r.key
     order by sum(d.purchases) desc, r.key
     limit 1`,
    [gameId, to],
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
