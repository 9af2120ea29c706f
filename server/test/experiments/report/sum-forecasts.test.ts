import { NO_TRIPLES } from '@savepoint/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MetricEntry, metricKey } from '../../../src/decide/document/parts/experiment-metrics.js';
import type { ArmSums } from '../../../src/experiments/report/experiment-sums.js';
import {
  type MetricSums,
  noMetricSums,
  stratumMoments,
} from '../../../src/experiments/report/metric-sums.js';
import type { Report } from '../../../src/experiments/report/report-types.js';
import { createErasureHashes } from '../../../src/platform/security/erasure-hashes.js';
import { requestErasure } from '../../../src/trust/erasures/request-erasure.js';
import { experiment } from '../../decide/support/fixtures.js';
import { watch } from '../../insight/analytics/breakdowns/breakdown-world.js';
import { erase } from '../../support/erasure-calls.js';
import { DAY_MS, type TestPlayer } from '../../support/game-world.js';
import { createHarness, type Harness } from '../../support/harness.js';
import {
  addGame,
  addPlayers,
  at,
  dayOf,
  event,
  expose,
  NOW,
  play,
  publish,
  purchase,
  sum,
} from '../support/experiment-world.js';
import { CONVERSION, PER_PAYER, RETENTION_7, REVENUE } from '../support/simulated-sums.js';

/** Players whose exposure has a forecast, players whose exposure has none, and what is summed of both. */

const PLAYERS = 480;
const TO = dayOf(at(1));
const test = experiment('price_test', {
  metrics: { primary: RETENTION_7, secondary: [REVENUE, CONVERSION, PER_PAYER], guardrails: [] },
});

let harness: Harness;
let gameId: number;
let players: TestPlayer[];

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  gameId = await addGame(harness, 'foreseen');
  await publish(harness, gameId, [test], { nowMs: at(20) });
  players = [
    ...(await addPlayers(harness, gameId, PLAYERS / 2, at(60))),
    ...(await addPlayers(harness, gameId, PLAYERS / 2, at(15))),
  ];
  await play(harness, players, (n) => [
    ...(n < PLAYERS / 2 && n % 2 === 0 ? [purchase(`before-${n}`, at(20), `${2 + (n % 3)}.00`)] : []),
    event('Level', at(15)),
    ...(n % 5 < 3 ? [event('Level', at(8))] : []),
    ...(n % 3 === 0 ? [purchase(`t-${n}`, at(5), `${1 + (n % 7)}.99`)] : []),
  ]);
  await expose(harness, players, test, (_, n) => ({
    variantId: n % 4 < 2 ? 'a' : 'b',
    exposedAt: at(15),
  }));
  // Every sixth has none; of every tenth the revenue is not known.
  await harness.pool.query(
    `update experiment_exposures set forecast = array[
       (player_id % 7)::real / 10, (player_id % 3)::real / 10, case when player_id % 10 > 0 then (player_id % 5)::real end
     ]
     where game_id = $1 and player_id % 6 > 0`,
    [gameId],
  );
});
afterAll(() => harness.close());

async function armsOf(day = TO): Promise<Record<string, ArmSums>> {
  const { rows } = await harness.pool.query(
    `select variant_id as "variantId", players, erased, metrics from experiment_sums where game_id = $1 and day = $2`,
    [gameId, day],
  );
  return Object.fromEntries(rows.map(({ variantId, ...arm }) => [variantId, arm]));
}

/** Amounts are added up in another order. */
const nearly = (moments: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(moments).map(([name, number]) => [name, expect.closeTo(number, 4)]));

function momentsOf(arm: ArmSums | undefined, metric: MetricEntry, stratum: keyof MetricSums) {
  const { [stratum]: sums } = arm?.metrics[metricKey(metric)] ?? noMetricSums();
  return sums === undefined ? NO_TRIPLES : stratumMoments(sums, undefined);
}

/** The same in plain SQL: a player's value, that of the days before, and the forecast. */
async function plainMoments(
  variantId: string,
  { value, other, forecast, isNew }: { value: string; other: string; forecast: string; isNew: boolean },
) {
  const { rows } = await harness.pool.query(
    `select count(*)::int as n, coalesce(sum(v), 0)::float8 as sum, coalesce(sum(v * v), 0)::float8 as squares,
       coalesce(sum(o), 0)::float8 as "otherSum", coalesce(sum(o * o), 0)::float8 as "otherSquares",
       coalesce(sum(v * o), 0)::float8 as products, coalesce(sum(f), 0)::float8 as "thirdSum",
       coalesce(sum(f * f), 0)::float8 as "thirdSquares", coalesce(sum(v * f), 0)::float8 as "thirdProducts",
       coalesce(sum(o * f), 0)::float8 as "crossProducts"
     from (
       select coalesce(${value}, 0)::float8 as v, coalesce(${other}, 0)::float8 as o, (${forecast})::text::float8 as f
       from experiment_exposures e
       join players p on p.id = e.player_id
       left join player_days d on d.player_id = e.player_id and d.day <= $3
       where e.game_id = $1 and e.variant_id = $2 and (p.created_at > $4) = $5 and ${forecast} is not null
       group by e.player_id, e.experiment_id, e.seed
     ) x`,
    [gameId, variantId, TO, new Date(at(30)), isNew],
  );
  return rows[0];
}

const SINCE = `d.day >= (e.exposed_at at time zone 'UTC')::date`;
const USD = `(d.revenue ->> 'USD')::numeric`;
const VALUES = [
  {
    metric: RETENTION_7,
    value: `max((d.day = (e.exposed_at at time zone 'UTC')::date + 7)::int)`,
    other: '0',
    forecast: 'e.forecast[1]',
  },
  {
    metric: REVENUE,
    value: `sum(${USD}) filter (where ${SINCE})`,
    other: `sum(${USD}) filter (where not ${SINCE})`,
    forecast: 'e.forecast[3]',
  },
  {
    metric: CONVERSION,
    value: `(sum(d.purchases) filter (where ${SINCE}) > 0)::int`,
    other: `(sum(d.purchases) filter (where not ${SINCE}) > 0)::int`,
    forecast: 'e.forecast[2]',
  },
] as const;

async function expectSums(arms: Record<string, ArmSums>): Promise<void> {
  for (const { metric, ...sql } of VALUES) {
    for (const variantId of ['a', 'b']) {
      for (const isNew of [true, false]) {
        const expected = await plainMoments(variantId, { ...sql, isNew });
        expect(expected.n, metricKey(metric)).toBeGreaterThan(70);
        const kept = momentsOf(arms[variantId], metric, isNew ? 'freshForecast' : 'knownForecast');
        expect(kept, `${metricKey(metric)} ${variantId} ${isNew}`).toEqual(nearly(expected));
      }
    }
  }
}

describe('sums of players with a forecast', () => {
  it('equal those of plain SQL, and those of a walk of the release before are not gone on with', async () => {
    const stop = new AbortController();
    await sum(harness, { signal: stop.signal }, (connection) =>
      watch(connection, {
        after: async (text) => {
          if (text.includes('from player_days')) stop.abort();
        },
      }),
    );
    const { rows } = await harness.pool.query<{ walk: { basis: string } }>(
      'select walk from experiment_runs where game_id = $1',
      [gameId],
    );
    // As a node of the release before left it: behind all players, with sums that it knows.
    const basis = (JSON.parse(rows[0]?.walk.basis ?? '') as unknown[]).filter((part) => part !== 'forecasts');
    await harness.pool.query(`update experiment_runs set walk = walk || $2 where game_id = $1`, [
      gameId,
      JSON.stringify({ basis: JSON.stringify(basis), at: 1, sums: [{}] }),
    ]);
    expect((await sum(harness)).experimentsSummed).toBe(1);
    const arms = await armsOf();
    expect([arms.a?.players, arms.b?.players]).toEqual([PLAYERS / 2, PLAYERS / 2]);
    await expectSums(arms);
    // Who has no forecast is where players were before.
    const without = arms.a?.metrics[metricKey(RETENTION_7)] ?? noMetricSums();
    const counted = await harness.pool.query<{ n: number }>(
      "select count(*)::int as n from experiment_exposures where variant_id = 'a' and forecast is null",
    );
    const [fresh, known] = [without.fresh, without.known].map(
      (stratum) => stratumMoments(stratum, undefined).n,
    );
    expect((fresh ?? 0) + (known ?? 0)).toBe(counted.rows[0]?.n);
    // A ratio has no covariate.
    expect(Object.keys(arms.a?.metrics[metricKey(PER_PAYER)] ?? {})).toEqual(['fresh', 'known']);
  });

  it('make a report that says what the intervals are narrower by', async () => {
    const { rows } = await harness.pool.query<{ report: Report }>(
      'select report from experiment_reports where game_id = $1 and day = $2',
      [gameId, TO],
    );
    const [retention, revenue, , ratio] = rows[0]?.report.metrics ?? [];
    expect(retention?.narrowing).toMatchObject({
      forecast: { prediction: 'churn', players: (PLAYERS * 5) / 6 },
    });
    expect(revenue?.narrowing).toMatchObject({ hasDaysBefore: true, forecast: { prediction: 'revenue' } });
    expect(revenue?.narrowing?.sentence).toMatch(
      /^Intervals are \d+% narrower by what players did in the 28 days/,
    );
    expect(ratio?.narrowing).toBeNull();
  });

  it('keep players who are erased, with their forecasts', async () => {
    const before = await armsOf();
    const hashes = await createErasureHashes(harness.pool, async () => harness.masterKeys)();
    for (const { userId } of players.slice(230, 250)) {
      await requestErasure(harness.pool, hashes, { gameId, userId, by: { player: true, nowMs: NOW } });
    }
    expect((await erase(harness)).erased).toBe(20);
    expect((await sum(harness, { nowMs: NOW + DAY_MS })).experimentsSummed).toBe(1);
    const after = await armsOf(dayOf(NOW));
    expect((after.a?.erased ?? 0) + (after.b?.erased ?? 0)).toBe(20);
    for (const variantId of ['a', 'b']) {
      for (const { metric } of VALUES) {
        for (const stratum of ['fresh', 'known', 'freshForecast', 'knownForecast'] as const) {
          expect(momentsOf(after[variantId], metric, stratum)).toEqual(
            nearly(momentsOf(before[variantId], metric, stratum)),
          );
        }
      }
    }
  });
});
