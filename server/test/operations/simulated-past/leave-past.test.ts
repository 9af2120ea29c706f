import { afterAll, beforeAll, expect, it } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { leavePast, type SimulatedPast } from '../../../src/operations/simulated-past/leave-past.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, testActor } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

const HOUR_MS = DAY_MS / 24;
const MINUTE_MS = HOUR_MS / 60;
const DEVICES = ['sim-1-0', 'sim-1-1', 'sim-1-2'];

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
});
afterAll(() => harness.close());

/** Noon of a day before today. */
const noon = (daysAgo: number) =>
  Math.floor(harness.clock.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS + DAY_MS / 2;
const day = (daysAgo: number) => new Date(noon(daysAgo)).toISOString().slice(0, 10);

/** Two sessions of an old day, one of the day after, a clock that is wrong by a year; the number 3 never arrives. */
function batch(device: string): object[] {
  const event = (seq: number, ms: number, eventType = 'Session_Start', payload: object = {}) => ({
    ...{ seq, eventType, timestamp: new Date(ms).toISOString(), payload },
    metadata: { country: 'DE', clientBuild: '1.0' },
  });
  return [
    event(1, noon(20)),
    event(2, noon(20) + 5 * MINUTE_MS, 'Purchase', {
      ...{ transactionId: `order-of-${device}`, skuId: 'gems', price: 4.99, currency: 'USD' },
    }),
    event(4, noon(20) + 3 * HOUR_MS),
    event(5, noon(19)),
    event(6, noon(400)),
    event(7, harness.clock.now() - MINUTE_MS),
  ];
}

type World = Readonly<{
  gameId: number;
  send: (device: string) => Promise<unknown>;
  past: SimulatedPast;
}>;

/** A game in which three simulated players and two real ones have sent the same. */
async function play(game: string): Promise<World> {
  const studio = await addStudio(harness, `studio-of-${game}`, game);
  const gameId = (await findGame(harness.pool, `studio-of-${game}`, game))?.id ?? 0;
  await harness.pool.query(
    `insert into config_versions (game_id, version, document, author, published_at)
     select $1, 1, document, 'ada', $2 from config_versions limit 1`,
    [gameId, new Date(harness.clock.now() - MINUTE_MS)],
  );
  await harness.pool.query('update games set published_version = 1 where id = $1', [gameId]);
  const send = async (device: string) => {
    const session = await studio.login(device);
    const headers = { ...session.headers, 'x-install-id': `install-of-${device}` };
    const response = await postEvents(harness.app, { ...session, headers }, batch(device));
    expect(response.statusCode, response.body).toBe(202);
    return response.json().data;
  };
  for (const device of [...DEVICES, 'phone']) await send(device);
  // The studio's server has attached this device to a real player.
  await send('sim-1-3');
  await harness.pool.query(
    `update devices set attached_at = now() where game_id = $1 and device_id = 'sim-1-3'`,
    [gameId],
  );
  const begunMs = harness.clock.now();
  const past = {
    ...{ gameId, run: 'sim-1', deviceIds: [...DEVICES, 'sim-1-3'], begunMs, firstMs: noon(21) },
    actor: testActor(begunMs),
    playersPerTransaction: 1,
  };
  return { gameId, send, past };
}

const REAL = "device_id in ('phone', 'sim-1-3')";

async function rowsOf(gameId: number, whose: string) {
  const of = `(select player_id from devices where game_id = $1 and ${whose})`;
  const all = async (sql: string) => (await harness.pool.query(sql, [gameId])).rows;
  return {
    events: await all(
      `select player_id, seq, event_type, occurred_at, clock_suspect, payload, metadata from events where player_id in ${of} order by 1, 2`,
    ),
    receipts: await all(
      `select player_id, seq, (received_at at time zone 'UTC')::date::text as day, received_at - occurred_at <= interval '10 minutes' as "isPrompt"
       from events where player_id in ${of} order by 1, 2`,
    ),
    players: await all(
      `select (to_jsonb(p) - 'created_at')::text as row from players p where id in ${of} order by id`,
    ),
    created: await all(
      `select p.created_at as player, d.created_at as device from players p join devices d on d.player_id = p.id where p.id in ${of} order by p.id`,
    ),
    purchases: await all(`select * from transactions where player_id in ${of} order by player_id`),
    gaps: await all(`select * from event_gaps where player_id in ${of} order by player_id`),
  };
}

it('gives simulated players a past, in which nothing counts otherwise, and leaves real players alone', async () => {
  const { gameId, past, send } = await play('whole');
  const simulated = `not (${REAL})`;
  const before = await rowsOf(gameId, simulated);
  const real = await rowsOf(gameId, REAL);

  // Four of the six events are old, and their clock is believed.
  expect(await leavePast(harness.pool, past)).toEqual({
    ...{ players: 3, events: 12, purchases: 3, isPublicationMoved: true },
  });

  const after = await rowsOf(gameId, simulated);
  expect(after.events).toEqual(before.events);
  expect(after.players).toEqual(before.players);
  const today = day(0);
  const dayOf = after.receipts.slice(0, 6).map((row) => row.day);
  expect(dayOf).toEqual([day(20), day(20), day(20), day(19), today, today]);
  expect(after.receipts.filter(({ isPrompt }) => isPrompt)).toHaveLength(15);
  for (const { player, device } of after.created) expect([player, device]).toEqual([noon(20), noon(20)]);
  const receivedAt = noon(20) + 5 * MINUTE_MS + 1_000;
  expect(after.purchases.map((row) => row.received_at)).toEqual([receivedAt, receivedAt, receivedAt]);
  // The number after the gap came three hours later.
  expect(after.gaps.map((row) => row.noticed_at)).toEqual(Array(3).fill(noon(20) + 3 * HOUR_MS + 1_000));
  expect(await rowsOf(gameId, REAL)).toEqual(real);

  const { rows } = await harness.pool.query(
    'select published_at as "publishedAt", (select count(*)::int from audit_log where game_id = $1 and action = $2) as entries from config_versions where game_id = $1',
    [gameId, 'simulation.past'],
  );
  expect(rows).toEqual([{ publishedAt: noon(21), entries: 1 }]);
  expect((await recountGame(harness.pool, gameId)).differences).toEqual([]);

  // What is sent again is known, and there is nothing left to move.
  expect(await send('sim-1-0')).toMatchObject({ accepted: 0 });
  expect(await leavePast(harness.pool, past)).toMatchObject({ players: 0, events: 0 });
  expect(await rowsOf(gameId, simulated)).toEqual(after);
});

it('goes on after it was killed, with the players who have no past yet', async () => {
  const { gameId, past } = await play('killed');
  const killed = leavePast(harness.pool, {
    ...past,
    onProgress(done) {
      if (done === 2) throw new Error('killed');
    },
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await leavePast(harness.pool, past)).toMatchObject({ players: 1, events: 4 });
  const { receipts } = await rowsOf(gameId, `not (${REAL})`);
  expect(receipts.filter(({ isPrompt }) => isPrompt)).toHaveLength(15);
  expect((await recountGame(harness.pool, gameId)).differences).toEqual([]);
});

it('puts nothing on days that retention has passed, and moves no publication that players have seen', async () => {
  const { gameId, past } = await play('kept');
  await harness.pool.query('update games set events_deleted_before = $2 where id = $1', [gameId, day(19)]);
  await harness.pool.query(
    `update players set created_at = created_at - interval '1 hour' where id in (select player_id from devices where game_id = $1 and device_id = 'phone')`,
    [gameId],
  );
  expect(await leavePast(harness.pool, past)).toMatchObject({ events: 3, isPublicationMoved: false });
  const { receipts } = await rowsOf(gameId, `not (${REAL})`);
  expect(receipts.slice(0, 6).map((row) => row.day)).toEqual([
    day(0),
    day(0),
    day(0),
    day(19),
    day(0),
    day(0),
  ]);
});
