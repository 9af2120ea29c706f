import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Player = { playerId: string; foundBy: string | null } & Record<string, unknown>;
type Page = {
  players: Player[];
  nextCursor: string | null;
  examined: number | null;
  currencies: string[] | null;
};

const BUYERS = 7;
/** More players than one page examines. */
const IDLE = 5_200;

let harness: Harness;
let admin: AdminClient;
const sessions: Session[] = [];
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  for (let n = 0; n < BUYERS; n++) {
    harness.clock.advance(10);
    const session = await harness.login(`device-${n}`);
    sessions.push(session);
    await send(session, { transactionId: `own-${n}`, price: '1.5', currency: 'USD' });
    if (n % 2 === 0) await send(session, { transactionId: 'shared', price: '2', currency: 'EUR' });
  }
  const document = gameDocument([], {
    segments: [
      segment('payer', 'purchases.total > 0'),
      segment('eur', '"payer" in segments && spend["EUR"].total > 0.0'),
    ],
  });
  await publish(harness.pool, document, harness.clock.now());
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function send(session: Session, payload: object): Promise<void> {
  const timestamp = new Date(harness.clock.now()).toISOString();
  const metadata = { country: 'DE', osName: 'Android' };
  const event = { eventType: 'Purchase', timestamp, payload, metadata };
  expect((await postEvents(harness.app, session, [event])).statusCode).toBe(202);
}

const ask = (query = '') => admin.ask<Page>('GET', `${GAME}/players${query}`, undefined, admin.tokens.viewer);
const find = async (text: string, rest = '') => ask(`?find=${encodeURIComponent(text)}${rest}`);

async function readAll(query: string): Promise<Player[]> {
  const players: Player[] = [];
  let page = await ask(`?${query}`);
  for (let pages = 0; pages < 50; pages++) {
    players.push(...page.players);
    if (page.nextCursor === null) return players;
    page = await ask(`?${query}&cursor=${page.nextCursor}`);
  }
  throw new Error('there is no end to it');
}
const userIds = (players: readonly Player[]) => players.map(({ playerId }) => playerId);
const newestFirst = () => sessions.map(({ userId }) => userId).reverse();

describe('a search for players', () => {
  it('finds a player by user id, in upper or lower case, with all members of the list', async () => {
    const [first] = sessions as [Session];
    for (const text of [first.userId, first.userId.toUpperCase()]) {
      expect(await find(text)).toEqual({
        players: [
          {
            playerId: first.userId,
            createdAt: expect.stringMatching(/Z$/),
            firstSeenAt: expect.stringMatching(/Z$/),
            lastEventAt: expect.stringMatching(/Z$/),
            lastReceivedAt: null,
            country: 'DE',
            platform: 'Android',
            purchaseCount: 2,
            spend: { USD: 1.5, EUR: 2 },
            reportedSpend: { currency: 'USD', amount: '3.7', missing: {} },
            foundBy: 'userId',
          },
        ],
        nextCursor: null,
        examined: null,
        currencies: null,
      });
    }
  });

  it('finds a player by device, and by transaction', async () => {
    expect((await find('device-3')).players).toMatchObject([
      { playerId: sessions[3]?.userId, foundBy: 'deviceId' },
    ]);
    expect((await find('own-4')).players).toMatchObject([
      { playerId: sessions[4]?.userId, foundBy: 'transactionId' },
    ]);
  });

  it('finds all players with a transaction of the id, each once, page by page', async () => {
    const expected = [0, 2, 4, 6].map((n) => sessions[n]?.userId);
    for (const limit of [1, 2, 3, 10]) {
      expect(userIds(await readAll(`find=shared&limit=${limit}`))).toEqual(expected);
    }
  });

  it('finds each player once, if the text is an id of several kinds', async () => {
    // A device named like a transaction, and a transaction named like a player.
    const namesake = await harness.login('shared');
    const [, second] = sessions as [Session, Session];
    await send(namesake, { transactionId: second.userId, price: '1', currency: 'USD' });
    await send(namesake, { transactionId: 'shared', price: '1', currency: 'USD' });
    for (const limit of [1, 2, 10]) {
      const shared = await readAll(`find=shared&limit=${limit}`);
      expect(shared.map(({ foundBy }) => foundBy)).toEqual(['deviceId', ...Array(4).fill('transactionId')]);
      expect(new Set(userIds(shared)).size).toBe(5);
      const byId = await readAll(`find=${second.userId}&limit=${limit}`);
      expect(byId.map(({ playerId, foundBy }) => [playerId, foundBy])).toEqual([
        [second.userId, 'userId'],
        [namesake.userId, 'transactionId'],
      ]);
    }
    await harness.pool.query('delete from players where user_id = $1', [namesake.userId]);
  });

  it.each(['nothing', 'device', 'DEVICE-3', 'device-3 ', '%', "'; --", '\u{1F600}'])(
    'finds no player by %s: devices and transactions are found by the whole id',
    async (text) => {
      expect(await find(text)).toEqual({ players: [], nextCursor: null, examined: null, currencies: null });
    },
  );

  it('finds a player by the end or the beginning of the user id, as the console shows it', async () => {
    const { userId } = sessions[2] as Session;
    const end = userId.slice(-8);
    for (const text of [end, `…${end}`, `...${end}`, end.toUpperCase(), userId.slice(-20), end.slice(-4)]) {
      const { players } = await find(text);
      expect(players, text).toContainEqual(
        expect.objectContaining({ playerId: userId, foundBy: 'userIdEnd' }),
      );
      for (const { playerId } of players) expect(playerId).toMatch(new RegExp(`${text.slice(-4)}$`, 'i'));
    }
    // Ids begin with the time: all of these players were created within a minute.
    for (const text of [`${userId.slice(0, 8)}…`, userId.slice(0, 9)]) {
      expect(userIds((await find(text)).players)).toContain(userId);
    }
    expect((await find(userId.slice(0, 23))).players).toMatchObject([
      { playerId: userId, foundBy: 'userIdStart' },
    ]);
    for (const text of [userId.slice(0, 7), end.slice(-3), userId.slice(4, 30)]) {
      expect(userIds((await find(text)).players), text).not.toContain(userId);
    }
    // Page by page, each once.
    const together = userIds(await readAll(`find=${userId.slice(0, 8)}`));
    expect(userIds(await readAll(`find=${userId.slice(0, 8)}&limit=1`))).toEqual(together);
    expect(new Set(together).size).toBe(together.length);
  });

  it('finds a player by the transaction id of a purchase that was refused', async () => {
    const [first, second] = sessions as [Session, Session];
    const refuse = (session: Session, transactionId: string | number) =>
      postEvents(harness.app, session, [
        {
          eventType: 'Purchase',
          timestamp: new Date(harness.clock.now()).toISOString(),
          payload: { transactionId, price: 'free', currency: 'USD' },
        },
      ]);
    await refuse(first, 'refused-1');
    expect((await find('refused-1')).players).toMatchObject([
      { playerId: first.userId, foundBy: 'failedTransactionId' },
    ]);
    await refuse(first, 4711);
    expect(userIds((await find('4711')).players)).toContain(first.userId);
    // Who has a purchase with this id that counts is found by it, once.
    await refuse(first, 'own-0');
    await refuse(second, 'own-0');
    for (const limit of [1, 10]) {
      const players = await readAll(`find=own-0&limit=${limit}`);
      expect(players.map(({ playerId, foundBy }) => [playerId, foundBy])).toEqual([
        [first.userId, 'transactionId'],
        [second.userId, 'failedTransactionId'],
      ]);
    }
  });

  it('finds no players of another studio, or of another game', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const stranger = await studio.login('device-of-another');
    await send(stranger, { transactionId: 'tx-of-another', price: '1', currency: 'USD' });
    for (const text of [stranger.userId, 'device-of-another', 'tx-of-another', stranger.userId.slice(-12)]) {
      expect((await find(text)).players).toEqual([]);
    }
    expect(userIds((await find(stranger.userId.slice(0, 8))).players)).not.toContain(stranger.userId);
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const own = '/games/other-game/players';
    for (const text of [stranger.userId, 'device-of-another', 'tx-of-another']) {
      const { players } = await admin.ask<Page>('GET', `${own}?find=${text}`, undefined, token);
      expect(userIds(players)).toEqual([stranger.userId]);
    }
    for (const text of [sessions[0]?.userId, 'device-0', 'own-0']) {
      expect((await admin.ask<Page>('GET', `${own}?find=${text}`, undefined, token)).players).toEqual([]);
    }
    expect(userIds((await admin.ask<Page>('GET', own, undefined, token)).players)).toEqual([stranger.userId]);
    const theirs = await admin.call('GET', `${GAME}/players`, undefined, token);
    expectGeneralError(theirs, 404, 'game_not_found');
    expect((await admin.call('GET', `${GAME}/players`, undefined, null)).statusCode).toBe(401);
  });

  it.each([
    'find=',
    'find=a%00',
    `find=${'x'.repeat(257)}`,
    'find=a&find=b',
    'find=a&segment=payer',
    'segment=',
    'segment=payer&segment=eur',
    'limit=0',
    'limit=101',
    'cursor=abc',
    'find=a&cursor=abc',
    'segment=payer&cursor=abc',
    'sort=oldest',
    'find=a&sort=spend',
    'find=a&country=DE',
    'country=',
    'seenSince=yesterday',
    'minSpend=1',
    'minSpend=a&currency=USD',
    'sort=spend&currency=',
    'sort=spend&cursor=abc',
  ])('refuses %s', async (query) => {
    expectGeneralError(await admin.call('GET', `${GAME}/players?${query}`), 400, 'parameter_invalid');
  });

  it('refuses a cursor of another list, or with an invalid id', async () => {
    const { nextCursor } = await ask('?limit=1');
    for (const query of [`find=a&cursor=${nextCursor}`, `segment=payer&cursor=${nextCursor}`]) {
      expectGeneralError(await admin.call('GET', `${GAME}/players?${query}`), 400, 'parameter_invalid');
    }
    const forged: [string, unknown[]][] = [
      ...['x', '-1', '9'.repeat(30)].map((id): [string, unknown[]] => [
        'sort=newest',
        ['newest players', id],
      ]),
      ['sort=spend', ['spend players', '1', 'x']],
      ['sort=spend', ['spend players', 'NaN', '1']],
      ['sort=lastSeen', ['lastSeen players', -1, '1']],
      ['sort=lastSeen', ['lastSeen players', 9e15, '1']],
      ['sort=lastSeen', ['lastSeen players', '1', '1']],
    ];
    for (const [query, content] of forged) {
      const cursor = Buffer.from(JSON.stringify(content)).toString('base64url');
      const response = await admin.call('GET', `${GAME}/players?${query}&cursor=${cursor}`);
      expectGeneralError(response, 400, 'parameter_invalid');
    }
  });
});

describe('the list of the newest players', () => {
  it('has every player once, newest first', async () => {
    for (const limit of [1, 3, 100]) {
      expect(userIds(await readAll(`limit=${limit}`))).toEqual(newestFirst());
    }
  });
});

describe('the list of a segment', () => {
  it('has only players of the segment, newest first, each once', async () => {
    for (const limit of [1, 3, 100]) {
      expect(userIds(await readAll(`segment=payer&limit=${limit}`))).toEqual(newestFirst());
      // A rule that refers to another segment.
      const inEuro = newestFirst().filter((_, n) => n % 2 === 0);
      expect(userIds(await readAll(`segment=eur&limit=${limit}`))).toEqual(inEuro);
    }
    expect((await ask('?segment=payer')).players[0]).toMatchObject({ foundBy: null, spend: { USD: 1.5 } });
  });

  it('refuses a segment that is not published, and names the nearest one', async () => {
    const response = await admin.call('GET', `${GAME}/players?segment=payers`);
    expectGeneralError(response, 404, 'segment_not_found');
    expect(response.json().error.message).toContain('payer');
  });

  it('examines a few thousand players per page, and continues with the cursor', async () => {
    await harness.pool.query(
      `insert into players (game_id, user_id, created_at)
       select g.id, gen_random_uuid(), $1 from games g, generate_series(1, $2::int) where g.slug = 'demo-game'`,
      [new Date(harness.clock.now()), IDLE],
    );
    const first = await ask('?segment=payer');
    expect(first).toMatchObject({ players: [], examined: 5_000, nextCursor: expect.any(String) });
    expect(userIds(await readAll('segment=payer&limit=2'))).toEqual(newestFirst());
  });
});
