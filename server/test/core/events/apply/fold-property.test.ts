import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents, type EventOutcome } from '../../../../src/core/events/apply/apply-events.js';
import { checkEvents } from '../../../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../../../src/core/events/intake/event-record.js';
import { createHarness, type Harness } from '../../../support/harness.js';
import { runs } from '../../../support/property-runs.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PLAYERS = 3;

/** A generated event: `ageMs` before now, so that it means the same in every run. */
type Plan = { player: number; ageMs: number; event: Record<string, unknown> };

describe('folding events', () => {
  let harness: Harness;
  let gameId: number;
  let plays = 0;
  beforeAll(async () => {
    harness = await createHarness();
    const { rows } = await harness.pool.query<{ id: number }>('select id from games');
    gameId = rows[0]?.id ?? 0;
  });
  afterAll(() => harness.close());

  const insertPlayers = async (): Promise<string[]> => {
    const { rows } = await harness.pool.query<{ id: string }>(
      'insert into players (game_id, user_id, created_at) select $1, unnest($2::uuid[]), $3 returning id',
      [gameId, Array.from({ length: PLAYERS }, () => randomUUID()), new Date(harness.clock.now() - DAY_MS)],
    );
    return rows.map(({ id }) => id);
  };

  /** The plan as events of these players; transactions of two plays must not meet, so their ids tell the play. */
  const recordsOf = (plan: readonly Plan[], playerIds: readonly string[]): EventRecord[] => {
    const prefix = `${++plays}`.padStart(8, '0');
    return playerIds.flatMap((playerId, player) => {
      const events = plan
        .filter((planned) => planned.player === player)
        .map(({ ageMs, event }) => ({
          ...event,
          timestamp: new Date(harness.clock.now() - ageMs).toISOString(),
        }));
      // The same name in every play: of two purchases received at the same time the identity decides, which comes from it.
      const sender = { userId: `player-${player}` };
      const checked = checkEvents({ events, bytes: 0, suspicious: false }, sender, harness.clock.now());
      expect(checked.rejected).toEqual([]);
      return recordsOfPlayer(checked.events, { playerId, gameId }).map((record, n) => ({
        ...record,
        ...receivedLater(record, (7 * n) % 5),
        transaction: record.transaction && {
          ...record.transaction,
          transactionId: `${prefix}:${player}:${record.transaction.transactionId}`,
        },
      }));
    });
  };

  /** All that is kept of each player, but for what tells one play from another. */
  const outcome = async (playerIds: readonly string[]) => {
    const { rows } = await harness.pool.query(
      `select to_jsonb(p) - '{id,user_id,created_at}'::text[] as player,
         (select jsonb_agg(to_jsonb(d) - 'player_id' order by d.day) from player_days d where d.player_id = p.id) as days,
         (select jsonb_agg(to_jsonb(t) - '{player_id,transaction_id}'::text[]
              || jsonb_build_object('id', substr(t.transaction_id, 10)) order by substr(t.transaction_id, 10))
            from transactions t where t.player_id = p.id) as transactions,
         (select jsonb_agg(to_jsonb(m) - 'player_id' order by m.promo_id)
            from player_promotions m where m.player_id = p.id and m.purchases <> 0) as promotions,
         (select count(*)::int from events e where e.player_id = p.id) as stored
       from players p where p.id = any($1::bigint[]) order by p.id`,
      [playerIds],
    );
    return rows;
  };

  it('gives the same rows in any order, any grouping and with any repetition', async () => {
    await fc.assert(
      fc.asyncProperty(plans(), deliveries(), async (plan, delivery) => {
        const [inOrder, shaken] = [await insertPlayers(), await insertPlayers()];
        for (const record of recordsOf(plan, inOrder))
          expect(await applyEvents(harness.pool, [record])).toEqual(['new']);

        const records = recordsOf(plan, shaken);
        const outcomes: EventOutcome[] = [];
        for (const groups of deliver(records, delivery)) {
          const results = await Promise.all(groups.map((group) => applyEvents(harness.pool, group)));
          outcomes.push(...results.flat());
        }
        expect(outcomes.filter((outcome) => outcome === 'new')).toHaveLength(records.length);
        expect(await outcome(shaken)).toEqual(await outcome(inOrder));
      }),
      { numRuns: runs(15) },
    );
  });

  it("leaves the game's days at the sums of its players' days", async () => {
    const sums = (table: string, from: string) => `
      select day::text, sum(events)::int as events, sum(sessions)::int as sessions, sum(play_ms)::float8 as play_ms,
        sum(purchases)::int as purchases, jsonb_total(revenue) as revenue,
        ${table}::int as active
      from ${from} group by day order by day`;
    const players = await harness.pool.query(sums('count(*) filter (where events > 0)', 'player_days'));
    const games = await harness.pool.query(sums('sum(active_players)', 'game_days'));
    expect(games.rows.length).toBeGreaterThan(1);
    expect(games.rows.map(withoutZeros)).toEqual(players.rows.map(withoutZeros));
    const types = (from: string) =>
      harness.pool.query(
        `select day::text, event_type, sum(n)::int as n from ${from} group by 1, 2 order by 1, 2`,
      );
    const ofPlayers = await types(
      '(select day, key as event_type, value::int as n from player_days cross join jsonb_each_text(event_counts)) t',
    );
    const ofGames = await types('(select day, event_type, events as n from game_event_types) t');
    expect(ofGames.rows).toEqual(ofPlayers.rows);
  });
});

/** Not in the order of the plan: of two purchases with one id the one received first counts. */
function receivedLater({ receivedAtMs, effectiveAtMs }: EventRecord, ms: number) {
  const countsAtReceipt = effectiveAtMs === receivedAtMs;
  return { receivedAtMs: receivedAtMs + ms, effectiveAtMs: effectiveAtMs + (countsAtReceipt ? ms : 0) };
}

/** A currency whose every purchase was refunded is zero in one sum and absent from the other. */
function withoutZeros(row: { revenue: Record<string, number> }) {
  return { ...row, revenue: Object.fromEntries(Object.entries(row.revenue).filter(([, sum]) => sum !== 0)) };
}

function plans(): fc.Arbitrary<Plan[]> {
  const plan = fc.record({
    player: fc.nat(PLAYERS - 1),
    // Coarse, so that times meet; two of them lie so far off that the clock is not believed.
    ageMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }).map((n) => n * 12 * 60 * MINUTE_MS) },
      fc.constantFrom(-30 * MINUTE_MS, -120 * MINUTE_MS, 200 * DAY_MS, 20_000 * DAY_MS, 85 * DAY_MS),
    ),
    event: fc.oneof(plainEvents(), purchases(), refunds()),
  });
  // Each event is named or not; a name is never used for two different events.
  return fc
    .array(fc.tuple(plan, fc.boolean()), { minLength: 1, maxLength: 30 })
    .map((planned) =>
      planned.map(([each, named], n) =>
        named ? { ...each, event: { ...each.event, eventId: `event-${n}` } } : each,
      ),
    );
}

const plainEvents = () =>
  fc.record({
    eventType: fc.constantFrom('Ad_Impression', 'Session_Start', 'Session_End', 'Store_View', 'Custom'),
    payload: fc.record({ durationMs: fc.constantFrom(0, 1_000, 90_000_000) }),
    metadata: fc.record({
      osVersion: fc.constantFrom('15', '16'),
      country: fc.constantFrom('DE', 'JP'),
      source: fc.constantFrom('ads', 'friends', ''),
      clientBuild: fc.constantFrom('1.0', '1.1'),
    }),
  });

const transactionIds = () => fc.constantFrom('t1', 't2', 't3');

const purchases = () =>
  fc.record({
    eventType: fc.constant('Purchase'),
    payload: fc.record(
      {
        transactionId: transactionIds(),
        skuId: fc.constantFrom('gems', 'pass'),
        price: fc.constantFrom(0.1, 0.2, '4.99', 500),
        currency: fc.constantFrom('USD', 'EUR'),
        promoId: fc.constantFrom('spring', 'autumn'),
      },
      { requiredKeys: ['price', 'currency'] },
    ),
  });

const refunds = () =>
  fc.record({
    eventType: fc.constant('Refund'),
    payload: fc.record({ transactionId: transactionIds() }),
  });

type Delivery = { order: number[]; repeated: number[]; groupSizes: number[]; maxConcurrent: boolean };

function deliveries(): fc.Arbitrary<Delivery> {
  return fc.record({
    order: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
    repeated: fc.array(fc.nat(), { maxLength: 20 }),
    groupSizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 }),
    maxConcurrent: fc.boolean(),
  });
}

/** Everything at least once, some of it again, shuffled and cut into groups that run alone or in pairs. */
function deliver<T>(items: readonly T[], { order, repeated, groupSizes, maxConcurrent }: Delivery): T[][][] {
  const copies = repeated.flatMap((n) => items[n % items.length] ?? []);
  const shuffled = [...items, ...copies]
    .map((item, n) => ({ item, rank: order[n % order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
  const groups: T[][] = [];
  for (let at = 0; at < shuffled.length; ) {
    const size = groupSizes[groups.length % groupSizes.length] ?? 1;
    groups.push(shuffled.slice(at, at + size));
    at += size;
  }
  if (!maxConcurrent) return groups.map((group) => [group]);
  return Array.from({ length: Math.ceil(groups.length / 2) }, (_, n) => groups.slice(2 * n, 2 * n + 2));
}
