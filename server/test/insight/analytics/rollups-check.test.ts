import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { compactRollups } from '../../../src/insight/analytics/compact-rollups.js';
import { type RecountProgress, recountGame } from '../../../src/insight/analytics/recount.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { runs } from '../../support/property-runs.js';
import { addServerKey, call } from '../../support/server-calls.js';
import { addStudio } from '../../support/session-calls.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PLAYERS = 3;

type Event = Record<string, unknown>;

describe('the check of the roll-ups', () => {
  let harness: Harness;
  let second: FastifyInstance;
  let gameId: number;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    second = (await harness.addNode()).app;
    gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
  });
  afterAll(() => harness.close());

  const newPlayer = () => harness.login(`device-${++devices}`);
  const send = async (session: Session, events: readonly Event[], node = harness.app) => {
    const response = await postEvents(node, session, events);
    expect(response.statusCode, response.body).toBe(202);
  };
  const check = () => recountGame(harness.pool, gameId);
  const at = (ageMs: number) => new Date(harness.clock.now() - ageMs).toISOString();

  it('agrees with countries of either case', async () => {
    const player = await newPlayer();
    for (const country of ['de', 'De', 'JP', 'jp']) {
      await send(player, [{ eventType: 'T', timestamp: at(0), payload: {}, metadata: { country } }]);
    }
    expect((await check()).differences).toEqual([]);
  });

  it.each(['country', 'locale', 'osName', 'osVersion', 'deviceType', 'currency', 'source'])(
    'agrees with an event whose metadata tells the %s',
    async (member) => {
      const metadata = { [member]: member === 'currency' ? 'EUR' : 'DE' };
      await send(await newPlayer(), [{ eventType: 'T', timestamp: at(0), payload: {}, metadata }]);
      expect((await check()).differences).toEqual([]);
    },
  );

  it.each(['more', 'less'] as const)('finds every counter that is changed to %s', async (direction) => {
    const studio = await addStudio(harness, 'tampered', direction);
    const game = (await findGame(harness.pool, 'tampered', direction))?.id ?? 0;
    const metadata = { country: 'DE', osName: 'iOS', clientBuild: '1.0', currency: 'EUR', source: 'ads' };
    const purchase = (currency: string) => ({ transactionId: currency, price: '4.99', currency });
    const player = await studio.login('device');
    await send(player, [
      { eventType: 'Session_Start', timestamp: at(0), payload: {}, metadata },
      { eventType: 'Session_End', timestamp: at(DAY_MS), payload: { durationMs: 1_000 } },
      { eventType: 'Ad_Impression', timestamp: at(0), payload: {} },
      { eventType: 'Store_View', timestamp: at(0), payload: {} },
      { eventType: 'Purchase', timestamp: at(0), payload: purchase('USD') },
      { eventType: 'Purchase', timestamp: at(DAY_MS), payload: purchase('EUR') },
    ]);
    const { headers } = await addServerKey(harness, { tenant: 'tampered', game: direction });
    const proved = {
      userId: player.userId,
      eventType: 'Purchase',
      timestamp: at(0),
      payload: { ...purchase('USD'), transactionId: 'proved' },
    };
    const url = '/v1/server/events';
    const response = await call(harness.app, { method: 'POST', url, headers, payload: [proved] });
    expect(response.statusCode, response.body).toBe(202);
    expect((await recountGame(harness.pool, game)).differences).toEqual([]);

    const counters = await listCounters(harness);
    expect(counters.length).toBeGreaterThan(30);
    for (const counter of counters) await tamper(harness, game, counter, changeOf(counter, direction));
    const { differences } = await recountGame(harness.pool, game);
    // Types and currencies are shown as a part of the day.
    const found = differences.map(({ table, name }) =>
      name.startsWith('event_types.') ? 'game_event_types.events' : `${table}.${name.replace(/\..*/, '')}`,
    );
    expect([...new Set(found)].sort()).toEqual(
      counters.map(({ table, column }) => `${table}.${column}`).sort(),
    );
    expect(differences).toHaveLength(counters.length);
  });

  it('agrees with whatever the service was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batches(), { minLength: 1, maxLength: 8 }), async (sent) => {
        const players = await Promise.all(Array.from({ length: PLAYERS }, newPlayer));
        for (const { player, plans, repeats, isOnSecondNode, passedMs, isCompacted } of sent) {
          const session = players[player] as Session;
          const events = plans.map(({ ageMs, micros, event }) => ({
            ...event,
            timestamp: at(ageMs).replace('Z', `${micros}Z`),
          }));
          await send(session, events);
          harness.clock.advance(passedMs);
          // A part of the batch once more, at another time and at another node.
          const again = repeats.map((n) => events[n % events.length] as Event);
          if (again.length > 0) await send(session, again, isOnSecondNode ? second : harness.app);
          if (isCompacted) await compactRollups(harness.pool, harness.clock.now() + 30 * DAY_MS);
        }
        // Some players at a time give what all at once give.
        expect((await recountGame(harness.pool, gameId, { playersPerRange: 2 })).differences).toEqual([]);
        expect((await check()).differences).toEqual([]);
      }),
      // Each case leaves its events to the next ones, so a smaller case would not be the same.
      { numRuns: runs(8), endOnFailure: true },
    );
  });

  it('finds what differs in every range of players, and tells how far it is', async () => {
    const studio = await addStudio(harness, 'ranges', 'ranges');
    const game = (await findGame(harness.pool, 'ranges', 'ranges'))?.id ?? 0;
    for (let player = 0; player < 5; player++) {
      await send(await studio.login(`device-${player}`), [{ eventType: 'T', timestamp: at(0), payload: {} }]);
    }
    const steps: RecountProgress[] = [];
    const recount = () =>
      recountGame(harness.pool, game, { playersPerRange: 2, onProgress: (step) => steps.push(step) });
    expect(await recount()).toMatchObject({ events: 5, players: 5, differences: [] });
    expect(steps.filter(({ step }) => step === 'players')).toEqual(
      [0, 1, 2].map((done) => ({ step: 'players', done, total: 3 })),
    );
    const read = steps.filter(({ step }) => step === 'events');
    expect(read[0]).toMatchObject({ done: 0 });
    expect(read.every(({ done, total }) => done <= total)).toBe(true);

    await harness.pool.query('update players set event_count = event_count + 1 where game_id = $1', [game]);
    const { differences, differenceCount } = await recount();
    expect(differenceCount).toBe(5);
    expect(new Set(differences.map(({ key }) => key)).size).toBe(5);
  });

  it('finds a day that nothing tells of, and one that is gone', async () => {
    const { userId } = await newPlayer();
    const insertDay = (column: string) =>
      harness.pool.query(
        `insert into player_days (player_id, day, ${column}) select id, $2::date + 1, $3 from players where user_id = $1`,
        [userId, '2001-01-01', column === 'revenue' ? { USD: 1 } : 1],
      );
    for (const column of ['sessions', 'play_ms', 'revenue']) {
      await insertDay(column);
      expect((await check()).differences).toMatchObject([
        { table: 'player_days', key: `${userId} 2001-01-02`, name: column },
      ]);
      await harness.pool.query(`delete from player_days where day = '2001-01-02'`);
    }
    await harness.pool.query('delete from game_days where game_id = $1 and events > 0', [gameId]);
    expect((await check()).differenceCount).toBeGreaterThan(0);
  });
});

type Counter = { table: string; column: string; type: string };

/**
 * Every column of the tables that events keep, but for those that say whose the row is. Some are not recounted: which names are time
 * zones is known to Node and not to PostgreSQL, how own attributes are folded, too, and refunds of before the column are not in the refunded
 * revenue.
 */
async function listCounters({ pool }: Harness): Promise<Counter[]> {
  const { rows } = await pool.query<Counter>(
    `select attrelid::regclass::text as table, attname as column, format_type(atttypid, atttypmod) as type
     from pg_attribute
     where attrelid = any('{game_days,game_event_types,game_cohorts,player_days,players}'::regclass[])
       and attnum > 0 and not attisdropped
       and attname <> all('{game_id,player_id,day,event_type,cohort_day,active_day,shard}'::text[])
       and not (attrelid = 'players'::regclass
         and attname = any('{id,user_id,created_at,overrides_at,stays_at,age_group,age_group_at,erase_requested_at,time_zone,own_attributes,own_attributes_version}'::text[]))
       and attname <> 'refunded_revenue'
     order by 1, 2`,
  );
  return rows;
}

/** An expression that makes another value of `old`. */
function changeOf({ table, column, type }: Counter, direction: 'more' | 'less'): string {
  const isMore = direction === 'more';
  switch (type) {
    case 'bigint':
    case 'integer':
      return isMore ? 'old + 1' : 'old - 1';
    case 'text':
      return isMore ? "old || 'x'" : 'null::text';
    case 'date':
      return isMore ? 'old + 1' : 'null::date';
    case 'timestamp with time zone':
      return isMore ? "old + interval '1 second'" : 'null::timestamptz';
    case 'datemultirange':
      return isMore ? "old + '{[2001-01-01,2001-01-02)}'::datemultirange" : "'{}'::datemultirange";
    case 'jsonb':
      return isMore ? `old || '{"XXX": 1}'` : 'old - (select min(k) from jsonb_object_keys(old) k)';
    default:
      throw new Error(`how is ${table}.${column} of type ${type} changed?`);
  }
}

/** Changes one value of the game that is not empty. */
async function tamper({ pool }: Harness, gameId: number, { table, column }: Counter, change: string) {
  const isOfGame =
    table === 'player_days' ? 'player_id in (select id from players where game_id = $1)' : 'game_id = $1';
  const { rowCount } = await pool.query(
    `update ${table} set ${column} = (select ${change} from (select ${column} as old) o)
     where ctid = (
       select ctid from ${table}
       where ${isOfGame} and ${column}::text not in ('0', '{}') order by ${column}::text desc limit 1
     )`,
    [gameId],
  );
  expect(rowCount, `${table}.${column}`).toBe(1);
}

type Batch = {
  player: number;
  plans: { ageMs: number; micros: string; event: Event }[];
  repeats: number[];
  isOnSecondNode: boolean;
  passedMs: number;
  isCompacted: boolean;
};

function batches(): fc.Arbitrary<Batch> {
  const plan = fc.record({
    // Coarse, so that times meet.
    ageMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }).map((n) => n * 6 * HOUR_MS) },
      // late, and a little ahead
      { weight: 1, arbitrary: fc.constantFrom(40 * DAY_MS, 89 * DAY_MS, -30 * MINUTE_MS) },
      // clocks that are not believed
      { weight: 1, arbitrary: fc.constantFrom(-2 * HOUR_MS, -400 * DAY_MS, 91 * DAY_MS, 9_000 * DAY_MS) },
    ),
    micros: fc.constantFrom('', '', '001', '999'),
    event: fc.oneof(plainEvents(), plainEvents(), purchases(), refunds()),
  });
  return fc.record({
    player: fc.nat(PLAYERS - 1),
    // Of so few kinds of events that duplicates within a batch are common.
    plans: fc.array(plan, { minLength: 1, maxLength: 12 }),
    repeats: fc.array(fc.nat(), { maxLength: 6 }),
    isOnSecondNode: fc.boolean(),
    // Tokens live for an hour.
    passedMs: fc.constantFrom(0, 1, MINUTE_MS, 5 * MINUTE_MS),
    isCompacted: fc.boolean(),
  });
}

/** Few enough that one name is used for several events, at several times. */
const eventIds = () => fc.constantFrom('a', 'b', 'c');

const plainEvents = (): fc.Arbitrary<Event> =>
  fc.record(
    {
      eventType: fc.constantFrom('Ad_Impression', 'Session_Start', 'Session_End', 'Store_View', 'Custom'),
      payload: fc.record({ durationMs: fc.constantFrom(0, 0.5, 1_000.5, 90_000_000) }),
      metadata: fc.record(
        {
          country: fc.constantFrom('DE', 'JP', 'jp', ''),
          source: fc.constantFrom('ads', 'Ads', 'friends', ''),
          locale: fc.constantFrom('de-DE', 'ja'),
          osName: fc.constantFrom('iOS', 'Android'),
          clientBuild: fc.constantFrom('1.9', '1.10'),
          osVersion: fc.constantFrom('15', '16', '', 'x'.repeat(64), 'x'.repeat(65), '😀'.repeat(64)),
          deviceType: fc.constantFrom('phone', 'tablet'),
          currency: fc.constantFrom('USD', 'EUR'),
          other: fc.constantFrom(1, null),
        },
        { requiredKeys: [] },
      ),
      eventId: eventIds(),
    },
    { requiredKeys: ['eventType', 'payload'] },
  );

/** Of several players, too. */
const transactionIds = () => fc.constantFrom('t1', 't2', 't3', 't4');

const purchases = (): fc.Arbitrary<Event> =>
  fc.record(
    {
      eventType: fc.constant('Purchase'),
      payload: fc.oneof(
        fc.record(
          {
            transactionId: transactionIds(),
            skuId: fc.constantFrom('gems', 'pass'),
            price: fc.constantFrom(0, 0.1, '0.20', '4.99', 500),
            currency: fc.constantFrom('USD', 'EUR'),
          },
          { requiredKeys: ['price', 'currency'] },
        ),
        // a purchase of which nothing is told
        fc.record({ transactionId: transactionIds() }, { requiredKeys: [] }),
      ),
      metadata: fc.record({ currency: fc.constantFrom('USD', 'JPY') }),
      eventId: eventIds(),
    },
    { requiredKeys: ['eventType', 'payload'] },
  );

const refunds = (): fc.Arbitrary<Event> =>
  fc.record({ eventType: fc.constant('Refund'), payload: fc.record({ transactionId: transactionIds() }) });
