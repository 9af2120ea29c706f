import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerHoldout } from '../../src/decide/document/offer-holdouts.js';
import type { OfferEntry } from '../../src/decide/document/parts/offers.js';
import { deleteEndedHoldouts } from '../../src/experiments/holdout-expiry.js';
import { listExperimentViews } from '../../src/experiments/view-queries.js';
import { withDedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { experiment, offer, sku } from '../decide/support/fixtures.js';
import type { TestPlayer } from '../support/game-world.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, dayOf, expose, publish, sum } from './support/experiment-world.js';

/** Whom a hold-out has drawn is deleted when it is over: it is read with the facts of a player. */

const PLAYERS = 10;
const HOUR_MS = 3_600_000;
const test = experiment('kept');
const sale = offer('sale', { holdoutPercent: 50 });
const holdout = offerHoldout(sale);

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const publishOffers = (gameId: number, offers: OfferEntry[], nowMs: number) =>
  publish(harness, gameId, [test], { nowMs, catalogue: [sku('gems')], offers });

const draw = (players: readonly TestPlayer[], run: typeof holdout, exposedAt: number) => {
  const [a, b] = run.variants.map(({ variantId }) => variantId);
  return expose(harness, players, run, (_, n) => ({ variantId: String(n % 2 === 0 ? a : b), exposedAt }));
};

/** A game in which an experiment and the hold-out of an offer have drawn players 70 days ago. */
async function gameWithHoldout(slug: string, entry = sale) {
  const gameId = await addGame(harness, slug);
  const players = await addPlayers(harness, gameId, PLAYERS, at(80));
  await publishOffers(gameId, [entry], at(75));
  await draw(players, test, at(70));
  await draw(players, offerHoldout(entry), at(70));
  await sum(harness, { nowMs: at(60) });
  return { gameId, players };
}

const forget = (daysAgo: number) =>
  withDedicatedConnection(harness.pool, (connection) =>
    deleteEndedHoldouts(connection, { pool: harness.pool, nowMs: at(daysAgo), chunk: 3 }),
  );

async function rowsOf(gameId: number, table = 'experiment_exposures') {
  const { rows } = await harness.pool.query<{ id: string; seed: string; n: number }>(
    `select experiment_id as id, seed, count(*)::int as n from ${table} where game_id = $1 group by 1, 2 order by 1, 2`,
    [gameId],
  );
  return rows.map(({ id, seed, n }) => [id, seed, n]);
}

const viewOf = async (gameId: number) => (await listExperimentViews(harness.pool, gameId, [holdout]))[0];

it('deletes them five weeks after the hold-out was taken away, and keeps arms of experiments and reports', async () => {
  const { gameId, players } = await gameWithHoldout('gone');
  await harness.pool.query(
    `insert into experiment_erased (game_id, experiment_id, seed, variant_id, players, two_arms, metrics)
     values ($1, 'offer:sale', '50', 'offered', 1, 0, '{}')`,
    [gameId],
  );
  await publishOffers(gameId, [], at(50));
  await sum(harness, { nowMs: at(50) + HOUR_MS });
  expect(await forget(16)).toBe(0);
  const reports = await rowsOf(gameId, 'experiment_reports');
  expect(reports).toContainEqual(['offer:sale', '50', 1]);
  expect(await forget(14)).toBe(PLAYERS);
  expect(await rowsOf(gameId)).toEqual([['kept', '1', PLAYERS]]);
  expect(await rowsOf(gameId, 'experiment_erased')).toEqual([]);
  expect(await rowsOf(gameId, 'experiment_reports')).toEqual(reports);

  // It comes back, and begins anew.
  await publishOffers(gameId, [sale], at(10));
  await draw(players.slice(0, 4), holdout, at(10) + HOUR_MS);
  expect(await forget(9)).toBe(0);
  await sum(harness, { nowMs: at(10) + HOUR_MS });
  expect(await viewOf(gameId)).toMatchObject({ startedAt: at(10), endedAt: null, report: null });
  await sum(harness, { nowMs: at(8) });
  const report = (await viewOf(gameId))?.report;
  expect(report).toMatchObject({ from: dayOf(at(10)), days: 2 });
  expect(report?.arms.map(({ players: counted }) => counted)).toEqual([2, 2]);
});

it('goes on if the hold-out comes back before', async () => {
  const { gameId } = await gameWithHoldout('back');
  await publishOffers(gameId, [], at(50));
  await sum(harness, { nowMs: at(50) + HOUR_MS });
  await publishOffers(gameId, [sale], at(40));
  await sum(harness, { nowMs: at(39) });
  expect(await forget(0)).toBe(0);
  expect(await viewOf(gameId)).toMatchObject({ startedAt: at(75), endedAt: null });
  expect((await viewOf(gameId))?.report?.arms.map(({ players }) => players)).toEqual([5, 5]);
});

it('keeps those of an earlier share while another one is compared', async () => {
  const { gameId } = await gameWithHoldout('shares');
  const other = { ...sale, holdoutPercent: 60 };
  await publishOffers(gameId, [other], at(50));
  await sum(harness, { nowMs: at(50) + HOUR_MS });
  expect(await forget(0)).toBe(0);
  expect(await rowsOf(gameId)).toContainEqual(['offer:sale', '50', PLAYERS]);
});

it('deletes them of an offer that is in the document but over for long', async () => {
  const past = { ...sale, until: new Date(at(64)).toISOString() };
  const { gameId } = await gameWithHoldout('past', past);
  expect(await forget(2)).toBe(0);
  expect(await forget(0)).toBe(PLAYERS);
  expect(await rowsOf(gameId)).toEqual([['kept', '1', PLAYERS]]);
});
