import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addLargeBlocks } from '../../support/exported-player.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';

const PATIENCE = { timeout: 180_000, interval: 20 };
const BLOCKS = 60;
/** Of a block of `addLargeBlocks`: a page of the export. */
const PAGE_BYTES = 500 * 2_000;
/** What sockets of the loopback interface hold, and a few pages. */
const MOST_HELD_BYTES = 20 * 1024 * 1024;

let harness: Harness;
let port: number;
beforeAll(async () => {
  harness = await createHarness();
  await harness.app.listen({ port: 0, host: '127.0.0.1' });
  port = (harness.app.server.address() as AddressInfo).port;
});
afterAll(() => harness.close());

/** The response to a player who has read nothing of it yet. */
function begin({ headers }: Session): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/v1/player/export', headers, agent: false }, resolve).on(
      'error',
      reject,
    );
  });
}

async function largePlayer(deviceId: string): Promise<Session> {
  const session = await harness.login(deviceId);
  await addLargeBlocks(harness, session.userId, BLOCKS);
  return session;
}

/** Counts the pages of events that are asked for. */
function countPages() {
  let asked = 0;
  const { prototype } = pg.Client;
  const query = prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    if ((args[0] as { name?: string } | undefined)?.name === 'list_exported_events') asked++;
    return query.apply(this, args);
  } as typeof prototype.query;
  return {
    asked: () => asked,
    stop: () => {
      prototype.query = query as typeof prototype.query;
    },
  };
}

/** Connections of exports whose snapshot is open. */
async function openSnapshots(): Promise<number> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  );
  await client.end();
  return rows[0]?.n ?? 0;
}

describe('an export', () => {
  it('reads no further than its reader, and has all events in the end', async () => {
    const session = await largePlayer('slow');
    const pages = countPages();
    let read = 0;
    let mostHeld = 0;
    const text: string[] = [];
    try {
      for await (const chunk of await begin(session)) {
        read += (chunk as Buffer).length;
        text.push((chunk as Buffer).toString());
        mostHeld = Math.max(mostHeld, pages.asked() * PAGE_BYTES - read);
        // The event loop goes round: a writer that did not wait for its reader would read on now.
        await setTimeout(1);
      }
    } finally {
      pages.stop();
    }
    expect(pages.asked()).toBeGreaterThanOrEqual(BLOCKS);
    expect(read).toBeGreaterThan(BLOCKS * PAGE_BYTES);
    expect(mostHeld).toBeLessThan(MOST_HELD_BYTES);
    expect(JSON.parse(text.join('')).events).toHaveLength(BLOCKS * 500);
  });

  it('is freed by a client that hangs up; the next of the studio has waited for it', async () => {
    const [first, second] = [await largePlayer('leaving'), await harness.login('waiting')];
    const response = await begin(first);
    let isAnswered = false;
    const waiting = begin(second).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await vi.waitFor(async () => expect(await openSnapshots()).toBe(1), PATIENCE);
    expect(isAnswered).toBe(false);
    response.destroy();
    const answer = await waiting;
    expect(answer.statusCode).toBe(200);
    for await (const _ of answer);
    await vi.waitFor(async () => expect(await openSnapshots()).toBe(0), PATIENCE);
  });

  it('ends with the service, and does not count then', async () => {
    const session = await largePlayer('stopped');
    const response = await begin(session);
    const aborted = new Promise((resolve) => response.once('error', resolve));
    response.resume();
    const closing = harness.app.close();
    await aborted;
    await closing;
    await vi.waitFor(async () => {
      const { rows } = await harness.pool.query(
        'select from player_exports e join players p on p.id = e.player_id where p.user_id = $1',
        [session.userId],
      );
      expect(rows).toEqual([]);
    }, PATIENCE);
  });
});
