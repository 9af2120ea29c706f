import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/platform/errors.js';
import { createSignInGuesses, type Guesser } from '../../../src/studio/accounts/sign-in-guesses.js';
import { createTestClock } from '../../support/harness.js';

function setUp() {
  const clock = createTestClock(1_000_000);
  let slowed = 0;
  const guesses = createSignInGuesses(clock, () => slowed++);
  const isLetThrough = ({
    emailKey = 'owner@x',
    network = 'home',
    site = network,
    deviceId,
  }: Partial<Guesser> = {}) => {
    try {
      return guesses.tryPassword({ emailKey, network, site, deviceId });
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).code).toBe('sign_in_slowed');
      expect(Number((error as ApiError).headers['retry-after'])).toBeGreaterThan(0);
      return undefined;
    }
  };
  const countLetThrough = (times: number, who: Partial<Guesser> = {}) =>
    Array.from({ length: times }, () => isLetThrough(who)).filter((guess) => guess !== undefined).length;
  return { clock, guesses, isLetThrough, countLetThrough, slowed: () => slowed };
}

describe('guesses at a password', () => {
  it('are limited to five at once from one network, and one more after each wait, which doubles', () => {
    const { clock, countLetThrough, slowed } = setUp();
    expect(countLetThrough(100)).toBe(5);
    expect(slowed()).toBe(95);
    for (const wait of [1_000, 2_000, 4_000]) {
      clock.advance(wait - 1);
      expect(countLetThrough(1)).toBe(0);
      clock.advance(1);
      expect(countLetThrough(10)).toBe(1);
    }
  });

  it('that were right reset the count; tries that were no guess leave it unchanged', () => {
    const { isLetThrough, countLetThrough } = setUp();
    expect(countLetThrough(4)).toBe(4);
    isLetThrough()?.takeBack();
    isLetThrough()?.takeBack();
    isLetThrough()?.succeed();
    expect(countLetThrough(100)).toBe(5);
  });

  it('from one network at many accounts are slowed down, too', () => {
    const { countLetThrough } = setUp();
    const through = Array.from({ length: 200 }, (_, n) =>
      countLetThrough(1, { emailKey: `somebody-${n}@x` }),
    );
    expect(through.filter((count) => count === 1)).toHaveLength(30);
    expect(countLetThrough(1, { network: 'elsewhere' })).toBe(1);
  });

  it('from the networks of one site are slowed down for the site, and for no other', () => {
    const { clock, countLetThrough } = setUp();
    const bySite = (site: string, emailKey?: string) =>
      Array.from({ length: 30 }, (_, n) =>
        countLetThrough(1, { network: `${site}-${n}`, site, ...(emailKey && { emailKey }) }),
      ).reduce((sum, count) => sum + count);
    expect(bySite('rented')).toBe(20);
    clock.advance(5 * 60_000);
    expect(bySite('rented')).toBe(1);
    expect(countLetThrough(5, { network: 'office-1', site: 'office' })).toBe(5);
    expect(countLetThrough(5)).toBe(5);
    const atAll = Array.from({ length: 8 }, (_, n) => bySite('spraying', `somebody-${n}@x`));
    expect(atAll.reduce((sum, count) => sum + count)).toBe(120);
  });

  it('never block the first try of a new network, nor a known device', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ network: fc.stringMatching(/^[a-f]{1,4}$/), pauseMs: fc.nat(10_000) }), {
          maxLength: 300,
        }),
        (attack) => {
          const { clock, countLetThrough } = setUp();
          for (const { network, pauseMs } of attack) {
            clock.advance(pauseMs);
            countLetThrough(3, { network });
          }
          expect(countLetThrough(1)).toBe(1);
          expect(countLetThrough(10, { deviceId: 'laptop', network: 'aa' })).toBe(10);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('from many networks at one account leave a new network one free try instead of five', () => {
    const { countLetThrough } = setUp();
    for (let n = 0; n < 20; n++) countLetThrough(5, { network: `bot-${n}` });
    expect(countLetThrough(100, { network: 'bot-new' })).toBe(1);
    expect(countLetThrough(100, { network: 'bot-new', emailKey: 'somebody-else@x' })).toBe(5);
  });

  it('of a known device are counted for the device', () => {
    const { countLetThrough } = setUp();
    expect(countLetThrough(100, { deviceId: 'stolen' })).toBe(10);
    expect(countLetThrough(1, { deviceId: 'laptop' })).toBe(1);
    expect(countLetThrough(5)).toBe(5);
  });
});

describe('guesses at a code', () => {
  it('are counted for the account, wherever they come from', () => {
    const { guesses } = setUp();
    const tries = Array.from({ length: 100 }, () => {
      try {
        return guesses.tryCode('account');
      } catch {
        return undefined;
      }
    });
    expect(tries.filter((guess) => guess !== undefined)).toHaveLength(5);
    expect(() => guesses.tryCode('another')).not.toThrow();
  });
});
