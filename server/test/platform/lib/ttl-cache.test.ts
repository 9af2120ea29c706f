import { describe, expect, it } from 'vitest';
import { createTtlCache } from '../../../src/platform/lib/ttl-cache.js';

describe('kept results', () => {
  const counting = () => {
    let made = 0;
    return async () => ++made;
  };
  const open = (limits: { maxKept?: number; isWorthKeeping?: (value: number) => boolean } = {}) => {
    const time = { nowMs: 0 };
    const clock = { now: () => time.nowMs };
    return { time, kept: createTtlCache<string, number>({ clock, keptMs: 10, maxKept: 5, ...limits }) };
  };

  it('are made once while they are fresh, for each key', async () => {
    const { time, kept } = open();
    const make = counting();
    expect(await kept.get('a', make)).toBe(1);
    time.nowMs = 9;
    expect(await kept.get('a', make)).toBe(1);
    expect(await kept.get('b', make)).toBe(2);
    time.nowMs = 10;
    expect(await kept.get('a', make)).toBe(3);
  });

  it('are made once for all who ask, however long it takes, and kept from when they are made', async () => {
    const { time, kept } = open();
    let end = (_made: number) => {};
    const first = kept.get('a', () => new Promise<number>((resolve) => (end = resolve)));
    const never = () => Promise.reject(new Error('made again'));
    time.nowMs = 1_000;
    const second = kept.get('a', never);
    end(1);
    expect(await Promise.all([first, second])).toEqual([1, 1]);
    time.nowMs = 1_009;
    expect(await kept.get('a', never)).toBe(1);
    time.nowMs = 1_010;
    expect(await kept.get('a', async () => 2)).toBe(2);
  });

  it('are made anew after a failure, or if they are not worth keeping', async () => {
    const { kept } = open({ isWorthKeeping: (value) => value > 1 });
    await expect(kept.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const make = counting();
    expect(await kept.get('a', make)).toBe(1);
    expect(await kept.get('a', make)).toBe(2);
    expect(await kept.get('a', make)).toBe(2);
  });

  it('give way to newer ones', async () => {
    const { kept } = open({ maxKept: 2 });
    const make = counting();
    for (const key of ['a', 'b', 'c']) await kept.get(key, make);
    expect(await kept.get('c', make)).toBe(3);
    expect(await kept.get('a', make)).toBe(4);
  });
});
