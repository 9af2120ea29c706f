import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeExposures } from '../../src/core/players/exposure-queries.js';
import { storedSpans } from '../../src/experiments/explored-segment.js';
import { percent } from '../../src/experiments/report/words.js';
import { listSegmentPublications } from '../../src/experiments/segment-queries.js';
import { experiment, segment } from '../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { runCommand } from '../support/command.js';
import { expectGeneralError } from '../support/data-calls.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, NOW, play, publish, purchase, sum } from './support/experiment-world.js';
import { CONVERSION, REVENUE } from './support/simulated-sums.js';

/** The arms of an experiment among players who were in a segment at their exposure. */

const PLAYERS = 480;
const test = experiment('price_test', {
  metrics: { primary: CONVERSION, secondary: [REVENUE], guardrails: [] },
});
const PAYERS = segment('payers', 'purchases.total > 0');
const LATE = segment('late', 'country == "DE"');
const EARLY = segment('early', 'purchases.total == 0');
const TREATED = segment('treated', 'experiment("price_test") == "b"');

/** What the test does with a player, by number. */
const isPayer = (n: number) => n % 4 === 0;
const isLate = (n: number) => n % 3 === 0;
const wasExposedEarly = (n: number) => n % 2 === 0;
/** Stored by a node of the release before. */
const isUnknown = (n: number) => n % 10 === 9;
const armOf = (n: number) => (n % 8 < 4 ? 'a' : 'b');
/** More often in arm b, and among payers. */
const converts = (n: number) => n % (armOf(n) === 'b' ? 3 : 5) === 0;

let harness: Harness;
let admin: AdminClient;

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
  const gameId = await addGame(harness, 'grouped');
  await publish(harness, gameId, [test], { nowMs: at(20), segments: [PAYERS, EARLY, TREATED] });
  await publish(harness, gameId, [test], { nowMs: at(10), segments: [PAYERS, LATE, TREATED] });
  const players = await addPlayers(harness, gameId, PLAYERS, at(60));
  await storeExposures(
    harness.pool,
    players.map(({ playerId }, n) => ({
      playerId,
      atMs: wasExposedEarly(n) ? at(15) : at(8),
      arms: [{ ...test, variantId: armOf(n) }],
      forecast: null,
      segments: isUnknown(n)
        ? null
        : [
            ...(isPayer(n) ? ['payers'] : []),
            ...(wasExposedEarly(n) && !isPayer(n) ? ['early'] : []),
            ...(!wasExposedEarly(n) && isLate(n) ? ['late'] : []),
          ],
    })),
  );
  await play(harness, players, (n) => (converts(n) ? [purchase(`t-${n}`, at(5), '2.00')] : []));
  expect((await sum(harness)).experimentsSummed).toBe(1);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Group = {
  kind: string;
  title: string;
  value: string | null;
  players: number;
  arms: { variantId: string; players: number; positive: number; mean: number; interval: unknown }[];
};
const GAME = ['--tenant', 'demo-studio', '--game', 'grouped'];
const PATH = '/games/grouped/experiments/price_test';
const call = (query: string) =>
  admin.call('GET', `${PATH}/exploration?${query}`, undefined, admin.tokens.viewer);
const explore = (segmentId: string) =>
  admin.ask<{ segment: string; sentence: string; examined: number; groups: Group[] }>(
    ...([
      'GET',
      `${PATH}/exploration?by=segment&segment=${segmentId}`,
      undefined,
      admin.tokens.viewer,
    ] as const),
  );

/** The groups as they must be, from how the players were made; null: not examined. */
function expected(groupOf: (n: number) => 'yes' | 'no' | 'unknown' | null) {
  const numbers = Array.from({ length: PLAYERS }, (_, n) => n);
  const groups = (['yes', 'no', 'unknown'] as const).flatMap((name) => {
    const ofGroup = numbers.filter((n) => groupOf(n) === name);
    const arms = ['a', 'b'].map((variantId) => {
      const ofArm = ofGroup.filter((n) => armOf(n) === variantId);
      const positive = ofArm.filter(converts).length;
      return { variantId, players: ofArm.length, positive, mean: positive / ofArm.length };
    });
    return ofGroup.length === 0 ? [] : [[name, { players: ofGroup.length, arms }] as const];
  });
  return Object.fromEntries(groups);
}
const shown = (groups: readonly Group[]) =>
  Object.fromEntries(
    groups.map(({ kind, value, players, arms }) => [
      value ?? kind,
      {
        players,
        arms: arms.map(({ variantId, players: count, positive, mean }) => ({
          ...{ variantId, players: count, positive },
          mean: expect.closeTo(mean, 3),
        })),
      },
    ]),
  );

describe('an exploration by segment', () => {
  it('has players who were in it at their exposure, who were not, and those of whom it is not known', async () => {
    const found = await explore('payers');
    expect(found).toMatchObject({ segment: 'payers', examined: PLAYERS });
    expect(found.sentence).toContain('exploration');
    expect(found.sentence).not.toContain('since the segment is stored');
    expect(expected((n) => (isUnknown(n) ? 'unknown' : isPayer(n) ? 'yes' : 'no'))).toEqual(
      shown(found.groups),
    );
    expect(Object.keys(shown(found.groups)).sort()).toEqual(['no', 'unknown', 'yes']);
    for (const arm of found.groups.flatMap(({ arms }) => arms))
      expect(Object.keys(arm)).not.toContain('state');
    const [control, treated] = found.groups.find(({ value }) => value === 'no')?.arms ?? [];
    expect(control?.interval).toBeNull();
    expect(treated?.interval).toMatchObject({ low: expect.any(Number), high: expect.any(Number) });
  });

  // Else a long experiment would only have players of whom it is not known.
  it('begins with the players who were exposed when the segment was published, and says so', async () => {
    const { groups, sentence, examined } = await explore('late');
    expect(
      expected((n) => (wasExposedEarly(n) ? null : isUnknown(n) ? 'unknown' : isLate(n) ? 'yes' : 'no')),
    ).toEqual(shown(groups));
    expect(examined).toBe(PLAYERS / 2);
    expect(sentence).toContain('since the segment is stored with exposures, on 2026-11-05');
  });

  it('does not know of players who were exposed after it was taken away', async () => {
    const { groups } = await explore('early');
    expect(
      expected((n) => (isUnknown(n) || !wasExposedEarly(n) ? 'unknown' : isPayer(n) ? 'no' : 'yes')),
    ).toEqual(shown(groups));
  });

  it('is offered for the segments that were stored, and for no others', async () => {
    const { segments } = await admin.ask<{ segments: string[] }>('GET', PATH, undefined, admin.tokens.viewer);
    expect(segments).toEqual(['early', 'late', 'payers']);
  });

  it('is printed by the command', async () => {
    const explored = (...args: string[]) =>
      runCommand(harness.databaseUrl, 'experiments', 'explore', 'price_test', ...GAME, '--by', ...args);
    const { out } = await explored('segment', '--segment', 'payers');
    expect(out).toContain('This is exploration.');
    expect(out).toContain('each arm needs 100 players in a group, 30 of whom count');
    const { groups } = await explore('payers');
    const [control] = groups[0]?.arms ?? [];
    expect(out).toMatch(
      new RegExp(`Not in it +a +${control?.players} +${percent(control?.mean ?? -1)} +– +– +–`),
    );
    const json = await explored('segment', '--segment', 'payers', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ segment: 'payers', groups });
    for (const [args, reason] of [
      [['segment'], 'needs the id of a segment'],
      [['segment', '--segment', 'treated'], 'depends on an experiment'],
      [['segment', '--segment', 'whales'], 'no such segment'],
      [['country', '--segment', 'payers'], 'by=segment only'],
    ] as const) {
      const refused = await explored(...args);
      expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(reason)]);
    }
  });

  it('is refused with a reason', async () => {
    for (const unknown of ['whales', 'Payers', "payers'--", 'toString']) {
      const response = await call(`by=segment&segment=${encodeURIComponent(unknown)}`);
      expectGeneralError(response, 404, 'segment_not_found');
    }
    const treated = await call('by=segment&segment=treated');
    expectGeneralError(treated, 400, 'parameter_invalid');
    expect(treated.body).toContain('depends on an experiment');
    const refused = [
      ...['by=segment', 'by=segment&segment=', 'by=segment&segment=payers&segment=late'],
      ...['by=country&segment=payers', 'segment=payers', 'by=segment:payers&segment=payers'],
      ...[`by=segment&segment=${'s'.repeat(65)}`, 'by=segment&segment=%00'],
    ];
    for (const query of refused) {
      const response = await call(query);
      expect(response.statusCode, query).toBe(400);
      expectGeneralError(response, 400, 'parameter_invalid');
    }
  });
});

it('reads the version in force when the run began, and what has changed since', async () => {
  const gameId = await addGame(harness, 'published-often');
  const stored = [[PAYERS], [], [PAYERS], [PAYERS, LATE], [], [LATE], [PAYERS]];
  for (const [n, segments] of stored.entries())
    await publish(harness, gameId, [test], { nowMs: at(20 - n), segments });
  const since = (days: number) => listSegmentPublications(harness.pool, gameId, 'payers', at(days));
  const [again, away, last] = [
    { publishedAt: at(18), isStored: true },
    { publishedAt: at(16), isStored: false },
    { publishedAt: at(14), isStored: true },
  ];
  expect(await since(18)).toEqual([again, away, last]);
  expect(await since(17)).toEqual([{ publishedAt: at(17), isStored: true }, away, last]);
  expect(await since(15)).toEqual([{ publishedAt: at(15), isStored: false }, last]);
  expect(await since(0)).toEqual([last]);
  expect(await since(60)).toHaveLength(5);
  expect(await listSegmentPublications(harness.pool, 0, 'payers', at(60))).toEqual([]);
});

it('knows a segment between the publications that store it', () => {
  const publications = [false, true, true, false, false, true].map((isStored, n) => ({
    publishedAt: n,
    isStored,
  }));
  expect(storedSpans(publications)).toEqual([
    { since: 1, before: 3 },
    { since: 5, before: Number.POSITIVE_INFINITY },
  ]);
  expect(storedSpans(publications.slice(0, 1))).toEqual([]);
});
