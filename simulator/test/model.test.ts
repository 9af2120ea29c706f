import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Life, lifeOf } from '../src/model/life.js';
import { randomFrom } from '../src/model/random.js';
import { eventsOf } from '../src/model/session-events.js';
import { DAY_MS, firstDayMs, type Simulation, startOfDay } from '../src/model/simulation.js';
import { addTally, emptyTally, tallyOf, total } from '../src/model/tally.js';

const FIRST_NUMBERS = [944244, 983882, 77812, 251664, 373866];
const END_MS = Date.UTC(2026, 10, 15, 17, 30);
const AFTER_MIDNIGHT_MS = Date.UTC(2026, 10, 15, 0, 30);
const SIMULATION: Simulation = { seed: 42, players: 4_000, days: 60, endMs: END_MS };

const simulations = fc.record({
  seed: fc.nat(),
  players: fc.integer({ min: 1, max: 50 }),
  days: fc.integer({ min: 1, max: 80 }),
  endMs: fc.integer({ min: END_MS - 400 * DAY_MS, max: END_MS }),
});

const livesOf = (simulation: Simulation): Life[] =>
  Array.from({ length: simulation.players }, (_, index) => lifeOf(simulation, index));
const dayOf = (ms: number) => startOfDay(ms) / DAY_MS;

describe('the random numbers', () => {
  it('follow from their keys, and from every one of them', () => {
    const draw = (...keys: number[]) => {
      const random = randomFrom(...keys);
      return Array.from({ length: 5 }, random);
    };
    expect(draw(1, 2, 3)).toEqual(draw(1, 2, 3));
    const others = [draw(1, 2), draw(1, 2, 4), draw(2, 2, 3), draw(1, 3, 2), draw(2 ** 32 + 1, 2, 3)];
    for (const other of others) expect(other).not.toEqual(draw(1, 2, 3));
    // The same on every machine: a change here changes every recorded simulation.
    expect(draw(1, 2, 3).map((value) => Math.floor(value * 1e6))).toEqual(FIRST_NUMBERS);
  });

  it('are spread evenly', () => {
    const counts = new Array<number>(10).fill(0);
    for (let key = 0; key < 20_000; key++) {
      const at = Math.floor(randomFrom(7, key)() * 10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(200);
  });
});

describe('a life', () => {
  it('is the same for the same seed, and another for another', () => {
    fc.assert(
      fc.property(simulations, fc.nat(49), (simulation, index) => {
        const [first, again] = [lifeOf(simulation, index), lifeOf(simulation, index)];
        expect(again).toEqual(first);
        for (const session of first.sessions)
          expect(eventsOf(again, session)).toEqual(eventsOf(first, session));
      }),
      { numRuns: 60 },
    );
    const other = livesOf({ ...SIMULATION, players: 20, seed: 43 });
    expect(other).not.toEqual(livesOf({ ...SIMULATION, players: 20 }));
  });

  it('is played before the end, one session after the other, by every player', () => {
    fc.assert(
      fc.property(simulations, (simulation) => {
        for (const { sessions } of livesOf(simulation)) {
          expect(sessions.length).toBeGreaterThan(0);
          for (const [at, { startMs, durationMs, install }] of sessions.entries()) {
            expect(startMs + durationMs).toBeLessThan(simulation.endMs);
            const before = sessions[at - 1];
            if (before === undefined) continue;
            expect(startMs).toBeGreaterThan(before.startMs + before.durationMs);
            expect(install - before.install).toBeOneOf([0, 1]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is played by every player also where the simulation ends at midnight', () => {
    const endMs = startOfDay(END_MS);
    for (const { sessions } of livesOf({ seed: 1, players: 30, days: 1, endMs })) {
      expect(sessions.length).toBeGreaterThan(0);
    }
  });

  it('begins the same when it is simulated for longer', () => {
    fc.assert(
      fc.property(simulations, fc.nat(49), (simulation, index) => {
        const { sessions } = lifeOf(simulation, index);
        const longer = lifeOf(simulation, index, simulation.endMs + 20 * DAY_MS).sessions;
        const times = (list: typeof sessions) => list.map(({ startMs, durationMs }) => [startMs, durationMs]);
        expect(times(longer).slice(0, sessions.length)).toEqual(times(sessions));
      }),
      // One who would play past the end, and also right after the midnight before it.
      { numRuns: 60, examples: [[{ seed: 962, players: 50, days: 4, endMs: AFTER_MIDNIGHT_MS }, 11]] },
    );
  });

  it('gives its events in the order of their times, within its sessions', () => {
    for (const life of livesOf({ ...SIMULATION, players: 50 })) {
      for (const session of life.sessions) {
        const events = eventsOf(life, session);
        const times = events.map(({ atMs }) => atMs);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(events[0]?.eventType).toBe('Session_Start');
        expect(events.at(-1)?.eventType).toBe('Session_End');
        expect(times[0]).toBe(session.startMs);
        expect(times.at(-1)).toBe(session.startMs + session.durationMs);
      }
    }
  });

  it('has a session that arrives from the same game after events that the network swallows', () => {
    let found = 0;
    for (const { sessions } of livesOf(SIMULATION)) {
      for (const [at, { network, install, build }] of sessions.entries()) {
        if (network !== 'swallowed') continue;
        found++;
        expect(sessions[at + 1]).toMatchObject({ network: 'online', install, build });
      }
    }
    expect(found).toBeGreaterThan(10);
  });
});

describe('4,000 players in 60 days', () => {
  const lives = livesOf(SIMULATION);
  const tallies = lives.map(tallyOf);
  const sum = emptyTally();
  for (const tally of tallies) addTally(sum, tally);

  it('come back as players of casual games do', () => {
    const share = (after: number) => {
      const old = lives.filter(
        ({ sessions }) => dayOf(sessions[0]?.startMs ?? 0) + after < dayOf(SIMULATION.endMs),
      );
      const back = old.filter(({ sessions }) => {
        const [first = 0, ...days] = sessions.map(({ startMs }) => dayOf(startMs));
        return days.includes(first + after);
      });
      return back.length / old.length;
    };
    expect(share(1)).toBeGreaterThan(0.35);
    expect(share(1)).toBeLessThan(0.5);
    expect(share(7)).toBeGreaterThan(0.14);
    expect(share(7)).toBeLessThan(0.26);
    expect(share(28)).toBeGreaterThan(0.05);
    expect(share(28)).toBeLessThan(0.13);
  });

  it('install the game most of all at its launch, and on every day', () => {
    const first = dayOf(firstDayMs(SIMULATION));
    const installs = new Array<number>(SIMULATION.days).fill(0);
    for (const { sessions } of lives) {
      const day = dayOf(sessions[0]?.startMs ?? 0) - first;
      installs[day] = (installs[day] ?? 0) + 1;
    }
    expect(Math.min(...installs)).toBeGreaterThan(20);
    expect(installs[0]).toBeGreaterThan(1.5 * (installs[30] ?? 0));
  });

  it('pay as players do: few pay, and fewer bring most of the revenue', () => {
    expect(sum.payers / sum.players).toBeGreaterThan(0.01);
    expect(sum.payers / sum.players).toBeLessThan(0.05);
    const purchases = tallies.map((tally) => tally.purchases).toSorted((a, b) => b - a);
    const top = purchases.slice(0, Math.ceil(sum.payers / 5)).reduce((a, b) => a + b, 0);
    expect(top / sum.purchases).toBeGreaterThan(0.4);
    expect(Object.keys(sum.revenue).length).toBeGreaterThan(4);
  });

  it('play when people are awake where they live', () => {
    const hours = new Array<number>(24).fill(0);
    for (const { traits, sessions } of lives) {
      for (const { startMs } of sessions) {
        const hour = Math.floor((((startMs / 3_600_000 + traits.zone) % 24) + 24) % 24);
        hours[hour] = (hours[hour] ?? 0) + 1;
      }
    }
    expect(Math.max(...hours)).toBe(hours.slice(18, 23).toSorted((a, b) => b - a)[0]);
    expect(hours[3]).toBeLessThan((hours[20] ?? 0) / 10);
  });

  it('have clocks that are wrong, networks that fail, and builds that send bad events', () => {
    const sessions = lives.flatMap((life) => life.sessions);
    const share = (test: (session: (typeof sessions)[number]) => boolean) =>
      sessions.filter(test).length / sessions.length;
    expect(share(({ network }) => network === 'offline')).toBeGreaterThan(0.02);
    expect(share(({ network }) => network === 'flaky')).toBeGreaterThan(0.01);
    expect(share(({ clockErrorMs }) => Math.abs(clockErrorMs) > DAY_MS)).toBeGreaterThan(0.001);
    expect(share(({ clockErrorMs }) => Math.abs(clockErrorMs) < 10_000)).toBeGreaterThan(0.8);
    expect(lives.some((life) => (life.sessions.at(-1)?.install ?? 0) > 0)).toBe(true);
    expect(Object.keys(sum.refused).sort()).toEqual(['invalid_unicode', 'payload_invalid']);
    expect(total(sum.swallowed)).toBeGreaterThan(100);
    expect(total(sum.events)).toBeGreaterThan(100 * total(sum.swallowed));
  });
});
