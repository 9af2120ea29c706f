import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { configWith, offer, segment, sku } from '../../decide/support/fixtures.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

/** The instant of the back-test. */
export const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const TODAY = Date.parse('2026-11-15T00:00:00.000Z');
const HOUR_MS = 3_600_000;

export type BackTestWorld = GameWorld & { gameId: number; players: readonly TestPlayer[] };

export const FIRST: ConfigDocument = configWith({
  catalogue: [sku('gems'), sku('pass')],
  segments: [
    segment('payer', 'purchases.total > 0'),
    segment('regular', 'sessions.last7d >= 2'),
    segment('german', 'country == "DE"'),
  ],
  offers: [offer('starter', { when: 'purchases.total == 0', effect: { price: { discountPercent: '50' } } })],
});

/** From the fourth day before NOW on. */
export const SECOND: ConfigDocument = {
  ...FIRST,
  segments: [segment('payer', 'purchases.total > 1'), segment('regular', 'sessions.last7d >= 2')],
};

/** Players of all kinds: new and old, with and without purchases, overrides and stays, some of them here on every day. */
export async function createBackTestWorld(count: number, days: number): Promise<BackTestWorld> {
  const world = await createGameWorld();
  const gameId = await world.addGame('game');
  await publish(world, gameId, 1, FIRST, TODAY - 30 * DAY_MS);
  await publish(world, gameId, 2, SECOND, TODAY - 4 * DAY_MS + HOUR_MS);
  // Some were made before the days of the back-test, others on one of them.
  const players = await world.addPlayers(
    gameId,
    Array.from({ length: count }, (_, n) => TODAY - ((n * 2) % (days + 4)) * DAY_MS - 5 * HOUR_MS),
  );
  for (const [n, player] of players.entries()) {
    for (let day = 0; day <= days + 4; day++) {
      const atMs = TODAY - (days + 4 - day) * DAY_MS + 9 * HOUR_MS;
      if (atMs < player.createdAt || (day + n) % (1 + (n % 3)) !== 0) continue;
      const sent = eventsOf(n, day, atMs);
      await applyEvents(world.pool, toRecords(player, sent, atMs));
      // A day later: some events of the day before arrive late.
      if (n % 4 === 1) await applyEvents(world.pool, toRecords(player, late(n, day, atMs), atMs + DAY_MS));
    }
  }
  await addOverrides(world, players);
  return { ...world, gameId, players };
}

function eventsOf(n: number, day: number, atMs: number): TestEvent[] {
  const timestamp = new Date(atMs).toISOString();
  const metadata = { country: ['DE', 'US', 'JP'][n % 3] ?? 'US' };
  const events: TestEvent[] = [
    { eventType: 'Session_Start', timestamp, payload: { sessionId: `${n}-${day}` }, metadata },
  ];
  if ((n + day) % 5 !== 0) return events;
  const price = n % 2 === 0 ? '10' : '5';
  const payload = {
    transactionId: `${n}-${day}`,
    skuId: n % 4 === 0 ? 'gems' : 'pass',
    price,
    currency: 'USD',
  };
  return [...events, { eventType: 'Purchase', timestamp, payload, metadata }];
}

function late(n: number, day: number, atMs: number): TestEvent[] {
  return [{ eventType: 'Late', timestamp: new Date(atMs).toISOString(), payload: { n, day } }];
}

async function publish(
  { pool }: GameWorld,
  gameId: number,
  version: number,
  document: ConfigDocument,
  atMs: number,
): Promise<void> {
  await pool.query(
    `insert into config_versions (game_id, version, document, author, published_at) values ($1, $2, $3, 'test', $4)`,
    [gameId, version, JSON.stringify(document), new Date(atMs)],
  );
  await pool.query('update games set published_version = $2 where id = $1', [gameId, version]);
}

/** Of every third player: one that was cleared meanwhile, or one that began meanwhile. */
async function addOverrides({ pool }: GameWorld, players: readonly TestPlayer[]): Promise<void> {
  for (const [n, { playerId }] of players.entries()) {
    if (n % 3 !== 0) continue;
    const setAt = TODAY - (n % 2 === 0 ? 20 : 3) * DAY_MS;
    const clearedAt = n % 2 === 0 ? TODAY - 2 * DAY_MS - HOUR_MS : null;
    await pool.query(
      `insert into flag_overrides (player_id, flag_id, value, reason, author, set_at, cleared_at)
       values ($1, 'isPayer', $4, '', 'test', $2, $3)`,
      [playerId, new Date(setAt), clearedAt === null ? null : new Date(clearedAt), n % 4 !== 0],
    );
    await pool.query('update players set overrides_at = $2 where id = $1', [
      playerId,
      new Date(clearedAt ?? setAt),
    ]);
  }
}
