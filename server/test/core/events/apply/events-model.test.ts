import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { checkEvents } from '../../../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../../../src/core/events/intake/event-record.js';
import { createGameWorld, DAY_MS, type GameWorld, type TestPlayer } from '../../../support/game-world.js';

const START = Date.parse('2026-11-15T12:00:00.000Z');
const PLAYERS = 2;

/** How an event is recognised when it is sent again. */
type Naming =
  | { kind: 'seq'; install: string; seq: number }
  | { kind: 'name'; eventId: string }
  | { kind: 'content' };
type Sent = { eventType: string; n: number; ageDays: number; naming: Naming };
type Delivery = {
  player: number;
  events: readonly Sent[];
  copies: number;
  isReversed: boolean;
  afterDays: number;
};

/** Any batches, retries, partial retries, reorderings and installs give the row that a set of keys gives. */
describe('events against a model in memory', () => {
  let world: GameWorld;
  let gameId: number;
  beforeAll(async () => {
    world = await createGameWorld();
    gameId = await world.addGame('game');
  });
  afterAll(() => world.close());

  const recordsOf = (player: TestPlayer, sent: readonly Sent[], nowMs: number): EventRecord[] => {
    const installs = new Map<string | null, Sent[]>();
    for (const each of sent) {
      const install = each.naming.kind === 'seq' ? each.naming.install : null;
      installs.set(install, [...(installs.get(install) ?? []), each]);
    }
    return [...installs].flatMap(([installId, events]) => {
      const checked = checkEvents(
        { events: events.map(toEvent), bytes: 0, suspicious: false },
        { userId: player.userId, installId },
        nowMs,
      );
      expect(checked.rejected).toEqual([]);
      return recordsOfPlayer(checked.events, player, { installId, clientBuild: null });
    });
  };

  const stateOf = async ({ playerId }: TestPlayer) => {
    const { rows } = await world.pool.query<{
      counts: Record<string, number>;
      days: number;
      stored: number;
      seen: string[];
    }>(
      `select p.event_counts as counts,
         (select coalesce(sum(d.events), 0)::int from player_days d where d.player_id = p.id) as days,
         (select count(*)::int from events e where e.player_id = p.id) as stored,
         array(select i.install_id || i.seen::text from event_installs i where i.player_id = p.id order by 1) as seen
       from players p where p.id = $1`,
      [playerId],
    );
    return rows[0];
  };

  it('agree after every delivery', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries(), async (plan) => {
        const players = await world.addPlayers(
          gameId,
          Array.from({ length: PLAYERS }, () => START - DAY_MS),
        );
        const models = players.map(() => createModel());
        let nowMs = START;
        for (const { player: index, events, copies, isReversed, afterDays } of plan) {
          const player = players[index] as TestPlayer;
          const model = models[index] as Model;
          nowMs += afterDays * DAY_MS + 1;
          const batch = isReversed ? events.toReversed() : events;
          const records = recordsOf(player, batch, nowMs);
          const applied = await Promise.all(
            Array.from({ length: copies }, () => applyEvents(world.pool, records)),
          );
          const fresh = applied.flat().filter((outcome) => outcome === 'new').length;
          expect(fresh).toBe(model.add(batch));
          expect(await stateOf(player)).toEqual(model.state());
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** The time of an event does not depend on when it is sent. */
function toEvent({ eventType, n, ageDays, naming }: Sent) {
  return {
    eventType,
    timestamp: new Date(START - ageDays * DAY_MS).toISOString(),
    payload: { n },
    ...(naming.kind === 'seq' ? { seq: naming.seq } : {}),
    ...(naming.kind === 'name' ? { eventId: naming.eventId } : {}),
  };
}

type Model = { add(batch: readonly Sent[]): number; state(): unknown };

function createModel(): Model {
  const known = new Set<string>();
  const counts: Record<string, number> = {};
  const installs = new Map<string, Set<number>>();
  return {
    add(batch) {
      const before = known.size;
      const ordinals = new Map<string, number>();
      for (const each of batch) {
        const key = keyOf(each, ordinals);
        if (known.has(key)) continue;
        known.add(key);
        counts[each.eventType] = (counts[each.eventType] ?? 0) + 1;
        if (each.naming.kind !== 'seq') continue;
        const { install, seq } = each.naming;
        installs.set(install, (installs.get(install) ?? new Set()).add(seq));
      }
      return known.size - before;
    },
    state: () => ({
      counts,
      days: known.size,
      stored: known.size,
      seen: [...installs].map(([install, seen]) => install + asRanges(seen)).sort(),
    }),
  };
}

/** Identical events without a name are told apart by their place among them. */
function keyOf({ eventType, n, ageDays, naming }: Sent, ordinals: Map<string, number>): string {
  if (naming.kind === 'seq') return `seq ${naming.install} ${naming.seq}`;
  if (naming.kind === 'name') return `name ${naming.eventId}`;
  const content = `content ${eventType} ${n} ${ageDays}`;
  const ordinal = ordinals.get(content) ?? 0;
  ordinals.set(content, ordinal + 1);
  return `${content} ${ordinal}`;
}

function asRanges(numbers: ReadonlySet<number>): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const starts = sorted.filter((number) => !numbers.has(number - 1));
  const ends = sorted.filter((number) => !numbers.has(number + 1));
  return `{${starts.map((start, n) => `[${start},${(ends[n] ?? 0) + 1})`).join(',')}}`;
}

function deliveries(): fc.Arbitrary<Delivery[]> {
  const naming: fc.Arbitrary<Naming> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('seq' as const),
        install: fc.constantFrom('a', 'b'),
        seq: fc.integer({ min: 1, max: 12 }),
      }),
    },
    fc.record({ kind: fc.constant('name' as const), eventId: fc.constantFrom('x', 'y', 'z') }),
    fc.constant({ kind: 'content' as const }),
  );
  const sent: fc.Arbitrary<Sent> = fc.record({
    eventType: fc.constantFrom('Custom', 'Session_Start'),
    n: fc.nat(1),
    // Some of them so long ago that the clock is not believed.
    ageDays: fc.constantFrom(0, 1, 40, 200),
    naming,
  });
  return fc.array(
    fc.record({
      player: fc.nat(PLAYERS - 1),
      events: fc.array(sent, { minLength: 1, maxLength: 8 }),
      copies: fc.integer({ min: 1, max: 3 }),
      isReversed: fc.boolean(),
      // Into the next generation of identities, and the one after it.
      afterDays: fc.constantFrom(0, 0, 30, 95),
    }),
    { minLength: 1, maxLength: 8 },
  );
}
