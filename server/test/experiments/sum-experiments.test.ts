import { plus } from '@savepoint/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../src/core/events/apply/apply-events.js';
import { type MetricEntry, metricKey } from '../../src/decide/document/parts/experiment-metrics.js';
import { exploreExperiment } from '../../src/experiments/explore-experiment.js';
import { findFigures } from '../../src/experiments/figure-queries.js';
import type { ArmSums } from '../../src/experiments/report/experiment-sums.js';
import { countsOf, stratumMoments } from '../../src/experiments/report/metric-sums.js';
import type { Report } from '../../src/experiments/report/report-types.js';
import { deleteEndedSums, deleteOldSums } from '../../src/experiments/sum-queries.js';
import { withDedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { dayNumber } from '../../src/platform/lib/day.js';
import { createErasureHashes } from '../../src/platform/security/erasure-hashes.js';
import { requestErasure } from '../../src/trust/erasures/request-erasure.js';
import { experiment, segment } from '../decide/support/fixtures.js';
import { watch } from '../insight/analytics/breakdowns/breakdown-world.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { expectGeneralError } from '../support/data-calls.js';
import { erase } from '../support/erasure-calls.js';
import { DAY_MS, type TestPlayer, toRecords } from '../support/game-world.js';
import { createHarness, type Harness } from '../support/harness.js';
import { isWaitedFor } from '../support/locks.js';
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
} from './support/experiment-world.js';
import { CONVERSION, PER_PAYER, RETENTION_7, REVENUE } from './support/simulated-sums.js';

const PLAYERS = 400;
const LEVELS = { kind: 'sum', sum: { of: 'events', eventType: 'Level' } } as const;
const TO = dayOf(at(1));
const test = experiment('price_test', {
  metrics: { primary: REVENUE, secondary: [CONVERSION, RETENTION_7, LEVELS, PER_PAYER], guardrails: [] },
});

let harness: Harness;
let admin: AdminClient;
let gameId: number;
let players: TestPlayer[];

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
  gameId = await addGame(harness, 'tried');
  const read = segment('treated', 'experiment("price_test") == "b"');
  await publish(harness, gameId, [test], { nowMs: at(20), segments: [read] });
  // Every third player was there before the experiment.
  players = [
    ...(await addPlayers(harness, gameId, PLAYERS / 4, at(60))),
    ...(await addPlayers(harness, gameId, (PLAYERS * 3) / 4, at(15))),
  ];
  await play(harness, players, (n) => [
    ...(n < PLAYERS / 4 ? [event('Level', at(25)), purchase(`before-${n}`, at(20), '3.00')] : []),
    event('Level', at(15)),
    ...(n % 2 === 0 ? [event('Level', at(8))] : []),
    ...(n % 3 === 0 ? [purchase(`t-${n}`, at(5), `${1 + (n % 7)}.99`)] : []),
    // Today counts tomorrow.
    event('Level', at(0)),
  ]);
  await expose(harness, players, test, (_, n) => ({
    variantId: n % 2 === 0 ? 'a' : 'b',
    exposedAt: at(15 - (n % 3)),
  }));
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** What the service keeps of an arm on a day. */
async function armsOf(day = TO): Promise<Record<string, ArmSums>> {
  const { rows } = await harness.pool.query(
    `select variant_id as "variantId", players, erased, metrics from experiment_sums where game_id = $1 and day = $2`,
    [gameId, day],
  );
  return Object.fromEntries(rows.map(({ variantId, ...arm }) => [variantId, arm]));
}

async function reportOn(day = TO): Promise<Report> {
  const { rows } = await harness.pool.query<{ report: Report }>(
    'select report from experiment_reports where game_id = $1 and day = $2',
    [gameId, day],
  );
  if (rows[0] === undefined) throw new Error('there is no report');
  return rows[0].report;
}

/** Players, sum and sum of squares of a metric, as kept. */
function keptMoments(arm: ArmSums | undefined, metric: MetricEntry) {
  const sums = arm?.metrics[metricKey(metric)];
  if (sums === undefined) throw new Error('there are no sums');
  const { sum, squares, otherSum } = plus(
    stratumMoments(sums.fresh, undefined),
    stratumMoments(sums.known, undefined),
  );
  const numbers = { players: countsOf(sums).players, sum, squares, other: otherSum };
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toFixed(6))]));
}

/** The same in plain SQL: `value` of a player's days since the exposure, and `other` of those before it. */
async function plainMoments(variantId: string, value: string, other: string, who = 'true') {
  const { rows } = await harness.pool.query(
    `select count(*)::int as players, sum(value)::float8 as sum, sum(value * value)::float8 as squares, sum(other)::float8 as other
     from (
       select coalesce(${value}, 0)::numeric as value, coalesce(${other}, 0)::numeric as other
       from (select *, (exposed_at at time zone 'UTC')::date as since from experiment_exposures) e
       left join player_days d on d.player_id = e.player_id and d.day <= $3 and d.day >= e.since - 28
       where e.game_id = $1 and e.variant_id = $2 and (${who})
       group by e.player_id, e.since
     ) p`,
    [gameId, variantId, TO],
  );
  return rows[0];
}

const since = (column: string) => `sum(${column}) filter (where d.day >= e.since)`;
const before = (column: string) => `sum(${column}) filter (where d.day < e.since)`;
const USD = `(d.revenue ->> 'USD')::numeric`;
const LEVEL = `(d.event_counts ->> 'Level')::int`;
const isPayer = (of: string) => `(${of} > 0)::int`;

describe('the sums of a running experiment', () => {
  it('go on behind the last chunk after an interruption', async () => {
    const stop = new AbortController();
    let chunks = 0;
    const stopped = await sum(harness, { signal: stop.signal }, (connection) =>
      watch(connection, {
        after: async (text) => {
          if (text.includes('"startDays"') && ++chunks === 3) stop.abort();
        },
      }),
    );
    expect(stopped).toEqual({ isDone: false, experimentsSummed: 0 });
    const { rows } = await harness.pool.query(
      `select (walk #>> '{sums,0,a,players}')::int + (walk #>> '{sums,0,b,players}')::int as players,
         (select count(*)::int from experiment_exposures where player_id <= (walk ->> 'behind')::bigint) as exposed
       from experiment_runs`,
    );
    // The third chunk may have been read while the second one was added.
    expect([100, 150]).toContain(rows[0]?.players);
    expect(rows[0]?.players).toBe(rows[0]?.exposed);
    expect(await sum(harness)).toEqual({ isDone: true, experimentsSummed: 1 });
    expect(await sum(harness)).toEqual({ isDone: true, experimentsSummed: 0 });
  });

  it.each(['a', 'b'])('equal those of plain SQL, in arm %s', async (variantId) => {
    const arm = (await armsOf())[variantId];
    expect(arm).toMatchObject({ players: PLAYERS / 2, erased: 0 });
    expect(keptMoments(arm, REVENUE)).toEqual(await plainMoments(variantId, since(USD), before(USD)));
    expect(keptMoments(arm, LEVELS)).toEqual(await plainMoments(variantId, since(LEVEL), before(LEVEL)));
    expect(keptMoments(arm, CONVERSION)).toEqual(
      await plainMoments(variantId, isPayer(since('d.purchases')), isPayer(before('d.purchases'))),
    );
    expect(keptMoments(arm, PER_PAYER)).toEqual(
      await plainMoments(variantId, since(USD), isPayer(since('d.purchases'))),
    );
    expect(keptMoments(arm, RETENTION_7)).toEqual(
      await plainMoments(variantId, 'max((d.day = e.since + 7)::int)', '0'),
    );
  });

  it('make a report', async () => {
    const { arms, days, from, to, metrics, gates } = await reportOn();
    expect({ from, to, days }).toEqual({ from: dayOf(at(20)), to: TO, days: 20 });
    expect(arms.map(({ variantId, players: n, erasedPlayers }) => [variantId, n, erasedPlayers])).toEqual([
      ['a', PLAYERS / 2, 0],
      ['b', PLAYERS / 2, 0],
    ]);
    expect(gates).toEqual([]);
    expect(metrics.map(({ title }) => title)).toEqual([
      'Revenue in USD per player',
      'Conversion',
      'Day 7 retention',
      'Events Level per player',
      'Revenue in USD per payer',
    ]);
    expect(metrics[0]?.arms[1]?.comparison?.state).toBe('not_proven');
  });

  it('count back a refund at the next request', async () => {
    const paid = (await plainMoments('a', since(USD), '0'))?.sum;
    const refund = event('Refund', at(2), { transactionId: 't-0' });
    await play(harness, players.slice(0, 1), () => [refund]);
    await harness.pool.query('update experiment_runs set requested_at = $1', [new Date(NOW)]);
    expect((await sum(harness, { nowMs: NOW + 60_000 })).experimentsSummed).toBe(1);
    const kept = keptMoments((await armsOf()).a, REVENUE).sum;
    expect(kept).toBe((await plainMoments('a', since(USD), '0'))?.sum);
    expect(kept).toBeLessThan(paid);
  });

  it('keep players who are erased, and say how many they are', async () => {
    const hashes = await createErasureHashes(harness.pool, async () => harness.masterKeys)();
    const erased = players.slice(0, 6);
    for (const { userId } of erased) {
      await requestErasure(harness.pool, hashes, { gameId, userId, by: { player: true, nowMs: NOW } });
    }
    const all = (await armsOf()).a;
    expect((await erase(harness)).erased).toBe(6);
    expect((await sum(harness, { nowMs: NOW + DAY_MS })).experimentsSummed).toBe(1);
    const arms = await armsOf(dayOf(NOW));
    expect(Object.entries(arms).map(([id, arm]) => [id, arm.players, arm.erased])).toEqual([
      ['a', PLAYERS / 2, 3],
      ['b', PLAYERS / 2, 3],
    ]);
    expect(keptMoments(arms.a, REVENUE)).toEqual(keptMoments(all, REVENUE));
    expect((await reportOn(dayOf(NOW))).arms.map(({ erasedPlayers }) => erasedPlayers)).toEqual([3, 3]);
  });

  it('are asked for anew, and shown with a sentence', async () => {
    const list = await admin.ask<{ experiments: { sentence: string; report: Report }[] }>(
      'GET',
      '/games/tried/experiments',
      undefined,
      admin.tokens.viewer,
    );
    const { verdict } = await reportOn(dayOf(NOW));
    expect(list.experiments.map(({ sentence, report }) => [sentence, report.to])).toEqual([
      [verdict, dayOf(NOW)],
    ]);
    const path = '/games/tried/experiments/price_test';
    await admin.ask('POST', `${path}/sums`, undefined, admin.tokens.editor, 202);
    const shown = await admin.ask<{ isRequested: boolean; days: { day: string; arms: unknown[] }[] }>(
      'GET',
      path,
      undefined,
      admin.tokens.viewer,
    );
    expect(shown.isRequested).toBe(true);
    expect(shown.days.map(({ day, arms }) => [day, arms.length])).toEqual([
      [dayOf(NOW), 2],
      [TO, 2],
    ]);
    expectGeneralError(
      await admin.call('GET', '/games/tried/experiments/none', undefined, admin.tokens.viewer),
      404,
      'experiment_not_found',
    );
  });

  it('are explored by what was known at the exposure, and by nothing that came later', async () => {
    type Explored = {
      groups: { kind: string; value: string | null; players: number; arms: { players: number }[] }[];
    };
    const explore = (by: string) =>
      admin.ask<Explored & { sentence: string; examined: number; isComplete: boolean }>(
        'GET',
        `/games/tried/experiments/price_test/exploration?by=${by}`,
        undefined,
        admin.tokens.viewer,
      );
    const counts = ({ groups }: Explored) =>
      Object.fromEntries(groups.map(({ kind, value, players: n }) => [value ?? kind, n]));
    const byPayer = await explore('payer');
    expect(byPayer).toMatchObject({ isComplete: true });
    expect(byPayer.sentence).toContain('exploration');
    // Six were erased. Every third has bought something since the exposure, which makes nobody a payer of before.
    expect(counts(byPayer)).toEqual({ no: (PLAYERS * 3) / 4, yes: PLAYERS / 4 - 6 });
    expect(byPayer.examined).toBe(PLAYERS - 6);
    // Of those who came fifteen days ago, every third was exposed on that day.
    expect(counts(await explore('new')).yes).toBe(PLAYERS / 4);
    const byCountry = await explore('country');
    expect(counts(byCountry)).toEqual({ unknown: byPayer.examined });
    const arms = byCountry.groups[0]?.arms.map((arm) => arm.players) ?? [];
    expect(arms.reduce((all, n) => all + n, 0)).toBe(byPayer.examined);
    for (const query of ['by=payer&metric=9', 'by=segment', '']) {
      const path = `/games/tried/experiments/price_test/exploration?${query}`;
      const refused = await admin.call('GET', path, undefined, admin.tokens.viewer);
      expectGeneralError(refused, 400, 'parameter_invalid');
    }
  });

  it('are explored one at a time for a studio, and a few requests wait', async () => {
    const path = '/games/tried/experiments/price_test/exploration?by=payer';
    const asked = await withDedicatedConnection(harness.pool, async (connection) => {
      await connection.query('begin');
      await connection.query('lock table experiment_exposures in access exclusive mode');
      const all = Array.from({ length: 6 }, () => admin.call('GET', path, undefined, admin.tokens.viewer));
      // None of the others can end before.
      expectGeneralError(await Promise.race(all), 429, 'busy');
      await connection.query('rollback');
      return Promise.all(all);
    });
    expect(asked.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('are not explored any more when the client has gone', async () => {
    const stop = new AbortController();
    await withDedicatedConnection(harness.pool, async (connection) => {
      await connection.query('begin');
      await connection.query('lock table experiment_exposures in access exclusive mode');
      const exploring = exploreExperiment(harness.pool, {
        ...{ gameId, experiment: test, metric: REVENUE, grouping: { by: 'payer' }, to: TO },
        signal: stop.signal,
      });
      await expect.poll(() => isWaitedFor(harness.pool, 'experiment_exposures')).toBe(true);
      stop.abort();
      await expect(exploring).rejects.toMatchObject({ code: '57014' });
      await connection.query('rollback');
    });
  });

  it('plan from the game’s own figures', async () => {
    const { plans } = await admin.ask<{ plans: { title: string; state: string; sentence: string }[] }>(
      'GET',
      '/games/tried/experiment-plan?experimentId=price_test',
      undefined,
      admin.tokens.viewer,
    );
    expect(plans[0]).toMatchObject({ title: 'Revenue in USD per player' });
    expect(plans[0]?.state).not.toBe('too_few');
    const usual = await admin.ask<{ plans: { title: string }[] }>(
      'GET',
      '/games/tried/experiment-plan?audience=new',
      undefined,
      admin.tokens.viewer,
    );
    expect(usual.plans.map(({ title }) => title)).toEqual([
      'Conversion',
      'Day 7 retention',
      'Revenue per player',
    ]);
  });

  it('end in one publication that gives everybody the winner', async () => {
    const id = await addGame(harness, 'ended');
    await publish(harness, id, [test], { nowMs: at(2) });
    const end = (winner: string) =>
      admin.call(
        'POST',
        '/games/ended/experiments/price_test/end',
        { winner, note: 'b wins' },
        admin.tokens.editor,
      );
    const askForSums = () =>
      admin.call('POST', '/games/ended/experiments/price_test/sums', undefined, admin.tokens.editor);
    const early = await askForSums();
    expectGeneralError(early, 409, 'experiment_not_running');
    expect(early.json().error.message).toContain('began a few minutes ago');
    expectGeneralError(await end('c'), 400, 'body_invalid');
    expect((await end('b')).statusCode).toBe(201);
    expectGeneralError(await end('b'), 409, 'experiment_not_running');
    expect((await askForSums()).json().error.message).toBe('The experiment does not run.');
    const { experiments } = await admin.ask<{ experiments: { experiment: object; sentence: string }[] }>(
      'GET',
      '/games/ended/experiments',
      undefined,
      admin.tokens.viewer,
    );
    expect(experiments).toMatchObject([
      {
        experiment: { ...test, state: 'decided', winner: 'b' },
        sentence: 'Decided: Treatment for all. It ended before its first report.',
      },
    ]);
  });

  it('end with the experiment, and the last report stays', async () => {
    const last = await reportOn(dayOf(NOW));
    await harness.pool.query('update experiment_runs set requested_at = now()');
    await publish(harness, gameId, [{ ...test, state: 'stopped' }], { nowMs: NOW + DAY_MS });
    expect(await sum(harness, { nowMs: NOW + 2 * DAY_MS })).toEqual({ isDone: true, experimentsSummed: 0 });
    expect(await reportOn(dayOf(NOW))).toEqual(last);
    const { rows } = await harness.pool.query(
      'select ended_at is not null as "isEnded", requested_at is not null as "isRequested" from experiment_runs',
    );
    expect(rows).toEqual([{ isEnded: true, isRequested: false }]);
  });
});

it('takes the days before the exposure for those before, also of players who are activated later', async () => {
  const id = await addGame(harness, 'figures');
  const some = await addPlayers(harness, id, 1, at(30));
  await play(harness, some, () => [
    event('Level', at(29)),
    event('Level', at(7)),
    event('Level', at(4)),
    event('Level', at(3)),
  ]);
  const player = {
    playerId: Number(some[0]?.playerId),
    day: dayNumber(dayOf(at(5))),
    exposedOn: dayNumber(dayOf(at(9))),
  };
  const needs = {
    days: 'all',
    columns: ['eventCounts'],
    retentionDays: [1, 3],
    eventTypes: ['Level'],
  } as const;
  const [figures] = await findFigures(harness.pool, [player], TO, needs);
  expect(figures).toMatchObject({
    ...{ isNew: false, lastDay: 4, activeOn: [1] },
    ...{ since: { eventCounts: { Level: 2 } }, before: { eventCounts: { Level: 1 } } },
  });
});

it.each(['none', 'all'] as const)('knows a day of more than half a year ago (days: %s)', async (days) => {
  const id = await addGame(harness, `years-${days}`);
  const [loyal] = await addPlayers(harness, id, 1, at(320));
  if (loyal === undefined) throw new Error('there is no player');
  for (const atMs of [at(300), at(299), at(2)]) {
    await applyEvents(harness.pool, toRecords(loyal, [event('Level', atMs)], atMs));
  }
  const day = dayNumber(dayOf(at(301)));
  const player = { playerId: Number(loyal.playerId), day, exposedOn: day };
  // A refund makes a row of a day, too, and nobody was there.
  await harness.pool.query(
    'insert into player_days (player_id, day, events, purchases) values ($1, $2, 0, -1)',
    [loyal.playerId, dayOf(at(298))],
  );
  const needs = { days, columns: [], retentionDays: [1, 2, 3, 7], eventTypes: [] } as const;
  expect((await findFigures(harness.pool, [player], TO, needs))[0]?.activeOn).toEqual([1, 2]);
});

it('knows a purchase of more than half a year ago, on the day on which the player buys again', async () => {
  const id = await addGame(harness, 'years-later');
  const [payer] = await addPlayers(harness, id, 1, at(201));
  if (payer === undefined) throw new Error('there is no player');
  for (const atMs of [at(200), NOW]) {
    await applyEvents(harness.pool, toRecords(payer, [purchase(`${atMs}`, atMs, '9.99')], atMs));
  }
  const day = dayNumber(dayOf(at(200)));
  const player = { playerId: Number(payer.playerId), day, exposedOn: day };
  const needs = { days: 'purchases', columns: ['purchases'], retentionDays: [], eventTypes: [] } as const;
  expect((await findFigures(harness.pool, [player], TO, needs))[0]?.since.purchases).toBe(1);
});

it('counts players from their activation, and those who saw two arms', async () => {
  const id = await addGame(harness, 'activated');
  const old = experiment('start', { seed: 'old' });
  const started = experiment('start', { activation: { eventType: 'Level' } });
  await publish(harness, id, [old], { nowMs: at(30) });
  await publish(harness, id, [started], { nowMs: at(10) });
  const some = await addPlayers(harness, id, 10, at(30));
  await expose(harness, some.slice(0, 4), old, (_, n) => ({
    variantId: n < 2 ? 'a' : 'b',
    exposedAt: at(20),
  }));
  await expose(harness, some, started, (_, n) => ({
    ...{ variantId: 'a', exposedAt: at(9) },
    ...(n === 9 ? {} : { activatedAt: n === 8 ? NOW : at(5) }),
  }));
  // A test device: it has seen what was pinned.
  await harness.pool.query(
    `insert into player_pins (player_id, kind, target, value, reason, author, set_at, cleared_at)
     values ($1, 'variant', 'start', '"b"', '', 'test', $2, $2)`,
    [some[7]?.playerId, new Date(at(6))],
  );
  await sum(harness);
  const { rows } = await harness.pool.query(
    'select seed, variant_id, players, two_arms, recent_players from experiment_sums where game_id = $1',
    [id],
  );
  expect(rows).toEqual([{ seed: '1', variant_id: 'a', players: 7, two_arms: 2, recent_players: 7 }]);
});

it('keeps old sums of the planned end only, and none of experiments that ended long ago', async () => {
  const id = await addGame(harness, 'old');
  const [planned, ended] = ['planned', 'ended'].map((experimentId) => ({
    gameId: id,
    experimentId,
    seed: '1',
  }));
  if (planned === undefined || ended === undefined) throw new Error('there are no keys');
  await harness.pool.query(
    `insert into experiment_runs (game_id, experiment_id, seed, started_at, ended_at, checked_version)
     select $1, x.id, '1', $2, x.ended, 1
     from (values ('planned', null::timestamptz), ('ended', $3::timestamptz - interval '36 days')) x (id, ended)`,
    [id, new Date(at(200)), new Date(NOW)],
  );
  await harness.pool.query(
    `insert into experiment_sums (game_id, experiment_id, seed, day, variant_id, players, recent_players, two_arms, erased, metrics)
     select $1, x, '1', $2::date - n, 'a', 1, 0, 0, 0, '{}' from unnest(array[0, 35, 36, 60, 90]) n, unnest(array['planned', 'ended']) x`,
    [id, TO],
  );
  await withDedicatedConnection(harness.pool, async (connection) => {
    await deleteOldSums(connection, planned, { to: TO, plannedEnd: dayOf(at(71)) });
    await deleteEndedSums(connection, NOW);
  });
  const { rows } = await harness.pool.query(
    'select experiment_id as id, $2::date - day as age from experiment_sums where game_id = $1 order by day desc',
    [id, TO],
  );
  expect(rows).toEqual([0, 35, 60].map((age) => ({ id: 'planned', age })));
});
