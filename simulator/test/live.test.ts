import { expect, it } from 'vitest';
import { sessionsBetween } from '../src/live.js';
import { DAY_MS } from '../src/model/simulation.js';

it('goes on with the players of the simulation, and with new ones, each session once', () => {
  const endMs = Date.UTC(2026, 10, 15, 17, 30);
  const simulation = { seed: 5, players: 300, days: 30, endMs };
  const whole = sessionsBetween(simulation, endMs, endMs + DAY_MS);
  const halves = [
    ...sessionsBetween(simulation, endMs, endMs + DAY_MS / 2),
    ...sessionsBetween(simulation, endMs + DAY_MS / 2, endMs + DAY_MS),
  ];
  const names = (list: typeof whole) => list.map(({ life, session }) => [life.index, session.startMs]);
  expect(names(halves)).toEqual(names(whole));
  expect(new Set(names(whole).map(String)).size).toBe(whole.length);
  const starts = whole.map(({ session }) => session.startMs);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(whole.some(({ life }) => life.index < 300)).toBe(true);
  expect(whole.some(({ life }) => life.index >= 300)).toBe(true);
});
