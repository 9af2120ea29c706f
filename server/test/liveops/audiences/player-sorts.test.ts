import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, publish, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

type Player = { playerId: string; spend: Record<string, number>; lastReceivedAt: string | null };
type Page = {
  players: Player[];
  nextCursor: string | null;
  examined: number | null;
  currencies: string[] | null;
};

const HOUR_MS = 3_600_000;
/** What each player pays, and in which country; the first has no events at all. */
const PLAYERS: readonly { country: string; paid: Record<string, string> }[] = [
  { country: '', paid: {} },
  { country: 'DE', paid: { USD: '5' } },
  { country: 'FR', paid: { USD: '20.50' } },
  { country: 'DE', paid: { EUR: '7' } },
  { country: 'DE', paid: {} },
  // Listed under yen, the larger number.
  { country: 'JP', paid: { JPY: '900', USD: '30' } },
  { country: 'FR', paid: { USD: '5' } },
];
/** Who is seen last comes last. */
const SEEN = [6, 2, 1, 5, 3, 4];

let harness: Harness;
let admin: AdminClient;
const sessions: Session[] = [];
let startMs: number;
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
  startMs = harness.clock.now();
  for (const n of PLAYERS.keys()) {
    harness.clock.advance(10);
    sessions.push(await harness.login(`device-${n}`));
  }
  for (const n of [...SEEN].reverse()) await visit(n);
  for (const n of SEEN) await visit(n);
  const document = gameDocument([], { segments: [segment('payer', 'purchases.total > 0')] });
  await publish(harness.pool, document, harness.clock.now());
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

/** Each visit is a request of its own, an hour after the one before; the first one pays. */
async function visit(n: number): Promise<void> {
  harness.clock.advance(HOUR_MS);
  const { country = '', paid = {} } = PLAYERS[n] ?? {};
  const event = {
    timestamp: new Date(harness.clock.now()).toISOString(),
    metadata: { country },
  };
  const purchases = Object.entries(paid).map(([currency, price]) => ({
    ...event,
    eventType: 'Purchase',
    payload: { transactionId: `${n} ${currency}`, price, currency },
  }));
  const events = [{ ...event, eventType: 'Level_Start', payload: {} }, ...purchases];
  const session = await harness.login(`device-${n}`);
  expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
}

const ask = (query: string) =>
  admin.ask<Page>('GET', `${GAME}/players?${query}`, undefined, admin.tokens.viewer);

/** The numbers of the players of all pages. */
async function numbers(query: string): Promise<number[]> {
  const all: number[] = [];
  let cursor = '';
  for (let pages = 0; pages < 50; pages++) {
    const { players, nextCursor } = await ask(`${query}${cursor}`);
    all.push(...players.map(({ playerId }) => sessions.findIndex(({ userId }) => userId === playerId)));
    if (nextCursor === null) return all;
    cursor = `&cursor=${nextCursor}`;
  }
  throw new Error('there is no end to it');
}

const expectPages = async (query: string, expected: number[]) => {
  for (const limit of [1, 2, 100]) expect(await numbers(`${query}&limit=${limit}`), query).toEqual(expected);
};

describe('the list of players', () => {
  it('is sorted by the last event, each player once', async () => {
    await expectPages('sort=lastSeen', SEEN.toReversed());
    const { players } = await ask('sort=lastSeen');
    const lastMs = startMs + 70 + 2 * SEEN.length * HOUR_MS;
    expect(players.map(({ lastReceivedAt }) => lastReceivedAt)).toEqual(
      SEEN.map((_, n) => new Date(lastMs - n * HOUR_MS).toISOString()),
    );
    expect((await ask('')).players[0]).toMatchObject({ lastReceivedAt: null });
  });

  it('is sorted by the last event also over days, and when blocks of one player are many', async () => {
    const base = harness.clock.now();
    harness.clock.advance(20 * HOUR_MS);
    for (let n = 0; n < 5; n++) await visit(6);
    await expectPages('sort=lastSeen', [6, 4, 3, 5, 1, 2]);
    harness.clock.set(base + 30 * HOUR_MS);
  });

  it('is sorted by spend in a currency, the players of other currencies left out', async () => {
    await expectPages('sort=spend&currency=USD', [2, 6, 1]);
    await expectPages('sort=spend&currency=EUR', [3]);
    await expectPages('sort=spend&currency=JPY', [5]);
    await expectPages('sort=spend&currency=GBP', []);
    const { currencies, players } = await ask('sort=spend');
    expect(currencies?.toSorted()).toEqual(['EUR', 'JPY', 'USD']);
    expect(players).toEqual((await ask(`sort=spend&currency=${currencies?.[0]}`)).players);
    expect((await ask('sort=newest')).currencies).toBeNull();
  });

  it('leaves out a payer whose purchase was refunded', async () => {
    const refund = {
      eventType: 'Refund',
      timestamp: new Date(harness.clock.now()).toISOString(),
      payload: { transactionId: '3 EUR' },
    };
    const session = await harness.login('device-3');
    expect((await postEvents(harness.app, session, [refund])).statusCode).toBe(202);
    await expectPages('sort=spend&currency=EUR', []);
  });

  it('is filtered by country, spend, last event and segment, in any order', async () => {
    await expectPages('country=DE', [4, 3, 1]);
    await expectPages('country=DE&sort=spend&currency=USD', [1]);
    await expectPages('country=FR&sort=lastSeen', [6, 2]);
    await expectPages('minSpend=20.5&currency=USD', [5, 2]);
    await expectPages('minSpend=6&currency=USD&sort=spend', [2]);
    await expectPages('segment=payer', [6, 5, 2, 1]);
    await expectPages('segment=payer&country=FR&sort=spend&currency=USD', [2, 6]);
    const since = new Date(startMs + 1).toISOString();
    expect(await numbers(`seenSince=${since}`)).toContain(0);
    await expectPages(`seenBefore=${new Date(startMs + HOUR_MS).toISOString()}`, [0]);
    expect(await ask('country=DE')).toMatchObject({ examined: 7 });
    expect(await ask('sort=lastSeen')).toMatchObject({ examined: null });
  });
});
