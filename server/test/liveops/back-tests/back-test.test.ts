import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { drawPlayers } from '../../../src/liveops/audiences/sample-queries.js';
import { type BackTest, backTest } from '../../../src/liveops/back-tests/back-test.js';
import type { BackTestResult } from '../../../src/liveops/back-tests/back-test-report.js';
import { daysBefore } from '../../../src/liveops/back-tests/examined-days.js';
import { listSample } from '../../../src/liveops/back-tests/sample-queries.js';
import { type Explanation, explain } from '../../../src/liveops/explanations/explain.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { rebuildFacts } from '../../../src/liveops/explanations/rebuild-facts.js';
import { rebuildMany } from '../../../src/liveops/explanations/rebuild-many.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import { createFairSemaphore } from '../../../src/platform/lib/fair-semaphore.js';
import { offer, segment } from '../../decide/support/fixtures.js';
import { DAY_MS, type TestPlayer } from '../../support/game-world.js';
import { type BackTestWorld, createBackTestWorld, NOW, SECOND } from './back-test-world.js';

const PLAYERS = 12;
const DAYS = 5;

let world: BackTestWorld;
let rebuilds: Pool;
/** Players with an event since the first day. */
let here: number;
beforeAll(async () => {
  world = await createBackTestWorld(PLAYERS, DAYS);
  const { rows } = await world.pool.query<{ n: number }>(
    'select count(*)::int as n from players where last_event_at >= $1',
    [new Date(daysBefore(NOW, DAYS)[0] ?? 0)],
  );
  here = rows[0]?.n ?? 0;
  rebuilds = createRebuildPool(world.url);
});
afterAll(async () => {
  await rebuilds.end();
  await world.close();
});

async function run(after: ConfigDocument, options: Partial<BackTest> = {}): Promise<BackTestResult> {
  const { pool, gameId } = world;
  const asked = { gameId, after, nowMs: NOW, days: DAYS, rests: false, ...options };
  const outcome = await backTest(pool, rebuilds, asked);
  if (outcome.outcome !== 'done') throw new Error(outcome.outcome);
  return outcome.result;
}

type Counts = { players: Set<string>; playerDays: number };

/** What explain says of every player on every day on which the player was here, by name of the entry. */
async function explainAll(version: { document: ConfigDocument } | undefined) {
  const counted = new Map<string, Counts>();
  const days = await activeDays();
  for (const { player, atMs } of days) {
    for (const name of namesOf(await explainAt(player, atMs, version))) {
      const counts = counted.get(name) ?? { players: new Set(), playerDays: 0 };
      counts.players.add(player.userId);
      counts.playerDays++;
      counted.set(name, counts);
    }
  }
  return { days: days.length, counted };
}

async function activeDays(): Promise<{ player: TestPlayer; atMs: number }[]> {
  const { rows } = await world.pool.query<{ id: string; day: string }>(
    'select player_id as id, day::text as day from player_days where events > 0',
  );
  const starts = daysBefore(NOW, DAYS);
  return rows.flatMap(({ id, day }) => {
    const player = world.players.find(({ playerId }) => playerId === id);
    const start = Date.parse(`${day}T00:00:00.000Z`);
    if (player === undefined || !starts.includes(start)) return [];
    return [{ player, atMs: Math.max(start, player.createdAt) }];
  });
}

async function explainAt(
  { userId }: TestPlayer,
  atMs: number,
  version: { document: ConfigDocument } | undefined,
): Promise<Explanation> {
  const { pool, gameId } = world;
  const semaphore = createFairSemaphore({
    maxConcurrent: 1,
    maxConcurrentPerKey: 1,
    maxWaitingPerKey: 1,
  }).of(1);
  const from = { pool, rebuilds, clock: { now: () => NOW }, semaphore };
  const outcome = await explain(from, { gameId, player: { userId }, atMs, version });
  if (outcome.outcome !== 'explained') throw new Error(outcome.outcome);
  return outcome.explanation;
}

function namesOf({ decision, trace }: Explanation): string[] {
  return [
    ...Object.entries(decision.flags).flatMap(([id, { value }]) => (value ? [`flag ${id}`] : [])),
    ...decision.segments.map(({ segmentId }) => `segment ${segmentId}`),
    ...trace.offers.flatMap(({ offerId, outcome }) => (outcome === 'applies' ? [`offer ${offerId}`] : [])),
  ];
}

/** The same of a back-test, of one side. */
function matchesOf({ flags, segments, offers }: BackTestResult, side: 'before' | 'after') {
  return new Map(
    [
      ...flags.map((each) => ({ ...each, name: `flag ${each.flagId}` })),
      ...segments.map((each) => ({ ...each, name: `segment ${each.segmentId}` })),
      ...offers.map((each) => ({ ...each, name: `offer ${each.offerId}` })),
    ]
      .filter(({ playerDays }) => playerDays[side] > 0)
      .map(({ name, players, playerDays }) => [
        name,
        { players: players[side], playerDays: playerDays[side] },
      ]),
  );
}

function sizes(counted: Map<string, Counts>) {
  return new Map(
    [...counted].map(([name, { players, playerDays }]) => [name, { players: players.size, playerDays }]),
  );
}

const STARTS = {
  attributeId: 'starts',
  description: '',
  eventType: 'Session_Start',
  member: null,
  fold: 'count' as const,
  type: 'integer' as const,
};

/** Nothing has folded its own attribute: it is worked out from the blocks. */
const DRAFT: ConfigDocument = {
  ...SECOND,
  attributes: [STARTS],
  segments: [
    ...SECOND.segments,
    segment('american', 'country == "US"'),
    segment('starter', 'own.starts.total > 2 && own.starts.last7d < 6'),
  ],
  offers: [offer('starter', { when: 'sessions.total > 2', effect: { price: { discountPercent: '20' } } })],
};

describe('rebuilding many players at several instants', () => {
  it('gives the facts that are rebuilt for each of them alone', async () => {
    const starts = daysBefore(NOW, DAYS);
    const instants = starts.map((atMs) => ({
      atMs,
      players: world.players.filter(({ createdAt }) => createdAt <= atMs),
    }));
    const seen: { player: TestPlayer; atMs: number; facts: PlayerFacts }[] = [];
    await rebuildMany(rebuilds, {
      gameId: world.gameId,
      players: world.players,
      instants,
      attributes: [STARTS],
      rest: async () => {},
      visit: ({ atMs }, player, facts) => {
        seen.push({ player: player as TestPlayer, atMs, facts });
      },
    });
    expect(seen).toHaveLength(instants.reduce((sum, { players }) => sum + players.length, 0));
    for (const { player, atMs, facts } of seen) {
      const alone = await rebuildFacts(rebuilds, player, atMs, { attributes: [STARTS] });
      expect(sorted(facts)).toEqual(sorted(alone.facts));
    }
  });
});

describe('a back-test', () => {
  it('says of the versions in force what explain says', async () => {
    const { days, counted } = await explainAll(undefined);
    const result = await run(SECOND);
    expect(result).toMatchObject({ examined: here, sampled: false, playerDays: days });
    expect(matchesOf(result, 'before')).toEqual(sizes(counted));
    expect(result.days.map(({ version }) => version)).toEqual([1, 1, 2, 2, 2]);
  });

  it('says of a draft what explain says of it', async () => {
    const { counted } = await explainAll({ document: DRAFT });
    expect(counted.get('segment starter')?.playerDays).toBeGreaterThan(0);
    expect(matchesOf(await run(DRAFT), 'after')).toEqual(sizes(counted));
  });

  it('changes nothing where the document was in force', async () => {
    const { days } = await run(SECOND);
    const inForce = days.filter(({ version }) => version === 2);
    expect(inForce).toHaveLength(3);
    for (const { segments, offers, flags, prices } of inForce) {
      expect([segments, offers, flags, prices]).toEqual([[], [], [], []]);
    }
    // The version before had a segment more.
    const earlier = days.filter(({ version }) => version === 1).flatMap(({ segments }) => segments);
    expect(earlier.some(({ segmentId, counts }) => segmentId === 'german' && counts.leave > 0)).toBe(true);
  });

  it('compares what was paid with the store that the player would have seen', async () => {
    const twice: ConfigDocument = {
      ...SECOND,
      catalogue: SECOND.catalogue.filter(({ skuId }) => skuId === 'gems'),
      offers: [],
    };
    const { purchases } = await run(twice);
    const { rows } = await world.pool.query<{ sku: string; n: number; paid: string; tens: number }>(
      `select sku_id as sku, count(*)::int as n, sum(price)::text as paid, (count(*) filter (where price = 10))::int as tens
       from transactions where purchased_at >= $1 and purchased_at < $2 group by 1`,
      [new Date(daysBefore(NOW, DAYS)[0] ?? 0), new Date(Math.floor(NOW / DAY_MS) * DAY_MS)],
    );
    const bought = new Map(rows.map((row) => [row.sku, row]));
    expect([...bought.keys()].toSorted()).toEqual(['gems', 'pass']);
    expect(purchases).toMatchObject({ count: rows.reduce((sum, { n }) => sum + n, 0), notCounted: 0 });
    // The SKU costs 10, and the players who bought it paid that.
    expect(purchases.skus.find(({ skuId }) => skuId === 'gems')).toMatchObject({
      purchases: bought.get('gems')?.n,
      same: bought.get('gems')?.tens,
      paid: bought.get('gems')?.paid,
      comparedPaid: bought.get('gems')?.paid,
    });
    expect(purchases.skus.find(({ skuId }) => skuId === 'pass')).toMatchObject({
      purchases: bought.get('pass')?.n,
      notInStore: bought.get('pass')?.n,
      comparedPrice: '0',
    });
  });

  it('examines a sample, the same in every run', async () => {
    const [one, other] = [await run(SECOND, { sample: 5 }), await run(SECOND, { sample: 5 })];
    expect(one).toMatchObject({ players: here, examined: 5, sampled: true });
    expect({ ...one, seconds: 0 }).toEqual({ ...other, seconds: 0 });
  });

  it('estimates how many players were here from those that were drawn', async () => {
    const span = { fromMs: NOW - DAYS * DAY_MS, toMs: NOW };
    const sample = await withDedicatedConnection(world.pool, async (connection) => {
      const drawn = await drawPlayers(connection, world.gameId, 10);
      const { rows } = await connection.query<{ n: number }>(
        `select count(*)::int as n from players where id = any($1::bigint[]) and last_event_at >= $2 and created_at < $3`,
        [drawn.ids, new Date(span.fromMs), new Date(span.toMs)],
      );
      const found = await listSample(connection, world.gameId, span, { size: 1, minDrawn: 1 });
      return { ...found, expected: Math.round(((rows[0]?.n ?? 0) * PLAYERS) / 10) };
    });
    expect(sample).toMatchObject({ players: sample.expected, isComplete: false });
    expect(sample.playerIds).toHaveLength(1);
  });

  it('waits for its turn before the sample and before each page of players', async () => {
    let taken = 0;
    const take = <T>(work: () => Promise<T>) => {
      taken++;
      return work();
    };
    await run(SECOND, { turns: () => ({ take }) });
    expect(taken).toBe(2);
  });

  it('tells how far it is, and ends when it is cancelled', async () => {
    const told: number[] = [];
    await run(SECOND, { onProgress: ({ examined, total }) => told.push(examined, total) });
    expect(told).toEqual([0, here, here, here]);
    const { pool, gameId } = world;
    const cancelled = { gameId, after: SECOND, nowMs: NOW, signal: AbortSignal.abort() };
    expect(await backTest(pool, rebuilds, cancelled)).toEqual({ outcome: 'interrupted' });
  });
});

/** Days come in any order. */
function sorted(facts: PlayerFacts): PlayerFacts {
  return { ...facts, days: [...facts.days].sort((a, b) => a.epochDay - b.epochDay) };
}
