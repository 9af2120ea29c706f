import { expect, it } from 'vitest';
import { restartDelayMs } from '../../../src/app/bin/restart-delay.js';

const MINUTE_MS = 60_000;

it('a process that ends again and again is started less and less often', () => {
  const delays: number[] = [];
  for (let shortLives = 0; delays.length < 6; ) {
    const life = restartDelayMs(MINUTE_MS - 1, shortLives);
    shortLives = life.shortLives;
    delays.push(life.delayMs);
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
});

it('a process that ran for a minute is started again at once, and its earlier ends are forgotten', () => {
  expect(restartDelayMs(MINUTE_MS, 5)).toEqual({ delayMs: 0, shortLives: 0 });
});
