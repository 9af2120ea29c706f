import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { applyEvents } from '../../src/core/events/apply/apply-events.js';
import { checkEvents } from '../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../src/core/events/intake/event-record.js';
import { dayTable } from '../../src/core/events/storage/event-partitions.js';
import { exportEvents } from '../../src/insight/exports/export-events.js';
import { streamTarget } from '../../src/insight/exports/export-target.js';
import {
  type CompactionOptions,
  type CompactionResult,
  compactEvents,
} from '../../src/operations/event-storage/compact-events.js';
import type { Span } from '../../src/studio/jobs/export-span.js';
import { ensureDays } from './event-days.js';
import { adImpressionAt, DAY_MS, type GameWorld, type TestEvent, type TestPlayer } from './game-world.js';

/** Noon of the day on which the partitions were made: another day may have begun since. */
export const NOW = Date.parse(
  `${new Date(inject('partitionsMadeAtMs')).toISOString().slice(0, 10)}T12:00:00.000Z`,
);
/** The first instant of a day that is closed. */
export const DAY_START = Date.parse(new Date(NOW - 5 * DAY_MS).toISOString().slice(0, 10));
export const DAY = new Date(DAY_START).toISOString().slice(0, 10);
export const TABLE = dayTable(DAY);
export const EVERYTHING: Span = { from: '0001-01-01T00:00:00.000000Z', to: '9999-01-01T00:00:00.000000Z' };
const MINUTE_MS = 60_000;

/** A few dozen blocks are a large day here. */
export const SMALL_SCALE = {
  maxEvents: 40,
  maxBytes: 30_000,
  pagesPerWindow: 4,
  minPages: 1,
  // PostgreSQL's own upkeep may be at the day, or have a snapshot that is older than the larger blocks.
  lockAttempts: 100,
  freezeAttempts: 100,
};

export function compact(
  { pool }: GameWorld,
  options: Partial<CompactionOptions> = {},
): Promise<CompactionResult> {
  const limits = { ...SMALL_SCALE, ...options.limits };
  return compactEvents(pool, { nowMs: NOW, rests: false, ...options, limits });
}

/** Events of a player as one request. */
function request(
  player: TestPlayer,
  events: readonly TestEvent[],
  receivedAtMs: number,
  installId: string | null = null,
): EventRecord[] {
  const { userId } = player;
  const checked = checkEvents({ events, bytes: 0, suspicious: true }, { userId, installId }, receivedAtMs);
  if (checked.rejected.length > 0) throw new Error(JSON.stringify(checked.rejected));
  return recordsOfPlayer(checked.events, player, { installId, clientBuild: null });
}

export async function send(
  { pool }: GameWorld,
  player: TestPlayer,
  events: readonly TestEvent[],
  receivedAtMs: number,
): Promise<void> {
  await applyEvents(pool, request(player, events, receivedAtMs));
}

/** Two games with players who send single events, batches, numbered events, purchases and oddities all through the day. */
export async function fillClosedDay(world: GameWorld): Promise<TestPlayer[]> {
  await ensureDays(world.pool, [DAY]);
  const [one, two] = [await world.addGame('one'), await world.addGame('two')];
  const players = [
    ...(await world.addPlayers(one, [NOW - 90 * DAY_MS, NOW - 60 * DAY_MS, NOW - 60 * DAY_MS])),
    ...(await world.addPlayers(two, [NOW - 90 * DAY_MS])),
  ];
  const [first, second, third] = players as [TestPlayer, TestPlayer, TestPlayer];
  for (let n = 0; n < 70; n++) {
    // All of them within the same millisecond, every twenty minutes.
    const at = DAY_START + n * 20 * MINUTE_MS;
    const singles = players.map((player) => request(player, [oddEvent(n, at - 500)], at));
    const numbered = [{ ...adImpressionAt(at, n), seq: n + 1 }];
    singles.push(request(second, numbered, at, n % 2 === 0 ? 'phone' : 'tablet'));
    await applyEvents(world.pool, singles.flat());
  }
  const noon = DAY_START + DAY_MS / 2;
  // Two requests of one millisecond, a batch with identical events, and one that is large already.
  await send(world, first, [purchase(noon), purchase(noon), purchase(noon - 1, 'tx-1')], noon);
  await send(world, first, [adImpressionAt(noon, 1_000)], noon);
  const many = Array.from({ length: 30 }, (_, n) => adImpressionAt(noon + n, 2_000 + n));
  await send(world, third, many, noon + 77);
  await send(
    world,
    third,
    [{ eventType: 'Refund', timestamp: iso(noon), payload: { transactionId: 'x' } }],
    noon + 78,
  );
  const large = { eventType: 'Large', timestamp: iso(noon), payload: { text: 'é'.repeat(8_000) } };
  for (let n = 0; n < 4; n++) await send(world, third, [{ ...large, eventId: `large-${n}` }], noon + 100 + n);
  return players;
}

function oddEvent(n: number, ms: number): TestEvent {
  const kinds: TestEvent[] = [
    adImpressionAt(ms, n),
    {
      ...adImpressionAt(ms, n),
      eventId: `named "${n}"`,
      metadata: { country: n % 2 ? 'DE' : 'JP', z: 1, a: 2 },
    },
    {
      eventType: 'Odd "type"\n',
      timestamp: '2001-01-01T02:00:00.123456789+02:00',
      payload: { n, x: [1e21, 0.1, null] },
    },
    {
      eventType: 'Ancient',
      timestamp: '0001-06-01T00:00:00.000Z',
      payload: { n, text: '\u{1F600} \u2028 "\\' },
    },
    { eventType: 'Session_End', timestamp: iso(ms), payload: { durationMs: 1_500.5 + n } },
    {
      ...purchase(ms),
      payload: { price: '4.99', currency: 'USD', transactionId: `tx-odd-${n}`, promoId: 'spring' },
    },
    { eventType: 'Far', timestamp: '9998-12-31T23:59:59.999Z', payload: { n } },
  ];
  return kinds[n % kinds.length] ?? {};
}

function purchase(ms: number, transactionId?: string): TestEvent {
  const payload = { skuId: 'gems', price: '4.99', currency: 'USD', ...(transactionId && { transactionId }) };
  return { eventType: 'Purchase', timestamp: iso(ms), payload };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Every column of every stored event, as text, so that a number that is written in another way shows. */
export async function storedEvents({ pool }: GameWorld): Promise<string[]> {
  const { rows } = await pool.query<{ event: string }>('select e::text as event from events e');
  return rows.map(({ event }) => event).sort();
}

export async function exportedFile({ pool }: GameWorld, gameId: number): Promise<string> {
  const stream = new PassThrough();
  const reading = text(stream);
  const target = streamTarget(stream);
  await exportEvents(pool, { gameId, span: EVERYTHING, format: 'ndjson', target, after: null });
  stream.end();
  return reading;
}

export async function countBlocks({ pool }: GameWorld): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from ${TABLE}`);
  return rows[0]?.n ?? 0;
}

export async function stateOf({ pool }: GameWorld, day = DAY): Promise<string | undefined> {
  const { rows } = await pool.query<{ state: string }>('select state from event_block_days where day = $1', [
    day,
  ]);
  return rows[0]?.state;
}
