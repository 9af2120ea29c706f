import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/platform/errors.js';
import { type CodeGuesses, createCodeGuesses } from '../../../src/platform/http/code-guesses.js';
import { runs } from '../../support/property-runs.js';

const GAME = 1;
const MINUTE_MS = 60_000;

function setUp() {
  let nowMs = 0;
  const limited: string[] = [];
  const guesses = createCodeGuesses(
    (limit) => limited.push(limit),
    () => nowMs,
  );
  return { guesses, limited, pass: (ms: number) => (nowMs += ms) };
}

function refusalOf(guesses: CodeGuesses, address: string, gameId = GAME): ApiError | undefined {
  try {
    guesses.take(address, gameId);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  }
}
const countThrough = (guesses: CodeGuesses, addresses: Iterable<string>, gameId = GAME) =>
  [...addresses].filter((address) => refusalOf(guesses, address, gameId) === undefined).length;

const repeat = (times: number, address: (n: number) => string) =>
  Array.from({ length: times }, (_, n) => address(n));
const hex = (n: number) => n.toString(16);
/** Uses up the codes of the game, from 15 networks. */
const flood = (guesses: CodeGuesses) =>
  countThrough(
    guesses,
    repeat(400, (n) => `10.0.0.${n % 15}`),
  );

describe('wrong codes', () => {
  it('are limited for a network, from however many of its addresses', () => {
    const { guesses, limited } = setUp();
    expect(
      countThrough(
        guesses,
        repeat(1_000, (n) => `2001:db8:1:2::${hex(n)}`),
      ),
    ).toBe(20);
    expect(limited).toEqual(Array(980).fill('network-guesses'));
    expect(countThrough(guesses, ['2001:db8:1:3::1', '2001:db8:2::1', '192.0.2.1'])).toBe(3);
    expect(countThrough(guesses, Array(100).fill('192.0.2.1'))).toBe(19);
    const refusal = refusalOf(guesses, '192.0.2.1');
    expect(refusal?.code).toBe('rate_limited');
    expect(refusal?.message).toBe('Too many wrong codes. Try again in 3 seconds.');
    expect(refusal?.headers).toEqual({
      'ratelimit-policy': '"network-guesses";q=20;w=60',
      ratelimit: '"network-guesses";r=0;t=3',
      'retry-after': '3',
    });
  });

  it('of many networks leave three tries an hour to a network that has sent none, for each game', () => {
    const { guesses, limited, pass } = setUp();
    expect(flood(guesses)).toBe(300);
    expect(refusalOf(guesses, '10.0.0.1')?.headers['retry-after']).toBe('3');
    expect(countThrough(guesses, Array(10).fill('192.0.2.1'))).toBe(3);
    expect(refusalOf(guesses, '192.0.2.1')?.message).toBe('Too many wrong codes. Try again in 20 minutes.');
    expect(new Set(limited)).toEqual(new Set(['network-guesses', 'kept-guesses']));
    expect(countThrough(guesses, ['192.0.2.2', '::ffff:192.0.2.3', '2001:db8::1'])).toBe(3);
    expect(countThrough(guesses, Array(10).fill('192.0.2.1'), 2)).toBe(10);
    pass(20 * MINUTE_MS);
    flood(guesses);
    expect(countThrough(guesses, Array(10).fill('192.0.2.4'))).toBe(3);
  });

  it('of a site with thousands of networks get ten tries an hour while there is a flood', () => {
    const { guesses, limited } = setUp();
    const bySite = () =>
      countThrough(
        guesses,
        repeat(400, (n) => `2001:db8:1:${hex(n)}::1`),
      );
    expect(bySite()).toBe(310);
    expect(bySite()).toBe(0);
    expect(limited).toContain('kept-guesses-of-site');
    expect(countThrough(guesses, Array(10).fill('2001:db8:2::1'))).toBe(3);
  });

  it('never close the page for a site that has sent none', () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const attackers = fc.oneof(
      fc.tuple(word, word, word).map(([a, b, c]) => `2001:db8:${hex(a)}:${hex(b)}::${hex(c)}`),
      fc.tuple(word).map(([a]) => `10.0.${a >> 8}.${a & 255}`),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ address: attackers, times: fc.integer({ min: 1, max: 25 }) }), {
          maxLength: 60,
        }),
        fc.constantFrom('2001:db9::1', '192.0.2.1'),
        (attack, honest) => {
          const { guesses } = setUp();
          for (const { address, times } of attack) countThrough(guesses, Array(times).fill(address));
          expect(countThrough(guesses, Array(3).fill(honest))).toBe(3);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('are the only ones that count: a right code is given back, also during a flood', () => {
    const { guesses } = setUp();
    const right = () => guesses.take('192.0.2.1', GAME)();
    for (let n = 0; n < 500; n++) right();
    expect(flood(guesses)).toBe(300);
    for (let n = 0; n < 500; n++) right();
    expect(countThrough(guesses, Array(10).fill('192.0.2.1'))).toBe(3);
  });
});
