import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { isHeldOut } from '../../../src/decide/decide/decide-store.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { type CompareOptions, compareHoldouts } from '../../../src/experiments/holdouts/compare-holdouts.js';
import { FEWEST } from '../../../src/experiments/holdouts/comparison.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { findGame, insertGame } from '../../../src/platform/admin-api/tenants.js';
import {
  type DedicatedConnection,
  walkByIndex,
  withDedicatedConnection,
} from '../../../src/platform/db/dedicated-connection.js';
import { watch } from '../../insight/analytics/breakdowns/breakdown-world.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, sku } from '../../support/data-calls.js';
import { DAY_MS, type TestPlayer, toRecords } from '../../support/game-world.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const YESTERDAY = dayOf(NOW - DAY_MS);
const PLAYERS = 600;
const PERCENT = 40;
/** The first whole day after the share was published. */
const START = dayOf(NOW - 39 * DAY_MS);

let harness: Harness;
let admin: AdminClient;
let gameId: number;
let players: TestPlayer[];

const documentWith = (holdoutPercent: number): ConfigDocument => {
  const document = gameDocument([sku('a')]);
  return { ...document, store: { ...document.store, holdoutPercent } };
};
const publishShare = async (holdoutPercent: number, nowMs: number, id = gameId) => {
  const publication = {
    gameId: id,
    document: documentWith(holdoutPercent),
    note: '',
    confirmPriceRaises: true,
  };
  expect(await publishConfig(harness.pool, publication, { name: 'test', nowMs })).toMatchObject({
    outcome: 'published',
  });
};

const compare = (
  options: Partial<CompareOptions> = {},
  use: (connection: DedicatedConnection) => void = () => {},
) =>
  withDedicatedConnection(harness.pool, async (connection) => {
    await walkByIndex(connection);
    use(connection);
    return compareHoldouts(connection, { nowMs: NOW, playersAPortion: 50, ...options });
  });

async function addGame(slug: string): Promise<number> {
  await insertGame(harness.pool, DEMO.tenant, slug, slug);
  const game = await findGame(harness.pool, DEMO.tenant, slug);
  if (game === undefined) throw new Error(`there is no game ${slug}`);
  return game.id;
}

/** Always the same, so that it is always the same players who are held out. */
function userIdOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

async function addPlayers(
  id: number,
  count: number,
  { from = 0, createdAt = NOW - 60 * DAY_MS } = {},
): Promise<TestPlayer[]> {
  const { rows } = await harness.pool.query<{ playerId: string; userId: string }>(
    `insert into players (game_id, user_id, created_at) select $1, u, $3 from unnest($2::uuid[]) u
     returning id as "playerId", user_id as "userId"`,
    [id, Array.from({ length: count }, (_, n) => userIdOf(`${id} ${from + n}`)), new Date(createdAt)],
  );
  return rows.map((row) => ({ ...row, gameId: id, createdAt }));
}

const at = (daysAgo: number) => NOW - daysAgo * DAY_MS;
const event = (eventType: string, ms: number, payload = {}) => ({
  eventType,
  timestamp: new Date(ms).toISOString(),
  payload,
});
const purchase = (n: number, ms: number, price: string) =>
  event('Purchase', ms, { transactionId: `t-${n}-${ms}`, skuId: 'a', price, currency: 'USD' });

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
  gameId = await addGame('held');
  players = await addPlayers(gameId, PLAYERS);
  const records = players.flatMap((player, n) => {
    // Every tenth was last there before the span, and counts all the same; a third of the others buy, some of them before it, too.
    if (n % 10 === 9) return toRecords(player, [event('Play', at(40))], at(40));
    const bought = n % 3 === 0 ? [purchase(n, at(2), `${n % 7}.99`), purchase(n, at(45), '100')] : [];
    return toRecords(player, [event('Play', at(5)), ...bought], at(1));
  });
  await applyEvents(harness.pool, records);
  // Who comes today counts tomorrow.
  await addPlayers(gameId, 1, { from: PLAYERS, createdAt: NOW });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Group = { players: number };
type Holdout = { state: string; holdoutPercent: number; comparison: Record<string, unknown> | null };
const ask = (game = 'held') =>
  admin.ask<Holdout>('GET', `/games/${game}/holdout`, undefined, admin.tokens.viewer);

describe('players who are held out', () => {
  it('are not compared while nobody is held out', async () => {
    expect(await compare()).toEqual({ isDone: true, gamesCompared: 0 });
    expect(await ask()).toEqual({ state: 'off', holdoutPercent: 0, comparison: null });
  });

  it('are not compared before the share has been in force for a whole day', async () => {
    await publishShare(PERCENT, NOW - 60 * DAY_MS);
    await publishShare(10, NOW - 50 * DAY_MS);
    await publishShare(PERCENT, NOW - DAY_MS);
    expect(await compare()).toEqual({ isDone: true, gamesCompared: 0 });
    expect(await ask()).toEqual({ state: 'collecting', holdoutPercent: PERCENT, comparison: null });
    // As if the last two versions had been published long ago.
    await harness.pool.query(
      `update config_versions set published_at = published_at - interval '39 days' where game_id = $1 and version = 3`,
      [gameId],
    );
  });

  it('are compared with the rest, as the store groups them, also after a kill', async () => {
    let portions = 0;
    const killed = compare({}, (connection) =>
      watch(connection, {
        after: async (text, query) => {
          if (!text.startsWith('insert into holdout_comparisons') || ++portions < 4) return;
          await query('select pg_terminate_backend(pg_backend_pid())');
        },
      }),
    );
    await expect(killed).rejects.toThrow();
    expect(await ask()).toMatchObject({ state: 'collecting' });
    expect(await compare()).toEqual({ isDone: true, gamesCompared: 1 });

    const document = compileDocument(documentWith(PERCENT), { version: 3, publishedAt: 0 });
    const known = players.map((player, n) => ({ player, n }));
    const groupOf = (held: boolean) => {
      const members = known.filter(
        ({ player }) => isHeldOut(document, { userId: player.userId, ageGroup: null }) === held,
      );
      const payers = members.filter(({ n }) => n % 10 !== 9 && n % 3 === 0);
      const spent = payers.reduce((sum, { n }) => sum + (n % 7) + 0.99, 0);
      return { players: members.length, payers: payers.length, mean: spent / members.length };
    };
    const [held, rest] = [groupOf(true), groupOf(false)];
    expect(held.players).toBeGreaterThan(FEWEST.players);
    const { state, comparison } = await ask();
    expect(state).toBe('compared');
    expect(comparison).toMatchObject({
      from: START,
      sampleRatio: { isMismatch: false },
      to: YESTERDAY,
      holdoutPercent: PERCENT,
      heldOut: { players: held.players, payers: held.payers },
      targeted: { players: rest.players, payers: rest.payers },
    });
    const { heldOut, conversion, revenuePerPlayer } = comparison as {
      heldOut: { revenuePerPlayer: Record<string, number> };
      conversion: Record<string, unknown>;
      revenuePerPlayer: Record<string, { difference: number; interval: { low: number; high: number } }>;
    };
    expect(heldOut.revenuePerPlayer.USD).toBeCloseTo(held.mean, 3);
    expect(conversion.difference).toBeCloseTo(rest.payers / rest.players - held.payers / held.players, 3);
    const { difference, interval } = revenuePerPlayer.USD as (typeof revenuePerPlayer)[string];
    expect(difference).toBeCloseTo(rest.mean - held.mean, 3);
    expect(interval.low).toBeLessThan(difference);
    expect(interval.high).toBeGreaterThan(difference);
  });

  it('are compared once a day', async () => {
    expect(await compare()).toEqual({ isDone: true, gamesCompared: 0 });
    expect(await compare({ nowMs: NOW + DAY_MS })).toEqual({ isDone: true, gamesCompared: 1 });
    // The start does not move.
    const { comparison } = await ask();
    expect(comparison).toMatchObject({ from: START, to: dayOf(NOW) });
    const { heldOut, targeted } = comparison as { heldOut: Group; targeted: Group };
    expect(heldOut.players + targeted.players).toBe(PLAYERS + 1);
  });

  it('are compared anew after an upgrade from a release that looked at 28 days, or at active players', async () => {
    const later = NOW + 2 * DAY_MS;
    await harness.pool.query(
      `insert into holdout_comparisons (game_id, day, from_day, holdout_percent, sums, summed_at)
       select game_id, day + 1, day - 27, holdout_percent, sums - 'counts' || '{"isSinceStart": true}', summed_at from holdout_comparisons
       where game_id = $1 and day = $2`,
      [gameId, dayOf(NOW)],
    );
    expect((await ask()).comparison).toMatchObject({ from: START, to: dayOf(NOW) });
    expect(await compare({ nowMs: later })).toEqual({ isDone: true, gamesCompared: 1 });
    expect((await ask()).comparison).toMatchObject({ from: START, to: dayOf(NOW + DAY_MS) });
  });

  it('are a file for spreadsheets, too', async () => {
    const response = await admin.call(
      'GET',
      '/games/held/holdout?format=csv',
      undefined,
      admin.tokens.viewer,
    );
    expect(response.statusCode, response.body).toBe(200);
    const [names, conversion, revenue, reported, end] = response.body.split('\r\n');
    expect(names).toBe(
      'from,to,holdoutPercent,measure,currency,heldOutPlayers,heldOut,targetedPlayers,targeted,difference,low,high,state,cappedPlayers,cappedAt',
    );
    expect(conversion).toMatch(new RegExp(`^${START},${dayOf(NOW + DAY_MS)},40,conversion,,\\d+,0\\.\\d+,`));
    expect(revenue).toMatch(/,revenuePerPlayer,USD,.*,no_difference_seen,/);
    expect(reported).toBe(revenue?.replace('revenuePerPlayer', 'reportedRevenuePerPlayer'));
    expect(end).toBe('');
  });

  it('have no interval while there are too few of them', async () => {
    const small = await addGame('small');
    // Too few for an interval, and enough that none of the halves is empty.
    const few = await addPlayers(small, 60);
    await applyEvents(
      harness.pool,
      few.flatMap((player, n) => toRecords(player, [event('Play', at(3)), purchase(n, at(3), '5')], at(3))),
    );
    await publishShare(50, NOW - 50 * DAY_MS, small);
    expect(await compare()).toMatchObject({ gamesCompared: 1 });
    const { comparison } = await ask('small');
    expect(comparison).toMatchObject({
      conversion: { difference: 0, interval: null, state: 'too_few' },
      revenuePerPlayer: { USD: { difference: 0, interval: null, state: 'too_few' } },
    });
  });

  it('are of one game of one studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    expectGeneralError(
      await admin.call('GET', '/games/held/holdout', undefined, token),
      404,
      'game_not_found',
    );
    const own = await admin.ask<Holdout>('GET', '/games/other-game/holdout', undefined, token);
    expect(own).toMatchObject({ state: 'off', comparison: null });
    expectGeneralError(await admin.call('GET', '/games/held/holdout?format=xml'), 400, 'parameter_invalid');
  });

  it('are collected anew when another share is published', async () => {
    await publishShare(20, NOW);
    expect(await ask()).toEqual({ state: 'collecting', holdoutPercent: 20, comparison: null });
  });
});
