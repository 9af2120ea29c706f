import { describe, expect, it } from 'vitest';
import { lifeOf } from '../src/model/life.js';
import { playedShare } from '../src/model/reacted-days.js';
import { type Change, NO_CHANGE, reactedPrice, reactedPurchases } from '../src/model/reaction.js';
import { eventsOf } from '../src/model/session-events.js';
import { CASUAL, DAY_MS, firstDayMs, startOfDay } from '../src/model/simulation.js';
import { traitsOf } from '../src/model/traits.js';
import { trueChange } from '../src/model/truth.js';

const PLAYERS = 2_500;
const HABITS = { ...CASUAL, payerShare: 0.3 };
const SIMULATION = { seed: 5, players: PLAYERS, days: 12, endMs: Date.UTC(2026, 10, 15) - 1, habits: HABITS };
const traits = Array.from({ length: PLAYERS }, (_, index) => traitsOf(SIMULATION, index));

const payers = (conversion: number) =>
  traits.filter((each, index) => reactedPurchases(SIMULATION, index, each, conversion) > 0).length / PLAYERS;

const retained = (factor: number) => {
  const lives = traits.map(({ installDay }, index) => {
    const installMs = firstDayMs(SIMULATION) + installDay * DAY_MS;
    const reacting = { sinceMs: installMs, change: { ...NO_CHANGE, retention: factor } };
    const { sessions } = lifeOf(SIMULATION, index, undefined, reacting);
    return { installMs, days: new Set(sessions.map(({ startMs }) => startOfDay(startMs))) };
  });
  /** Of players who react since their first day: the share that plays so many days later. */
  return (day: number): number => {
    const past = lives.filter(({ installMs }) => installMs + (day + 1) * DAY_MS < SIMULATION.endMs);
    return past.filter(({ installMs, days }) => days.has(installMs + day * DAY_MS)).length / past.length;
  };
};

describe('players who react to an arm', () => {
  it.each([1.2, 1.6, 0.7, 0])('pay %s times as often', (factor) => {
    // One standard error of the difference is below 0.008.
    expect(Math.abs(payers(factor) - factor * payers(1))).toBeLessThan(0.025);
  });

  it.each([1.2, 0.7])('come back %s times as often', (factor) => {
    const [usual, reacted] = [retained(1), retained(factor)];
    for (const day of [1, 3, 7]) {
      const share = playedShare(CASUAL, day);
      // One standard error is below 0.012.
      expect(Math.abs(usual(day) - share)).toBeLessThan(0.04);
      expect(Math.abs(reacted(day) - factor * share)).toBeLessThan(0.04);
    }
  });

  it('pay exactly so much more on average', () => {
    const lots = Array.from({ length: 1_000 }, (_, n) => (n + 0.5) / 1_000);
    const mean = lots.reduce((total, lot) => total + reactedPrice(0.99, 1.07, lot), 0) / lots.length;
    expect(mean).toBeCloseTo(0.99 * 1.07, 4);
    expect(reactedPrice(0.99, 1, 0.9)).toBe(0.99);
  });

  it('have lived as before until they know their arm', () => {
    const change = { conversion: 1.5, spend: 2, retention: 0.5 };
    for (let index = 0; index < 50; index++) {
      const life = lifeOf(SIMULATION, index);
      const later = life.sessions[2];
      if (later === undefined) continue;
      const reacting = lifeOf(SIMULATION, index, undefined, { sinceMs: later.startMs, change });
      for (const session of life.sessions.slice(0, 2)) {
        expect(eventsOf(reacting, reacting.sessions[session.number] ?? session)).toEqual(
          eventsOf(life, session),
        );
      }
    }
  });

  it('cannot be more than all', () => {
    const rich = { ...SIMULATION, habits: { ...CASUAL, payerShare: 0.9 } };
    const index = traits.findIndex(({ wealth }) => wealth === 1.4);
    expect(() => reactedPurchases(rich, index, traitsOf(rich, index), 1.2)).toThrow(RangeError);
  });
});

describe('the truth about an arm', () => {
  const more: Change = { conversion: 1.2, spend: 1.5, retention: 1 };
  const revenue = { of: 'revenue' };

  it.each([
    ['conversion', { kind: 'share', of: 'converted' }, 0.2],
    ['revenue per player', { kind: 'sum', sum: revenue }, 0.8],
    ['revenue per payer', { kind: 'ratio', sum: revenue, per: { of: 'payers' } }, 0.5],
    ['purchases', { kind: 'sum', sum: { of: 'purchases' } }, 0.2],
    ['sessions', { kind: 'sum', sum: { of: 'sessions' } }, 0],
    ['retention', { kind: 'share', of: 'retained' }, 0],
  ])('%s', (_, metric, expected) => {
    expect(trueChange(metric, more, NO_CHANGE)).toBeCloseTo(expected, 12);
    expect(trueChange(metric, more, more)).toBeCloseTo(0, 12);
  });

  it('is not known where it grows with the days, or is about events that nobody has counted', () => {
    const back = { ...NO_CHANGE, retention: 1.1 };
    expect(trueChange({ kind: 'share', of: 'retained' }, back, NO_CHANGE)).toBeCloseTo(0.1, 12);
    expect(trueChange({ kind: 'share', of: 'converted' }, back, NO_CHANGE)).toBeUndefined();
    expect(trueChange({ kind: 'share', of: 'event' }, more, NO_CHANGE)).toBeUndefined();
  });
});
