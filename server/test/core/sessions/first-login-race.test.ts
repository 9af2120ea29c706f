import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio, expectAlive, refreshed } from '../../support/session-calls.js';

let harness: Harness;
let nodes: FastifyInstance[];
beforeAll(async () => {
  harness = await createHarness();
  nodes = [harness.app, (await harness.addNode()).app];
});
afterAll(() => harness.close());

/** Logins at the same moment, spread evenly over the nodes. */
function loginTogether(deviceIds: string[]): Promise<Session[]> {
  return Promise.all(deviceIds.map((deviceId, n) => harness.login(deviceId, nodes[n % nodes.length])));
}

const userIds = (sessions: Session[]) => new Set(sessions.map(({ userId }) => userId));

async function countPlayers(deviceId: string): Promise<number> {
  const { rows } = await harness.pool.query<{ players: number }>(
    `select count(distinct p.id)::int as players from devices d join players p on p.id = d.player_id
     where d.device_id = $1`,
    [deviceId],
  );
  return rows[0]?.players ?? 0;
}

describe('first logins of one device', () => {
  test('200 at once over two nodes give one player and 200 sessions', async () => {
    const sessions = await loginTogether(Array<string>(200).fill('raced'));
    expect(userIds(sessions).size).toBe(1);
    expect(await countPlayers('raced')).toBe(1);
    expect(new Set(sessions.map(({ refreshToken }) => refreshToken)).size).toBe(200);
    await Promise.all(sessions.map((session, n) => expectAlive(nodes[n % 2] ?? harness.app, session)));
  });

  // The schema does not forbid these (ADR 9).
  test.each([
    ['player without a device', 'players p left join devices x on x.player_id = p.id', 'x.player_id'],
    ['device without a player', 'devices d left join players x on x.id = d.player_id', 'x.id'],
    ['session without a player', 'sessions s left join players x on x.id = s.player_id', 'x.id'],
    ['session without a key', 'sessions s left join api_keys x on x.key_id = s.key_id', 'x.key_id'],
    [
      'player of another game than their device',
      'devices d left join players x on x.id = d.player_id and x.game_id = d.game_id',
      'x.id',
    ],
  ])('leave no %s behind', async (_what, tables, missing) => {
    const { rows } = await harness.pool.query(`select from ${tables} where ${missing} is null`);
    expect(rows).toEqual([]);
  });

  test('of many devices at once, in crossing orders: one player each, and none fails', async () => {
    for (let round = 0; round < 5; round++) {
      const devices = Array.from({ length: 150 }, (_, n) => `round-${round}-device-${n}`);
      const crossing = devices.flatMap((device, n) => [device, devices[devices.length - 1 - n] ?? device]);
      const sessions = await loginTogether(crossing);
      expect(userIds(sessions).size).toBe(devices.length);
      expect(new Set(sessions.map(({ deviceId, userId }) => `${deviceId} ${userId}`)).size).toBe(150);
    }
  });
});

describe('two nodes that meet the same new devices in opposite orders', () => {
  test('wait for one another instead of deadlocking', async () => {
    const devices = Array.from({ length: 9 }, (_, n) => `crossing-${n}`);
    await harness.login('bystander');
    const client = await harness.pool.connect();
    try {
      // Somebody holds the one in the middle, so that both nodes stop with some devices taken and some to go.
      await client.query('begin');
      await client.query(
        `insert into devices (game_id, device_id, player_id, created_at)
         select game_id, $1, player_id, created_at from devices where device_id = 'bystander'`,
        [devices[4]],
      );
      const [first, second] = nodes.map((app, node) =>
        Promise.all(
          (node === 0 ? devices : devices.toReversed()).map((device) => harness.login(device, app)),
        ),
      );
      await expect.poll(countWaiting).toBe(2);
      await client.query('rollback');
      expect(userIds([...((await first) ?? []), ...((await second) ?? [])]).size).toBe(devices.length);
    } finally {
      client.release();
    }
  });
});

async function countWaiting(): Promise<number> {
  const { rowCount } = await harness.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

describe('a device whose player was deleted by hand', () => {
  test('cannot log in any more, and no other device is affected', async () => {
    const { userId } = await harness.login('orphan');
    await harness.pool.query('delete from players where user_id = $1', [userId]);
    const logins = await Promise.allSettled([
      harness.login('neighbour-1'),
      harness.login('orphan'),
      harness.login('neighbour-2'),
    ]);
    expect(logins.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const { rows } = await harness.pool.query(
      "select from sessions where device_id = 'orphan' and player_id not in (select id from players)",
    );
    expect(rows).toHaveLength(1);
    await harness.pool.query("delete from sessions where device_id = 'orphan'");
    await harness.pool.query("delete from devices where device_id = 'orphan'");
    expect((await harness.login('orphan')).userId).not.toBe(userId);
  });
});

describe('a second login', () => {
  test('finds the same player, on any node, also after weeks', async () => {
    const first = await harness.login('returning');
    harness.clock.advance(60 * 86_400_000);
    const second = await harness.login('returning', nodes[1]);
    expect(second.userId).toBe(first.userId);
  });

  test('never ends the first session', async () => {
    const first = await harness.login('twice');
    const second = await harness.login('twice', nodes[1]);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    for (const app of nodes) {
      await expectAlive(app, first);
      await expectAlive(app, second);
    }
    await expectAlive(harness.app, await refreshed(harness.app, first.refreshToken));
    await expectAlive(harness.app, await refreshed(harness.app, second.refreshToken));
  });
});

describe('the same device id elsewhere', () => {
  test('in another tenant and in another game of one tenant is another player', async () => {
    const [rival, secondGame] = [
      await addStudio(harness, 'rival-studio', 'demo-game'),
      await addStudio(harness, 'demo-studio', 'second-game'),
    ];
    const sessions = await Promise.all([
      harness.login('shared'),
      rival.login('shared'),
      secondGame.login('shared'),
    ]);
    expect(userIds(sessions).size).toBe(3);
    expect(sessions.map(({ body }) => [body.tenantId, body.gameId])).toEqual([
      ['demo-studio', 'demo-game'],
      ['rival-studio', 'demo-game'],
      ['demo-studio', 'second-game'],
    ]);
  });

  test('with another key of the same game is the same player', async () => {
    const anotherKey = await addStudio(harness, 'demo-studio', 'demo-game');
    const [byFirst, bySecond] = [await harness.login('keys'), await anotherKey.login('keys')];
    expect(bySecond.userId).toBe(byFirst.userId);
  });

  test('a game that has published nothing has an empty store, not an error', async () => {
    const studio = await addStudio(harness, 'new-studio', 'new-game');
    const { playerConfig } = (await studio.login('first')).body;
    expect(playerConfig).toEqual({
      playerStatus: { isPayer: { value: false, defaultValue: false, expiredAt: null } },
      storeConfig: {
        activeSkus: [],
        lastUpdatedTimestamp: 0,
        userSpecificPromoId: null,
        fallbackConfig: null,
      },
    });
  });
});
