import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createSessionCircuitBreaker,
  NOT_ASKED,
} from '../../../src/core/sessions/session-circuit-breaker.js';
import type { LivePlayer } from '../../../src/core/sessions/session-queries.js';
import { OverloadedError } from '../../../src/platform/lib/overloaded-error.js';

const PLAYER = { sessionId: 's', userId: 'u' } as LivePlayer;
const TIMES = { timeoutMs: 40, probeEveryMs: 60 };
const gone = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

function sessions(lookups: { now: () => Promise<LivePlayer | undefined> }) {
  let asked = 0;
  const find = createSessionCircuitBreaker(
    {
      submit: () => {
        asked++;
        return lookups.now();
      },
    },
    TIMES,
  );
  return { find, asked: () => asked };
}

describe('session look-ups that outlive the database', () => {
  // Time stands still until a test moves it.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('return what the database says, also that a session has ended', async () => {
    const lookups = { now: (): Promise<LivePlayer | undefined> => Promise.resolve(PLAYER) };
    const { find } = sessions(lookups);
    expect(await find('s')).toBe(PLAYER);
    lookups.now = () => Promise.resolve(undefined);
    expect(await find('s')).toBeUndefined();
  });

  it('are skipped while it is unavailable, except one now and then, and resume when it is back', async () => {
    const lookups = { now: gone as () => Promise<LivePlayer | undefined> };
    const { find, asked } = sessions(lookups);
    expect(await find('s')).toBe(NOT_ASKED);
    for (let n = 0; n < 100; n++) expect(await find('s')).toBe(NOT_ASKED);
    expect(asked()).toBe(1);
    vi.advanceTimersByTime(TIMES.probeEveryMs);
    expect(await Promise.all([find('s'), find('s'), find('s')])).toEqual([NOT_ASKED, NOT_ASKED, NOT_ASKED]);
    expect(asked()).toBe(2);

    lookups.now = () => Promise.resolve(PLAYER);
    vi.advanceTimersByTime(TIMES.probeEveryMs);
    expect(await find('s')).toBe(PLAYER);
    expect(await find('s')).toBe(PLAYER);
  });

  it('do not keep a request waiting for a database that does not respond', async () => {
    const { find, asked } = sessions({ now: () => new Promise(() => {}) });
    let found: unknown;
    const finding = find('s').then((response) => {
      found = response;
    });
    await vi.advanceTimersByTimeAsync(TIMES.timeoutMs - 1);
    expect(found).toBeUndefined();
    vi.advanceTimersByTime(1);
    await finding;
    expect(found).toBe(NOT_ASKED);
    expect(await find('s')).toBe(NOT_ASKED);
    expect(asked()).toBe(1);
  });

  it('do without it when too many wait for it', async () => {
    const { find } = sessions({ now: () => Promise.reject(new OverloadedError()) });
    expect(await find('s')).toBe(NOT_ASKED);
  });

  it('pass on errors that are bugs of ours', async () => {
    const { find } = sessions({ now: () => Promise.reject(new TypeError('no')) });
    await expect(find('s')).rejects.toThrow(TypeError);
  });
});
