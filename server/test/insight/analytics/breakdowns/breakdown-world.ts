import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import {
  type SumOptions,
  type SumResult,
  sumBreakdowns,
} from '../../../../src/insight/analytics/breakdowns/sum-breakdowns.js';
import type { DedicatedConnection } from '../../../../src/platform/db/dedicated-connection.js';
import { walkByIndex, withDedicatedConnection } from '../../../../src/platform/db/dedicated-connection.js';
import type { Pool } from '../../../../src/platform/db/pool.js';
import {
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../../support/game-world.js';

export const NOW = Date.parse('2026-11-15T12:00:00Z');
export const HOUR_MS = 3_600_000;
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** As maintenance runs it: on a connection of its own, by index. */
export function sumOn(
  pool: Pool,
  options: SumOptions,
  use: (connection: DedicatedConnection) => void = () => {},
): Promise<SumResult> {
  return withDedicatedConnection(pool, async (connection) => {
    await walkByIndex(connection);
    use(connection);
    return sumBreakdowns(connection, { pauseMs: 0, playersPerChunk: 7, ...options });
  });
}

type Query = (text: string, ...rest: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

/** Lets a test do something before, or after, each statement of a connection; it may use the connection itself. */
export function watch(
  connection: DedicatedConnection,
  {
    before,
    after,
  }: {
    before?: (text: string, query: Query, values: unknown) => unknown;
    after?: (text: string, query: Query) => unknown;
  },
): void {
  const query = connection.query.bind(connection) as unknown as Query;
  connection.query = (async (text: string, ...rest: unknown[]) => {
    await before?.(text, query, rest[0]);
    const result = await query(text, ...rest);
    await after?.(text, query);
    return result;
  }) as never;
}

export function event(eventType: string, atMs: number, payload = {}, metadata = {}): TestEvent {
  return { eventType, timestamp: new Date(atMs).toISOString(), payload, metadata };
}

/** The same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

const COUNTRIES = ['DE', 'US', 'FR', null];
const PLATFORMS = ['Android', 'iOS', null];
const BUILDS = ['1.0', '1.1', '1.10', null];
const SOURCES = ['ads', 'friends', null];
const SKUS = ['gems', 'chest', 'pass'];

/** Some weeks in the lives of players: days off, purchases, refunds, events that come weeks late. */
export async function playGame(
  world: GameWorld,
  gameId: number,
  { players: count, seed }: { players: number; seed: number },
): Promise<TestPlayer[]> {
  const random = createRandom(seed);
  const created = Array.from({ length: count }, () => NOW - random(40) * DAY_MS - random(10) * HOUR_MS);
  const players = await world.addPlayers(gameId, created);
  for (const player of players) {
    for (let at = player.createdAt; at <= NOW; at += (1 + random(4)) * DAY_MS) {
      // Players travel and update; some days report nothing.
      const metadata = {
        ...member('country', COUNTRIES[random(COUNTRIES.length)]),
        ...member('osName', PLATFORMS[random(PLATFORMS.length)]),
        ...member('clientBuild', BUILDS[random(BUILDS.length)]),
        ...member('source', SOURCES[random(SOURCES.length)]),
      };
      const events = [event('Session_Start', at, { sessionId: String(at) }, metadata)];
      if (random(4) === 0) {
        const transactionId = `t-${player.playerId}-${at}`;
        events.push(
          event('Purchase', at, {
            transactionId,
            skuId: SKUS[random(3)],
            price: `${random(20)}.99`,
            currency: ['USD', 'EUR'][random(2)],
            ...(random(2) === 0 ? { promoId: 'weekend' } : {}),
          }),
        );
        if (random(3) === 0) events.push(event('Refund', at + HOUR_MS, { transactionId }));
      }
      // One in five arrives when the device is online again, up to three weeks later.
      const receivedAt = random(5) === 0 ? Math.min(NOW, at + random(21) * DAY_MS) : at + HOUR_MS;
      await applyEvents(world.pool, toRecords(player, events, receivedAt));
    }
  }
  return players;
}

function member(name: string, value: string | null | undefined): Record<string, string> {
  return value === null || value === undefined ? {} : { [name]: value };
}
