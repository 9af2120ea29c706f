import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import type { EventRecord } from '../../../src/core/events/intake/event-record.js';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { AttributeEntry } from '../../../src/decide/document/parts/attributes.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { explain } from '../../../src/liveops/explanations/explain.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { backFillOwnAttributes } from '../../../src/liveops/own-attributes/back-fill.js';
import { runBackFill } from '../../../src/liveops/own-attributes/back-fill-runner.js';
import { toOwnJson } from '../../../src/liveops/own-attributes/own-json.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import { createFairSemaphore } from '../../../src/platform/lib/fair-semaphore.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { NO_TIMEOUT_MS } from '../../support/harness.js';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const CLOCK = { now: () => NOW };
const PLAYERS = 24;

const entry = (attributeId: string, overrides: Partial<AttributeEntry> = {}): AttributeEntry => ({
  attributeId,
  description: '',
  eventType: 'Level_Up',
  member: 'payload.level',
  fold: 'last',
  type: 'integer',
  ...overrides,
});
const ATTRIBUTES: readonly AttributeEntry[] = [
  entry('level'),
  entry('first_level', { fold: 'first' }),
  entry('lowest', { fold: 'min' }),
  entry('highest', { fold: 'max' }),
  entry('gold', { member: 'payload.gold', fold: 'sum' }),
  entry('maps', { member: 'payload.stats.map', fold: 'distinct' }),
  entry('boss_kills', { eventType: 'Boss', member: null, fold: 'count' }),
];
const BUILD = entry('build', { eventType: 'Boss', member: 'metadata.clientBuild', type: 'string' });

/** The same without any of the service's code. */
const ORACLE = `
  with e as (
    select event_type, payload, metadata,
      date_trunc('milliseconds', case when clock_suspect then received_at else least(occurred_at, received_at) end) as at
    from events where player_id = $1
  ), l as (
    select at, (at at time zone 'UTC')::date as day, (payload ->> 'level')::int as level, (payload ->> 'gold')::bigint as gold,
      payload #>> '{stats,map}' as map
    from e where event_type = 'Level_Up'
  ), b as (
    select at, (at at time zone 'UTC')::date as day, metadata ->> 'clientBuild' as build from e where event_type = 'Boss'
  ), t as (select ($2::timestamptz at time zone 'UTC')::date as today)
  select json_build_object(
    'level', coalesce((select level from l where level is not null order by at desc, level desc limit 1), 0),
    'first_level', coalesce((select level from l where level is not null order by at, level limit 1), 0),
    'lowest', coalesce((select min(level) from l), 0),
    'highest', coalesce((select max(level) from l), 0),
    'gold', json_build_object('total', coalesce((select sum(gold) from l), 0),
      'last7d', coalesce((select sum(gold) from l, t where day > today - 7), 0),
      'last28d', coalesce((select sum(gold) from l, t where day > today - 28), 0)),
    'maps', json_build_object('total', (select count(distinct map) from l),
      'last7d', (select count(distinct map) from l, t where day > today - 7),
      'last28d', (select count(distinct map) from l, t where day > today - 28)),
    'boss_kills', json_build_object('total', (select count(*) from b),
      'last7d', (select count(*) from b, t where day > today - 7),
      'last28d', (select count(*) from b, t where day > today - 28)),
    'build', coalesce((select build from b where build is not null order by at desc, build collate "C" desc limit 1), '')
  ) as own`;

/** Numbers that look random and are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('own attributes', () => {
  let world: GameWorld;
  let other: Pool;
  let gameId: number;
  let players: TestPlayer[];
  const random = createRandom(7);
  const sent: EventRecord[][] = [];

  beforeAll(async () => {
    world = await createGameWorld();
    // A second node.
    other = createPool({ url: world.url, size: 2, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
    gameId = await world.addGame('game');
    players = await world.addPlayers(
      gameId,
      Array.from({ length: PLAYERS }, () => NOW - 60 * DAY_MS),
    );
  });
  afterAll(async () => {
    await other.end();
    await world.close();
  });

  const publish = async (attributes: readonly AttributeEntry[]) => {
    const document = { ...DEFAULT_DOCUMENT, attributes: [...attributes] };
    const outcome = await publishConfig(
      world.pool,
      { gameId, document, note: '' },
      { name: 'test', nowMs: NOW },
    );
    expect(outcome.outcome).toBe('published');
  };

  /** Some events of some of the players: few times and values, so that equal ones meet, and now and then a retry. */
  const sendSome = async (groups: number, among: readonly TestPlayer[] = players) => {
    const all = Array.from({ length: groups }, () => {
      const known = sent[random(sent.length * 4)];
      if (known !== undefined) return known;
      const records = Array.from({ length: 1 + random(4) }, () => {
        const player = among[random(among.length)];
        if (player === undefined) throw new Error('there are players');
        const events = Array.from({ length: 1 + random(3) }, someEvent);
        return toRecords(player, events, NOW);
      }).flat();
      sent.push(records);
      return records;
    });
    await Promise.all(all.map((records, n) => applyEvents(n % 2 === 0 ? world.pool : other, records)));
  };
  const someEvent = () => {
    const timestamp = new Date(NOW - random(2) * random(40) * DAY_MS - random(3)).toISOString();
    if (random(3) === 0) {
      return {
        eventType: 'Boss',
        timestamp,
        payload: { n: random(1000) },
        metadata: { clientBuild: `1.${random(3)}` },
      };
    }
    const level = random(5) === 0 ? null : random(20);
    const payload = { level, gold: random(2000) - 1000, stats: { map: `m${random(9)}` }, n: random(1000) };
    return { eventType: 'Level_Up', timestamp, payload };
  };

  const expectEqualToSql = async (
    attributes: readonly AttributeEntry[],
    of: readonly TestPlayer[] = players,
  ) => {
    const readings = await findFacts(
      world.pool,
      of.map(({ playerId }) => playerId),
      NOW,
    );
    expect(readings).toHaveLength(of.length);
    for (const { playerId, facts } of readings) {
      const { rows } = await world.pool.query<{ own: Record<string, unknown> }>(ORACLE, [
        playerId,
        new Date(NOW),
      ]);
      const expected = attributes.map(({ attributeId }) => [attributeId, rows[0]?.own[attributeId]]);
      expect(toOwnJson(facts.own, attributes, NOW)).toEqual(Object.fromEntries(expected));
    }
  };

  it('that are defined among events equal SQL over all events, with events arriving meanwhile', async () => {
    await sendSome(60, players.slice(0, PLAYERS - 4));
    await publish(ATTRIBUTES);
    // Players whose past is not worked out have none of the keys, whatever they send.
    await sendSome(10, players.slice(0, 6));
    const [behind] = await findFacts(world.pool, [players[0]?.playerId ?? ''], NOW);
    expect(behind?.facts.own).toEqual({});

    const result = await withDedicatedConnection(world.pool, (connection) =>
      backFillOwnAttributes({
        connection,
        clock: CLOCK,
        playersPerChunk: 5,
        rests: false,
        onRead: () => sendSome(4),
      }),
    );
    expect(result).toMatchObject({ isDone: true, sets: 1 });
    await expectEqualToSql(ATTRIBUTES);
    await sendSome(40);
    await expectEqualToSql(ATTRIBUTES);
  });

  it('keep what is known when others are added and removed, and go on after an interruption', async () => {
    const next = [...ATTRIBUTES.filter(({ attributeId }) => attributeId !== 'gold'), BUILD];
    await publish(next);
    await sendSome(10);
    const stopping = new AbortController();
    const interrupted = await withDedicatedConnection(world.pool, (connection) =>
      backFillOwnAttributes({
        connection,
        clock: CLOCK,
        playersPerChunk: 7,
        signal: stopping.signal,
        onRead: async () => stopping.abort(),
      }),
    );
    expect(interrupted).toMatchObject({ isDone: false });
    await sendSome(10);
    expect(await runBackFill(world.pool, { clock: CLOCK })).toMatchObject({ isDone: true });
    await sendSome(10);
    await expectEqualToSql(next);
    const { rows } = await world.pool.query<{ done: number; players: number }>(
      `select players_done::int as done, players::int as players from own_attribute_sets
       where game_id = $1 and version = 2`,
      [gameId],
    );
    expect(rows).toEqual([{ done: PLAYERS, players: PLAYERS }]);
  });

  it('of new players are known from their first event on', async () => {
    const current = [...ATTRIBUTES.filter(({ attributeId }) => attributeId !== 'gold'), BUILD];
    const fresh = await world.addPlayers(gameId, [NOW, NOW]);
    await sendSome(6, fresh);
    await expectEqualToSql(current, fresh);
  });

  it('are given up with the last one, and worked out again when they come back', async () => {
    await publish([]);
    await runBackFill(world.pool, { clock: CLOCK });
    const { rows } = await world.pool.query(
      'select from players where game_id = $1 and (own_attributes is not null or own_attributes_version is not null)',
      [gameId],
    );
    expect(rows).toEqual([]);
    await sendSome(10);
    await publish(ATTRIBUTES);
    await runBackFill(world.pool, { clock: CLOCK });
    await expectEqualToSql(ATTRIBUTES);
  });

  it('are explained for the past and for a draft from the stored events', async () => {
    const game = await world.addGame('explained');
    const [player] = await world.addPlayers(game, [NOW - 20 * DAY_MS]);
    if (player === undefined) throw new Error('there is a player');
    for (const [level, daysAgo] of [
      [3, 14],
      [12, 2],
    ]) {
      const at = NOW - (daysAgo ?? 0) * DAY_MS;
      const event = { eventType: 'Level_Up', timestamp: new Date(at).toISOString(), payload: { level } };
      await applyEvents(world.pool, toRecords(player, [event], at));
    }
    const rebuilds = createRebuildPool(world.url, 1);
    const semaphore = createFairSemaphore({
      maxConcurrent: 1,
      maxConcurrentPerKey: 1,
      maxWaitingPerKey: 1,
    }).of(1);
    const dependencies = { pool: world.pool, rebuilds, semaphore, clock: { now: () => NOW } };
    const segments = [
      { segmentId: 'high', name: 'High', rule: 'own.level >= 10', visibleToClients: true, priority: 0 },
    ];
    const document = { ...DEFAULT_DOCUMENT, segments, attributes: [entry('level')] };
    const explainAt = async (atMs: number, version?: Readonly<{ document: unknown }>) => {
      const outcome = await explain(dependencies, {
        gameId: game,
        player: { userId: player.userId },
        atMs,
        version,
      });
      if (outcome.outcome !== 'explained') throw new Error(JSON.stringify(outcome));
      const { facts, trace, because } = outcome.explanation;
      const high = trace.segments.find(({ segmentId }) => segmentId === 'high');
      return { own: facts.own, member: high?.member, because: because.segments };
    };
    try {
      expect(await explainAt(NOW - 7 * DAY_MS, { document })).toMatchObject({
        own: { level: 3 },
        member: false,
      });
      expect(await explainAt(NOW, { document })).toMatchObject({ own: { level: 12 }, member: true });

      await publishConfig(world.pool, { gameId: game, document, note: '' }, { name: 'test', nowMs: NOW });
      const waiting = await explainAt(NOW);
      expect(waiting).toMatchObject({ own: { level: null }, member: false });
      expect(JSON.stringify(waiting.because)).toContain(
        'own.level is still being worked out for this player',
      );
      await runBackFill(world.pool, { clock: CLOCK });
      expect(await explainAt(NOW)).toMatchObject({ own: { level: 12 }, member: true });
    } finally {
      await rebuilds.end();
    }
  });
});
