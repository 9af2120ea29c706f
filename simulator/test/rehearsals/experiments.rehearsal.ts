import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRealService } from '../../../sdk/test/support/real-service.js';
import type { MetricEntry } from '../../../server/src/decide/document/parts/experiment-metrics.js';
import type { MetricReport } from '../../../server/src/experiments/report/report-types.js';
import { openAdminClient } from '../../../server/test/support/admin-calls.js';
import { type Change, NO_CHANGE } from '../../src/model/reaction.js';
import { CASUAL, DAY_MS, startOfDay } from '../../src/model/simulation.js';
import { trueChange } from '../../src/model/truth.js';
import { countExposed, rehearseExperiment, type World } from '../support/rehearsal.js';

/**
 * Experiments whose truth is known, from plan to end: players log in, read their arm and react, the service records who was told which arm,
 * the reports are looked at every day by the admin API, and at the end the interval must cover the truth in 95 of 100 seeds.
 */

const SEEDS = Number(process.env.SEEDS ?? 100);
/** The first one: two halves can run beside each other. */
const FIRST = Number(process.env.FIRST_SEED ?? 1);
const PLAYERS = 300;
/** All players install the game on the first two of the days. */
const INSTALL_DAYS = 2;
const DAYS = 3;
const MUST_COVER = 0.95;

/** Many pay, so that 150 players in an arm are enough for an interval. */
const HABITS = { ...CASUAL, sessionsPerDay: 0.5, payerShare: 0.4, purchasesPerSession: 3 };

const CONVERSION = { kind: 'share', of: 'converted' } as const;
const RETENTION = { kind: 'share', of: 'retained', day: 1 } as const;
const REVENUE = { kind: 'sum', sum: { of: 'revenue', currency: null } } as const;

type Scenario = { name: string; metrics: [MetricEntry, ...MetricEntry[]]; change: Change };

const SCENARIOS: readonly [Scenario, ...Scenario[]] = [
  { name: 'nothing changes', metrics: [CONVERSION, RETENTION, REVENUE], change: NO_CHANGE },
  {
    name: 'conversion +25%',
    metrics: [CONVERSION, RETENTION, REVENUE],
    change: { ...NO_CHANGE, conversion: 1.25 },
  },
  { name: 'retention -30%', metrics: [RETENTION], change: { ...NO_CHANGE, retention: 0.7 } },
  { name: 'retention +25%', metrics: [RETENTION], change: { ...NO_CHANGE, retention: 1.25 } },
  {
    name: 'conversion -10%',
    metrics: [CONVERSION, RETENTION, REVENUE],
    change: { ...NO_CHANGE, conversion: 0.9 },
  },
];

let world: World;
beforeAll(async () => {
  const service = await startRealService();
  world = { service, admin: await openAdminClient(service) };
});
afterAll(async () => {
  await world.admin.close();
  await world.service.close();
});

/** Whether the last interval covers the truth, and whether a verdict was ever wrong. Without an interval, nothing is covered. */
function judge(looks: readonly MetricReport[], truth: number) {
  const seen = looks.flatMap(({ arms }) => arms[1]?.comparison ?? []);
  const isWrong = ({ state }: { state: string }) =>
    (state === 'higher' && truth <= 0) || (state === 'lower' && truth >= 0);
  const interval = seen.at(-1)?.relativeInterval ?? null;
  return {
    isCovered: interval !== null && interval.low <= truth && truth <= interval.high,
    isEverWrong: seen.some(isWrong),
    isFound: ['higher', 'lower'].includes(seen.at(-1)?.state ?? ''),
  };
}

it(`covers the truth in ${100 * MUST_COVER} of 100 seeds`, async () => {
  const fromMs = startOfDay(world.service.clock.now()) + DAY_MS;
  const rows = new Map<string, { seeds: number; covered: number; wrong: number; found: number }>();
  let primaryCovered = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { name, metrics, change } = SCENARIOS[seed % SCENARIOS.length] ?? SCENARIOS[0];
    const [primary, ...secondary] = metrics;
    const { game, told, looks } = await rehearseExperiment(world, {
      ...{ seed, players: PLAYERS, installDays: INSTALL_DAYS, days: DAYS, habits: HABITS, fromMs },
      metrics: { primary, secondary, guardrails: [] },
      changes: { b: change },
    });
    const last = looks.at(-1);
    if (last === undefined) throw new Error('nobody looked');
    const counted = await countExposed(world, game, last.to);
    expect(counted.map(({ variantId, players }) => [variantId, players])).toEqual(
      Object.entries(told).sort(),
    );
    expect(last.arms.map(({ variantId, players }) => [variantId, players])).toEqual(
      Object.entries(told).sort(),
    );
    for (const [at, metric] of metrics.entries()) {
      const truth = trueChange(metric, change, NO_CHANGE);
      if (truth === undefined) throw new Error('a metric without a truth');
      const reports = looks.flatMap(({ metrics: shown }) => shown[at] ?? []);
      const judged = judge(reports, truth);
      const key = `${name}: ${reports[0]?.title}`;
      const row = rows.get(key) ?? { seeds: 0, covered: 0, wrong: 0, found: 0 };
      rows.set(key, {
        seeds: row.seeds + 1,
        covered: row.covered + Number(judged.isCovered),
        wrong: row.wrong + Number(judged.isEverWrong),
        found: row.found + Number(judged.isFound),
      });
      if (at === 0 && judged.isCovered) primaryCovered++;
    }
    process.stdout.write(`seed ${seed}, ${name}: covered in ${primaryCovered} so far\n`);
  }
  const lines = [...rows].map(
    ([name, { seeds, covered, wrong, found }]) => `| ${name} | ${seeds} | ${covered} | ${found} | ${wrong} |`,
  );
  process.stdout.write(
    [
      '',
      `${PLAYERS} players, ${DAYS} daily looks, ${SEEDS} seeds: the primary interval covers the truth in ${primaryCovered}.`,
      '| reaction: metric | seeds | covered | proven | ever a wrong verdict |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n'),
  );
  expect(primaryCovered / SEEDS).toBeGreaterThanOrEqual(MUST_COVER);
});
