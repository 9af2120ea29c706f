import { describe, expect, it } from 'vitest';
import { createKeptResults } from '../../src/lib/kept-results.js';

describe('kept results', () => {
  const counting = () => {
    let made = 0;
    return async () => ++made;
  };

  it('are made once while they are fresh, for each key', async () => {
    const kept = createKeptResults<string, number>({ keptMs: 10, maxKept: 5 });
    const make = counting();
    expect(await kept.get('a', 0, make)).toBe(1);
    expect(await kept.get('a', 9, make)).toBe(1);
    expect(await kept.get('b', 9, make)).toBe(2);
    expect(await kept.get('a', 10, make)).toBe(3);
  });

  it('are made anew after a failure, or if they are not worth keeping', async () => {
    const kept = createKeptResults<string, number>({
      keptMs: 10,
      maxKept: 5,
      isWorthKeeping: (value) => value > 1,
    });
    await expect(kept.get('a', 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const make = counting();
    expect(await kept.get('a', 0, make)).toBe(1);
    expect(await kept.get('a', 0, make)).toBe(2);
    expect(await kept.get('a', 0, make)).toBe(2);
  });

  it('give way to newer ones', async () => {
    const kept = createKeptResults<string, number>({ keptMs: 10, maxKept: 2 });
    const make = counting();
    for (const key of ['a', 'b', 'c']) await kept.get(key, 0, make);
    expect(await kept.get('c', 0, make)).toBe(3);
    expect(await kept.get('a', 0, make)).toBe(4);
  });
});
