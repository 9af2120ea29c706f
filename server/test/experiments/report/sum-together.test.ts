import { pairMomentsOf } from '@savepoint/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type MetricEntry,
  metricKey,
  metricsOf,
} from '../../../src/decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import {
  type ExposureCursor,
  FIRST_EXPOSURE,
  listExposedPlayers,
  walkInOrder,
} from '../../../src/experiments/exposure-queries.js';
import type { ArmSums } from '../../../src/experiments/report/experiment-sums.js';
import { type StratumSums, stratumMoments } from '../../../src/experiments/report/metric-sums.js';
import { walkByIndex, withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { experiment } from '../../decide/support/fixtures.js';
import { watch } from '../../insight/analytics/breakdowns/breakdown-world.js';
import type { TestPlayer } from '../../support/game-world.js';
import { createHarness, type Harness } from '../../support/harness.js';
import {
  addGame,
  addPlayers,
  at,
  dayOf,
  expose,
  NOW,
  numbersOf,
  publish,
  sum,
} from '../support/experiment-world.js';
import { CONVERSION, PER_PAYER, RETENTION_7, REVENUE } from '../support/simulated-sums.js';

/** Experiments of one game are summed in one walk over their players. Each must have the sums that it would have alone. */

const PLAYERS = 300;
const TO = dayOf(at(1));
const MINUTES = { kind: 'sum', sum: { of: 'minutes' } } as const;
const LEVELS = { kind: 'sum', sum: { of: 'events', eventType: 'Level' } } as const;
const DID_LEVEL = { kind: 'share', of: 'event', eventType: 'Level' } as const;
const measured = (experimentId: string, [primary, ...secondary]: [MetricEntry, ...MetricEntry[]]) =>
  experiment(experimentId, { metrics: { primary, secondary, guardrails: [] } });

const ALL = measured('all', [CONVERSION, REVENUE, RETENTION_7, MINUTES, PER_PAYER]);
const SOME = measured('some', [LEVELS, RETENTION_7]);
const ACTIVATED = {
  ...measured('activated', [REVENUE, DID_LEVEL]),
  activation: { eventType: 'Level' },
};
const FEW = measured('few', [REVENUE]);
const EXPERIMENTS: ExperimentEntry[] = [SOME, ACTIVATED, ALL, FEW];

/** What each metric is in the rows of the oracle. */
const VALUES = new Map<MetricEntry, (of: OracleRow) => [value: number, other: number]>([
  [CONVERSION, ({ bought, boughtBefore }) => [Math.min(1, bought), Math.min(1, boughtBefore)]],
  [REVENUE, ({ usd, usdBefore }) => [usd, usdBefore]],
  [RETENTION_7, ({ onDay7 }) => [onDay7, 0]],
  [MINUTES, ({ playMs, playMsBefore }) => [playMs / 60_000, playMsBefore / 60_000]],
  [PER_PAYER, ({ usd, bought }) => [usd, Math.min(1, bought)]],
  [LEVELS, ({ levels, levelsBefore }) => [levels, levelsBefore]],
  [DID_LEVEL, ({ levels, levelsBefore }) => [Math.min(1, levels), Math.min(1, levelsBefore)]],
]);

type OracleRow = Record<
  | 'bought'
  | 'boughtBefore'
  | 'usd'
  | 'usdBefore'
  | 'playMs'
  | 'playMsBefore'
  | 'levels'
  | 'levelsBefore'
  | 'onDay7'
  | 'lastDay',
  number
> & { variantId: string; isNew: boolean };

let harness: Harness;
let gameId: number;
let players: TestPlayer[];

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  gameId = await addGame(harness, 'together');
  await publish(harness, gameId, EXPERIMENTS, { nowMs: at(20) });
  players = [
    ...(await addPlayers(harness, gameId, PLAYERS / 2, at(70))),
    ...(await addPlayers(harness, gameId, PLAYERS / 2, at(12))),
  ];
  await fillDays();
  const half = (from: number, step: number) => players.filter((_, n) => n >= from && n % step === 0);
  const arm = ({ playerId }: TestPlayer, shift: number) => (Number(playerId) + shift) % 2 === 0;
  await expose(harness, half(0, 2), SOME, (player, n) => ({
    ...{ variantId: arm(player, n) ? 'a' : 'b', exposedAt: n % 5 === 0 ? NOW : at(2 + (n % 9)) },
  }));
  await expose(harness, half(50, 3), ACTIVATED, (player, n) => ({
    // Its players come first. Who is exposed to it today still counts in the others.
    ...{ variantId: arm(player, 1) ? 'a' : 'b', exposedAt: n % 5 === 0 ? NOW : at(11) },
    ...(n % 5 === 0 || n % 3 === 0 ? {} : { activatedAt: n % 3 === 1 ? at(6) : NOW }),
  }));
  await expose(harness, players, ALL, (player, n) => ({
    ...{ variantId: arm(player, 0) ? 'a' : 'b', exposedAt: at(12 - (n % 7)) },
  }));
  await expose(harness, players.slice(100, 110), FEW, () => ({ variantId: 'b', exposedAt: at(3) }));
  // A test device of one of them.
  await harness.pool.query(
    `insert into player_pins (player_id, kind, target, value, reason, author, set_at)
     values ($1, 'variant', 'some', '"b"', '', 'test', $2)`,
    [players[2]?.playerId, new Date(at(1))],
  );
});
afterAll(() => harness.close());

/** Days that follow from the ids: some without a session, some with a purchase, some after `TO`. */
async function fillDays(): Promise<void> {
  await harness.pool.query(
    `insert into player_days (player_id, day, events, sessions, play_ms, event_counts, purchases, revenue)
     select p.id, d, 3, (p.id + n) % 4, 61013 * ((p.id * 7 + n) % 50),
       case when (p.id + n) % 3 = 0 then jsonb_build_object('Level', 1 + n % 5, 'Other', 2) else '{}' end,
       ((p.id + n) % 11 = 0)::int,
       case when (p.id + n) % 11 = 0 then jsonb_build_object('USD', 0.99 + n, 'EUR', 1) else '{}' end
     from players p
     cross join generate_series(0, 45) n
     cross join lateral (select $2::date - n as d) d
     where p.game_id = $1 and d >= (p.created_at at time zone 'UTC')::date and (p.id * 13 + n * n) % 5 < 2`,
    [gameId, dayOf(NOW)],
  );
  await harness.pool.query(
    `update players p set active_days = d.days, purchase_days = coalesce(d.bought, '{}')
     from (
       select player_id, range_agg(daterange(day, day, '[]')) as days,
         range_agg(daterange(day, day, '[]')) filter (where purchases > 0) as bought
       from player_days group by player_id
     ) d
     where d.player_id = p.id`,
  );
}

/** Each player of an experiment in plain SQL, read alone. */
async function oracle({ experimentId, activation }: ExperimentEntry): Promise<OracleRow[]> {
  const both = (value: string, name: string) =>
    `coalesce(sum(${value}) filter (where d.day >= e.day and d.day <= $3), 0)::float8 as "${name}",
     coalesce(sum(${value}) filter (where d.day < e.exposed and d.day >= e.exposed - 28), 0)::float8 as "${name}Before"`;
  const { rows } = await harness.pool.query<OracleRow>(
    `select e.variant_id as "variantId", (p.created_at at time zone 'UTC')::date >= e.exposed as "isNew",
       $3::date - e.day as "lastDay",
       ${both('d.purchases', 'bought')}, ${both(`(d.revenue ->> 'USD')::numeric`, 'usd')},
       ${both('d.play_ms', 'playMs')}, ${both(`(d.event_counts ->> 'Level')::int`, 'levels')},
       coalesce(max((d.day = e.day + 7)::int), 0) as "onDay7"
     from (
       select *, (exposed_at at time zone 'UTC')::date as exposed,
         (case when $4 then activated_at else exposed_at end at time zone 'UTC')::date as day
       from experiment_exposures
     ) e
     join players p on p.id = e.player_id
     left join player_days d on d.player_id = e.player_id
     where e.game_id = $1 and e.experiment_id = $2 and e.exposed <= $3 and e.day <= $3
       and not exists (select from player_pins n where n.player_id = e.player_id and n.target = $2)
     group by e.player_id, e.variant_id, e.exposed, e.day, p.created_at`,
    [gameId, experimentId, TO, activation !== undefined],
  );
  return rows;
}

/** The oracle's sums of an experiment: arm → players, and metric → stratum → sums. */
async function expectedSums(of: ExperimentEntry) {
  const rows = await oracle(of);
  return Object.fromEntries(
    ['a', 'b'].flatMap((variantId) => {
      const ofArm = rows.filter((row) => row.variantId === variantId);
      const sumsOf = (metric: MetricEntry, isNew: boolean) => {
        const valued = ofArm.filter(
          (row) => row.isNew === isNew && (metric !== RETENTION_7 || row.lastDay >= 7),
        );
        return nearly(pairMomentsOf(valued.map((row) => VALUES.get(metric)?.(row) ?? [Number.NaN, 0])));
      };
      const metrics = metricsOf(of.metrics).map((metric) => [
        metricKey(metric),
        { fresh: sumsOf(metric, true), known: sumsOf(metric, false) },
      ]);
      const recent = ofArm.filter(({ lastDay }) => lastDay < 7).length;
      return ofArm.length === 0
        ? []
        : [[variantId, { players: ofArm.length, recent, metrics: Object.fromEntries(metrics) }]];
    }),
  );
}

/** The same as the service keeps them. */
async function keptSums({ experimentId }: ExperimentEntry) {
  const { rows } = await harness.pool.query<ArmSums & { variantId: string }>(
    `select variant_id as "variantId", players, recent_players as "recentPlayers", metrics from experiment_sums
     where game_id = $1 and experiment_id = $2 and day = $3`,
    [gameId, experimentId, TO],
  );
  const momentsOf = (stratum: StratumSums) => stratumMoments(stratum, undefined);
  return Object.fromEntries(
    rows.map(({ variantId, players: n, recentPlayers: recent, metrics }) => [
      variantId,
      {
        ...{ players: n, recent },
        metrics: Object.fromEntries(
          Object.entries(metrics).map(([key, { fresh, known }]) => [
            key,
            { fresh: momentsOf(fresh), known: momentsOf(known) },
          ]),
        ),
      },
    ]),
  );
}

/** Sums of floating-point numbers depend on their order. */
function nearly(sums: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, expect.closeTo(value, 5)]));
}

async function forgetSums(): Promise<void> {
  await harness.pool.query('delete from experiment_sums');
  await harness.pool.query('update experiment_runs set day = null, walk = null');
}

describe('experiments of a game that are summed together', () => {
  it.each([7, 1_000])(
    'have the sums of an oracle that reads each alone, in chunks of %i',
    async (playersPerChunk) => {
      await harness.pool.query('delete from experiment_runs');
      await harness.pool.query('delete from experiment_sums');
      expect(await sum(harness, { playersPerChunk })).toEqual({ isDone: true, experimentsSummed: 4 });
      for (const each of EXPERIMENTS) {
        const expected = await expectedSums(each);
        expect(expected.b?.players, each.experimentId).toBeGreaterThan(5);
        expect(await keptSums(each), each.experimentId).toEqual(expected);
      }
    },
  );

  it('read the days of a player once', async () => {
    await forgetSums();
    const read: number[] = [];
    await sum(harness, {}, (connection) => {
      const query = connection.query.bind(connection) as (
        text: string,
        values?: unknown[],
      ) => Promise<unknown>;
      connection.query = ((text: string, values: unknown[] = []) => {
        if (text.includes('from player_days d')) read.push(...numbersOf(values[0]));
        return query(text, values);
      }) as never;
    });
    expect(read).toHaveLength(PLAYERS);
    expect(new Set(read).size).toBe(PLAYERS);
  });

  it('list who takes part page by page, also where many are exposed at one moment', async () => {
    const run = { gameId, experimentId: SOME.experimentId, seed: SOME.seed };
    const listed: number[] = [];
    await withDedicatedConnection(harness.pool, async (connection) => {
      await walkByIndex(connection);
      await walkInOrder(connection);
      for (let behind: ExposureCursor | null = FIRST_EXPOSURE; behind !== null; ) {
        const page = await listExposedPlayers(connection, run, { behind, to: TO, limit: 7 });
        listed.push(...page.playerIds);
        behind = page.last;
      }
    });
    const { rows } = await harness.pool.query<{ id: number }>(
      `select player_id::float8 as id from experiment_exposures
       where game_id = $1 and experiment_id = 'some' and exposed_at < $2::date + 1 order by exposed_at, player_id`,
      [gameId, TO],
    );
    expect(listed).toEqual(rows.map(({ id }) => id));
    expect(listed.length).toBeGreaterThan(100);
  });

  it('go on after any interruption, and count nobody twice', async () => {
    await forgetSums();
    let interruptions = 0;
    for (;;) {
      const stop = new AbortController();
      // At first while it is read who takes part, then with every chunk of players.
      const interrupted = interruptions === 0 ? 'order by exposed_at, player_id' : '"startDays"';
      const { isDone } = await sum(harness, { signal: stop.signal }, (connection) =>
        watch(connection, {
          after: async (text) => {
            if (text.includes(interrupted)) stop.abort();
          },
        }),
      );
      if (isDone) break;
      // A walk that begins anew would never end.
      expect(++interruptions).toBeLessThan(20);
    }
    expect(interruptions).toBeGreaterThan(4);
    for (const each of EXPERIMENTS) {
      expect(await keptSums(each), each.experimentId).toEqual(await expectedSums(each));
    }
  });

  it('are summed alone when one of them is asked for', async () => {
    await harness.pool.query('delete from experiment_sums');
    await harness.pool.query(
      `update experiment_runs set requested_at = $1 where experiment_id = 'activated'`,
      [new Date(NOW)],
    );
    expect((await sum(harness, { nowMs: NOW + 60_000 })).experimentsSummed).toBe(1);
    expect(await keptSums(ACTIVATED)).toEqual(await expectedSums(ACTIVATED));
    expect(await keptSums(ALL)).toEqual({});
  });
});

it('sums all experiments of a game that has many', async () => {
  const id = await addGame(harness, 'many');
  const many = Array.from({ length: 12 }, (_, n) => experiment(`many_${n}`));
  await publish(harness, id, many, { nowMs: at(5) });
  const some = await addPlayers(harness, id, 3, at(5));
  for (const each of many) await expose(harness, some, each, () => ({ variantId: 'a', exposedAt: at(4) }));
  expect((await sum(harness)).experimentsSummed).toBe(12);
  const { rows } = await harness.pool.query('select players from experiment_sums where game_id = $1', [id]);
  expect(rows).toEqual(many.map(() => ({ players: 3 })));
});

it('sums the others where one cannot be summed', async () => {
  const id = await addGame(harness, 'broken');
  const [broken, whole] = [experiment('broken'), experiment('whole')];
  await publish(harness, id, [broken, whole], { nowMs: at(5) });
  const some = await addPlayers(harness, id, 3, at(5));
  for (const each of [broken, whole]) {
    await expose(harness, some, each, () => ({ variantId: 'a', exposedAt: at(4) }));
  }
  await sum(harness);
  await harness.pool.query(
    `update experiment_runs set day = null, checked_version = case experiment_id when 'broken' then 99 else checked_version end
     where game_id = $1`,
    [id],
  );
  await harness.pool.query('delete from experiment_sums where game_id = $1', [id]);
  await expect(sum(harness)).rejects.toThrow('has no version 99');
  const { rows } = await harness.pool.query(
    'select experiment_id as id, players from experiment_sums where game_id = $1',
    [id],
  );
  expect(rows).toEqual([{ id: 'whole', players: 3 }]);
});
