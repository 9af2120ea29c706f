import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { AttributeEntry } from '../../../src/decide/document/parts/attributes.js';
import { countAudience } from '../../../src/liveops/audiences/audience.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { dryRun } from '../../../src/liveops/dry-runs/dry-run.js';
import { runBackFill } from '../../../src/liveops/own-attributes/back-fill-runner.js';
import { configWith, segment } from '../../decide/support/fixtures.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');

const entry = (attributeId: string, overrides: Partial<AttributeEntry> = {}): AttributeEntry => ({
  attributeId,
  description: '',
  eventType: 'Level_Up',
  member: 'payload.level',
  fold: 'max',
  type: 'integer',
  ...overrides,
});
const LEVEL = entry('level');
const WINS = entry('wins', { eventType: 'Win', member: null, fold: 'count' });
const PUBLISHED = configWith({ attributes: [WINS], segments: [segment('winners', 'own.wins.total >= 1')] });
const SEGMENTS = [
  segment('high', 'own.level >= 10'),
  segment('low', 'own.level < 10'),
  segment('winners', 'own.wins.total >= 1'),
];
const DRAFT = configWith({ attributes: [LEVEL, WINS], segments: SEGMENTS });

let world: GameWorld;
let gameId: number;
/** The n-th player has reached level 2n, in n + 1 events, of which the last but one has the highest level. The last player has no events. */
let players: TestPlayer[];
const HIGH = [5, 6, 7, 8];

beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  players = await world.addPlayers(gameId, Array(10).fill(NOW - 60 * DAY_MS));
  for (const [n, player] of players.slice(0, 9).entries()) {
    const levels = [...Array(n).keys()].map((step) => 2 * (step + 1));
    const events = [...levels, 1].map((level, step) => ({
      eventType: 'Level_Up',
      timestamp: new Date(NOW - (40 - step) * DAY_MS).toISOString(),
      payload: { level },
    }));
    await applyEvents(world.pool, toRecords(player, events, NOW));
  }
  const win = { eventType: 'Win', timestamp: new Date(NOW).toISOString(), payload: {} };
  await applyEvents(world.pool, toRecords(players[3] as TestPlayer, [win], NOW));
  await publish(PUBLISHED);
});
afterAll(() => world.close());

async function publish(document: ConfigDocument): Promise<void> {
  const outcome = await publishConfig(world.pool, { gameId, document, note: '' }, { name: 'a', nowMs: NOW });
  expect(outcome.outcome).toBe('published');
  await runBackFill(world.pool, { clock: { now: () => NOW } });
}

const userIds = (places: readonly number[]) => places.map((place) => players[place]?.userId).toSorted();

async function run(
  after: ConfigDocument,
  options: { before?: ConfigDocument; maxFoldedEvents?: number; estimateSample?: number } = {},
) {
  const outcome = await dryRun(world.pool, { gameId, before: PUBLISHED, after, nowMs: NOW, ...options });
  if (outcome.outcome !== 'done') throw new Error(outcome.outcome);
  return outcome.result;
}

async function count(document: ConfigDocument, segmentId: string, maxFoldedEvents?: number) {
  const outcome = await countAudience(
    world.pool,
    { players: players.length, ids: players.map(({ playerId }) => playerId) },
    {
      gameId,
      document,
      part: { kind: 'segment', id: segmentId },
      rule: undefined,
      nowMs: NOW,
      atMs: NOW,
      signal: new AbortController().signal,
      ...(maxFoldedEvents === undefined ? {} : { maxFoldedEvents }),
    },
  );
  if (outcome.outcome !== 'counted') throw new Error(outcome.outcome);
  return outcome;
}

describe('an own attribute that only a draft defines', () => {
  it('is worked out for a dry run, as after the publication', async () => {
    const result = await run(DRAFT);
    const [high, low, winners] = result.segments;
    expect(high).toMatchObject({ counts: { before: 0, after: 4, enter: 4 } });
    expect(high?.examples.enter.toSorted()).toEqual(userIds(HIGH));
    // Players without such an event, and without any, have 0.
    expect(low).toMatchObject({ counts: { after: 6 } });
    expect(winners).toMatchObject({ counts: { before: 1, after: 1, stay: 1 } });
    expect(result).toMatchObject({ examined: 10, sampled: false, notes: [], ruleErrors: [] });

    await publish(DRAFT);
    const published = await run(DRAFT, { before: DRAFT });
    expect(published.segments.map(({ counts }) => counts.after)).toEqual([4, 6, 1]);
    await publish(PUBLISHED);
  });

  it('is worked out for an audience, as after the publication', async () => {
    const { counted, notes } = await count(DRAFT, 'high');
    expect(counted.audience.players).toBe(4);
    expect(counted.examples.inside.toSorted()).toEqual(userIds(HIGH));
    expect(notes).toEqual([]);
    expect((await count(DRAFT, 'low')).counted.audience.players).toBe(6);
    expect((await count(DRAFT, 'winners')).counted.audience.players).toBe(1);
  });

  it('is another one if its definition changes under the same name', async () => {
    const changed = configWith({
      attributes: [{ ...LEVEL, attributeId: 'wins', fold: 'sum' }],
      segments: [segment('winners', 'own.wins.total >= 1')],
    });
    const { segments } = await run(changed);
    expect(segments).toMatchObject([{ counts: { before: 1, after: 9, enter: 8, stay: 1 } }]);
  });

  it('is worked out for fewer players if these have too many events, and the answer says so', async () => {
    // 46 events in all.
    const result = await run(DRAFT, { maxFoldedEvents: 23 });
    expect(result).toMatchObject({ examined: 5, sampled: true });
    expect(result.notes).toEqual([
      'Own attributes that players do not have yet were worked out from stored events. That takes at most 23 events, so 5 instead of 10 players were examined.',
    ]);
    const { counted, notes } = await count(DRAFT, 'high', 23);
    expect(counted).toMatchObject({ players: 10, isSampled: true });
    expect(counted.examined).toBeLessThan(10);
    expect(notes).toEqual([
      expect.stringContaining(`so ${counted.examined} instead of 10 players were examined`),
    ]);
    expect((await count(DRAFT, 'winners', 0)).notes).toEqual([]);
  });

  it('is worked out for as many players as a sample of them says, if there are many', async () => {
    // 46 events in all, of which 23 are those of 5 players. A sample of one player is the newest.
    const { rows } = await world.pool.query<{ events: number }>(
      'select event_count as events from players where game_id = $1 order by id desc limit 1',
      [gameId],
    );
    const events = Number(rows[0]?.events);
    const { examined } = await run(DRAFT, { maxFoldedEvents: 23, estimateSample: 1 });
    expect(examined).toBe(events === 0 ? 10 : Math.min(10, Math.floor(23 / events)));
    // Nobody has as many events as would lead to the same result.
    expect(examined).not.toBe(5);
  });

  it('is not worked out for a player with more events than that, and the answer says so', async () => {
    const [player] = await world.addPlayers(gameId, [NOW]);
    // Stands for more events than a test can send.
    await world.pool.query(
      `update players set event_count = 100001, event_counts = '{"Level_Up": 100001}' where id = $1`,
      [player?.playerId],
    );
    const result = await run(DRAFT);
    expect(result).toMatchObject({ examined: 11, sampled: false });
    expect(result.segments.map(({ counts }) => counts.after)).toEqual([4, 6, 1]);
    expect(result.notes).toEqual([
      'Own attributes that players do not have yet were not worked out for 1 of the examined players, who have more than 100,000 events each. Rules that use these attributes do not match for them.',
    ]);
    await world.pool.query('delete from players where id = $1', [player?.playerId]);
  });
});
