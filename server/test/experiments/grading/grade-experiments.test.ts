import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { armSalt } from '../../../src/decide/compile/arms.js';
import { bucketOf, userIdBytes } from '../../../src/decide/compile/bucket.js';
import { aaSeed, type GradedVerdict } from '../../../src/experiments/grading/aa-experiment.js';
import { type GradeOptions, gradeExperiments } from '../../../src/experiments/grading/grade-experiments.js';
import { createGradeMetrics } from '../../../src/experiments/grading/grade-metrics.js';
import {
  FIRST_UNGRADED,
  findUsualCurrency,
  listUngradedGames,
  type UngradedGame,
} from '../../../src/experiments/grading/grade-queries.js';
import { drawShare } from '../../../src/experiments/grading/graded-shares.js';
import { gradedSpans } from '../../../src/experiments/grading/graded-spans.js';
import type { Standing } from '../../../src/experiments/grading/standing.js';
import {
  type DedicatedConnection,
  walkByIndex,
  withDedicatedConnection,
} from '../../../src/platform/db/dedicated-connection.js';
import { configWith, experiment } from '../../decide/support/fixtures.js';
import { watch } from '../../insight/analytics/breakdowns/breakdown-world.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addGame, at, dayOf, NOW, publish } from '../support/experiment-world.js';

const PLAYERS = 400;
const NIGHT = dayOf(at(1));
const MINUTES = { kind: 'sum', sum: { of: 'minutes' } } as const;
const [FOUR_WEEKS] = gradedSpans(NIGHT);

let harness: Harness;
let admin: AdminClient;
let gameId: number;

type Grade = { kind: string; from: string; players: number; verdicts: GradedVerdict[] };

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
  gameId = await addGame(harness, 'graded');
  await fill(gameId);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** Players who played for an hour on each day of six weeks. */
async function fill(id: number): Promise<void> {
  await harness.pool.query(
    `with made as (
       insert into players (game_id, user_id, created_at, first_day, active_days)
       select $1, md5($1::int || '-' || n)::uuid, $3, $4::date - 41, datemultirange(daterange($4::date - 41, $4::date, '[]'))
       from generate_series(1, $2) n
       returning id
     )
     insert into player_days (player_id, day, events, sessions, play_ms)
     select m.id, $4::date - n, 5, 2, 3600000 from made m cross join generate_series(0, 41) n`,
    [id, PLAYERS, new Date(at(42)), NIGHT],
  );
}

/** Does what maintenance does. */
function grade(
  options: Partial<GradeOptions> = {},
  use: (connection: DedicatedConnection) => void = () => {},
) {
  return withDedicatedConnection(harness.pool, async (connection) => {
    await walkByIndex(connection);
    use(connection);
    return gradeExperiments(connection, { nowMs: NOW, ...options });
  });
}

async function gradesOf(id = gameId, night = NIGHT): Promise<Grade[]> {
  const { rows } = await harness.pool.query<Grade>(
    `select kind, from_day::text as from, players, verdicts from experiment_grades where game_id = $1 and night = $2
     order by kind, from_day`,
    [id, night],
  );
  return rows;
}

type Told = Standing & { night: string | null };

function standingOf(game: string): Promise<Told> {
  return admin.ask<Told>('GET', `/games/${game}/experiment-grades`, undefined, admin.tokens.viewer);
}

describe('the grades of experiments', () => {
  it('wait before the first night', async () => {
    expect(await standingOf('graded')).toMatchObject({
      state: 'waiting',
      night: null,
      judged: 0,
      metrics: [],
    });
  });

  it('find a difference where the arms of an A/A experiment differ and nowhere else, also after an interruption', async () => {
    // Who is in arm b of this one experiment plays longer.
    const seed = FOUR_WEEKS === undefined ? '' : aaSeed(NIGHT, FOUR_WEEKS, MINUTES);
    const salt = armSalt({ id: 'aa', seed });
    const { rows } = await harness.pool.query<{ id: string; userId: string }>(
      'select id, user_id as "userId" from players where game_id = $1',
      [gameId],
    );
    const ofB = rows.filter(({ userId }) => bucketOf(salt, userIdBytes(userId)) >= 0.5);
    await harness.pool.query(
      `update player_days set play_ms = play_ms + 600000 * (1 + (player_id % 3)) where player_id = any($1) and day > $2::date - 28`,
      [ofB.map(({ id }) => id), NIGHT],
    );

    const stop = new AbortController();
    let spans = 0;
    const stopped = await grade({ signal: stop.signal }, (connection) =>
      watch(connection, {
        after: async (text) => {
          if (text.includes('insert into experiment_grades') && ++spans === 2) stop.abort();
        },
      }),
    );
    expect(stopped.isDone).toBe(false);
    expect(spans).toBe(2);
    const before = await gradesOf();
    expect(before).toHaveLength(2);

    expect((await grade()).isDone).toBe(true);
    const grades = await gradesOf();
    expect(grades.map(({ kind, players }) => [kind, players])).toEqual([
      ['four_weeks', PLAYERS],
      ...[1, 2, 3, 4].map(() => ['week', PLAYERS]),
    ]);
    const alarms = grades.flatMap(({ kind, verdicts }) =>
      verdicts.filter(({ verdict }) => verdict === 'alarm').map(({ metric }) => ({ kind, metric })),
    );
    expect(alarms).toEqual([{ kind: 'four_weeks', metric: MINUTES }]);
    // Nobody has paid, and everybody came every day.
    expect(grades.flatMap(({ verdicts }) => verdicts.map(({ verdict }) => verdict))).toContain('too_few');
    expect(await grade()).toEqual({ isDone: true, gamesGraded: 0 });
  });

  it('are told by the admin API and the metrics', async () => {
    const told = await standingOf('graded');
    expect(told).toMatchObject({ night: NIGHT, players: PLAYERS, isSampled: false, tooFew: 10 });
    expect(told.judged).toBe(15);
    expect(told.metrics.map(({ title }) => title)).toEqual([
      'Conversion',
      'Day 1 retention',
      'Revenue per player',
      'Minutes per player',
      'Minutes per session',
    ]);
    await harness.pool.query(
      `update experiment_gradings set standing = standing || '{"state": "red", "rate": 0.25}' where game_id = $1`,
      [gameId],
    );
    const text = await createGradeMetrics(harness.pool).registry.metrics();
    const labels = `{tenant="${DEMO.tenant}",game="graded"}`;
    expect(text).toContain(`savepoint_experiment_false_alarm_ratio${labels} 0.25`);
    expect(text).toContain(`savepoint_experiment_false_alarms_in_bound${labels} 0`);
  });

  it('draw anew in the next night, and forget nights that are too old', async () => {
    await harness.pool.query(`update experiment_grades set night = night - 28 where kind = 'week'`);
    expect((await grade({ nowMs: at(-1) })).isDone).toBe(true);
    const { rows } = await harness.pool.query<{ night: string; n: number }>(
      'select night::text, count(*)::int as n from experiment_grades where game_id = $1 group by night order by night',
      [gameId],
    );
    expect(rows).toEqual([
      { night: NIGHT, n: 1 },
      { night: dayOf(at(0)), n: 5 },
    ]);
    const seeds = [...(await gradesOf()), ...(await gradesOf(gameId, dayOf(at(0))))].flatMap(({ verdicts }) =>
      verdicts.map(({ seed }) => seed),
    );
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it('take a sample of a large game, and say so', async () => {
    const large = await addGame(harness, 'large');
    await fill(large);
    const variants = [9, 1].map((weight, place) => ({ variantId: `v${place}`, name: `V${place}`, weight }));
    await publish(harness, large, [experiment('shares', { variants })], {
      nowMs: at(2),
      store: { ...configWith({}).store, holdoutPercent: 5 },
    });
    let chunks = 0;
    const bounds = { read: 200, kept: 150, perChunk: 20 };
    await grade({ bounds }, (connection) =>
      watch(connection, {
        after: async (text) => {
          if (text.includes('select id, user_id, active_days')) chunks++;
        },
      }),
    );
    expect(chunks).toBe(bounds.read / bounds.perChunk);
    const { players, isSampled } = await standingOf('large');
    expect(isSampled).toBe(true);
    expect(players).toBe(bounds.kept);
    // Divided as its experiment and its hold-out are, and in halves.
    const verdicts = (await gradesOf(large)).flatMap((grade) => grade.verdicts);
    for (const { seed, smallArmPercent } of verdicts) {
      expect(smallArmPercent).toBe(drawShare(seed, [50, 10, 5]));
    }
    expect(new Set(verdicts.map(({ smallArmPercent }) => smallArmPercent))).toEqual(new Set([50, 10, 5]));
  });

  it('begin with the game that has waited longest', async () => {
    const first = await addGame(harness, 'waits');
    const nights: [id: number, ago: number][] = [
      [gameId, 2],
      [first, 5],
    ];
    for (const [id, ago] of nights) {
      await harness.pool.query(
        `insert into experiment_gradings (game_id, night, standing, made_at) values ($1, $2, '{}', now())
         on conflict (game_id) do update set night = excluded.night`,
        [id, dayOf(at(ago))],
      );
    }
    const behind = { ...FIRST_UNGRADED, lastNight: dayOf(at(6)) };
    const list = (after: UngradedGame, limit: number) =>
      withDedicatedConnection(harness.pool, (connection) =>
        listUngradedGames(connection, { behind: after, night: NIGHT, limit }),
      );
    const listed = await list(behind, 9);
    expect(listed).toEqual([
      { gameId: first, lastNight: dayOf(at(5)) },
      { gameId, lastNight: dayOf(at(2)) },
    ]);
    expect(await list({ gameId: first, lastNight: dayOf(at(5)) }, 1)).toEqual(listed.slice(1));
  });

  it('judge revenue in the currency that most players pay in', async () => {
    const id = await addGame(harness, 'paid');
    const { rows } = await harness.pool.query<{ id: string }>(
      `with made as (
         insert into players (game_id, user_id, created_at, purchase_count)
         select $1, gen_random_uuid(), $2, 1 from generate_series(1, 5)
         returning id
       ), numbered as (select id, row_number() over () as n from made), paid as (
         insert into player_days (player_id, day, purchases, revenue)
         select id, $3::date - days, 1, jsonb_build_object(case when n <= 2 then 'EUR' else 'USD' end, 100)
         from numbered cross join generate_series(0, case when n <= 2 then 20 else 0 end) days
       )
       select id from made`,
      [id, new Date(at(42)), NIGHT],
    );
    const usual = await withDedicatedConnection(harness.pool, (connection) =>
      findUsualCurrency(
        connection,
        rows.map((row) => Number(row.id)),
        NIGHT,
      ),
    );
    expect(usual).toBe('USD');
  });

  it('let other work run within a chunk, and then stop', async () => {
    await fill(await addGame(harness, 'sliced'));
    const count = async () =>
      (await harness.pool.query('select count(*)::int as n from experiment_grades')).rows[0];
    const before = await count();
    // Whoever looks at the clock finds that the time slice is over.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    const stop = new AbortController();
    const graded = grade({ signal: stop.signal }, (connection) =>
      watch(connection, {
        after: (text) => {
          if (text.includes('"startDays"')) setImmediate(() => stop.abort());
        },
      }),
    );
    expect(await graded.finally(() => vi.restoreAllMocks())).toMatchObject({ isDone: false });
    expect(stop.signal.aborted).toBe(true);
    expect(await count()).toEqual(before);
  });
});
