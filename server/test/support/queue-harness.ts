import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect } from 'vitest';
import { type Context, createContext } from '../../src/app/context.js';
import { buildPlayerApp } from '../../src/app/player-app.js';
import { connectToNats, type QueueSession } from '../../src/operations/queue/connection.js';
import {
  type EncodedMessage,
  encodeMessage,
  type QueuedMessage,
} from '../../src/operations/queue/message.js';
import { partitionOf, readLag, subjectOf } from '../../src/operations/queue/stream.js';
import type { Pool } from '../../src/platform/db/pool.js';
import type { NatsSettings } from '../../src/platform/settings/settings.js';
import { type Harness, testSettings } from './harness.js';

/** What a consumer or a server held when it died comes again half a minute later; and the two cores may be busy. */
const POLL = { timeout: 180_000, interval: 50 };

export type QueuedNode = { app: FastifyInstance; ctx: Context; close(): Promise<void> };

/** A node that queues its events, unless `nats` is undefined, on the harness's database or by way of a proxy. */
export async function addQueuedNode(
  { masterKeys, clock, databaseUrl }: Pick<Harness, 'masterKeys' | 'clock' | 'databaseUrl'>,
  nats: NatsSettings | undefined,
  viaUrl = databaseUrl,
): Promise<QueuedNode> {
  const settings = { ...testSettings(), rateLimits: { ...testSettings().rateLimits, enabled: false }, nats };
  const logger = pino({ level: 'silent' });
  const ctx = await createContext({ settings, databaseUrl: viaUrl, masterKeys, logger, clock });
  const app = await buildPlayerApp(ctx);
  return {
    app,
    ctx,
    async close() {
      await app.close();
      await ctx.dispose();
    },
  };
}

export async function eventCount(pool: Pool, userId: string): Promise<number> {
  const { rows } = await pool.query<{ n: string }>(
    'select event_count as n from players where user_id = $1',
    [userId],
  );
  return Number(rows[0]?.n);
}

/** Waits until the player's row counts so many events, and the stream is empty: nothing more can come. */
export async function expectApplied(
  pool: Pool,
  nats: NatsSettings,
  userId: string,
  events: number,
): Promise<void> {
  await expect.poll(() => eventCount(pool, userId), POLL).toBe(events);
  await expectDrained(nats);
  expect(await eventCount(pool, userId)).toBe(events);
}

export async function expectDrained(nats: NatsSettings): Promise<void> {
  await withSession(nats, async ({ jsm }) => {
    await expect.poll(async () => (await readLag(jsm, nats.stream, 0)).messages, POLL).toBe(0);
  });
}

export async function withSession<T>(
  nats: NatsSettings,
  work: (session: QueueSession) => Promise<T>,
): Promise<T> {
  const session = await connectToNats(nats, 'test');
  try {
    return await work(session);
  } finally {
    await session.nc.close();
  }
}

/** Puts a message into the stream past the API. */
export async function publishRaw(
  { js }: QueueSession,
  nats: NatsSettings,
  userId: string,
  { id, body }: EncodedMessage,
): Promise<void> {
  await js.publish(subjectOf(nats.stream, partitionOf(userId, nats.partitions)), body, { msgID: id });
}

export function encodeOne(message: QueuedMessage): EncodedMessage {
  const [only] = encodeMessage(message, Number.MAX_SAFE_INTEGER);
  if (only === undefined) throw new Error('nothing to send');
  return only;
}
