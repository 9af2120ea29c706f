import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  firstToken,
  MAX_RECENT_ROTATIONS,
  type ParsedRefreshToken,
  parseRefreshToken,
  presentRefresh,
  type RefreshOutcome,
  type RefreshState,
} from '../../../src/core/sessions/refresh-chain.js';
import { runs } from '../../support/property-runs.js';

const SESSION = '018f4e6a-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
const GRACE = 30_000;
const NOW = 1_800_000_000_000;

function parsed(token: string): ParsedRefreshToken {
  const result = parseRefreshToken(token);
  if (result === undefined) throw new Error('does not parse');
  return result;
}

function present(state: RefreshState, token: string, now = NOW): RefreshOutcome {
  return presentRefresh(state, parsed(token), now, GRACE, randomBytes(32));
}

function rotate(state: RefreshState, token: string, now = NOW): { state: RefreshState; token: string } {
  const outcome = present(state, token, now);
  if (outcome.kind !== 'rotated') throw new Error(`expected a rotation, got ${outcome.kind}`);
  return outcome;
}

/** Through the jsonb column and back. */
function stored(state: RefreshState): RefreshState {
  return { ...state, recent: JSON.parse(JSON.stringify(state.recent)) };
}

describe('the text of a refresh token', () => {
  test('carries session, secret and tag in 86 URL-safe characters', () => {
    fc.assert(
      fc.property(fc.uuid(), (sessionId) => {
        const { token, state } = firstToken(sessionId);
        expect(token).toMatch(/^[A-Za-z0-9_-]{86}$/);
        const { secret, tag, ...rest } = parsed(token);
        expect(rest).toEqual({ sessionId });
        expect(createHash('sha256').update(secret).digest()).toEqual(state.currentHash);
        const hmac = createHmac('sha256', state.tagKey).update(secret).digest();
        expect(tag).toEqual(hmac.subarray(0, 16));
      }),
    );
  });

  test('nothing but the canonical text parses', () => {
    const { token } = firstToken(SESSION);
    const base64 = Buffer.alloc(64, 0xff).toString('base64');
    expect(parseRefreshToken(base64.replaceAll('/', '_').replaceAll('=', ''))).toBeDefined();
    for (const wrong of [
      '',
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token.slice(1)}`,
      ` ${token}`,
      `${token.slice(0, -1)}.`,
      `${token.slice(0, 40)}\n${token.slice(41)}`,
      base64,
      base64.replaceAll('=', ''),
      // the last character carries 2 bits: a stray third one
      `${token.slice(0, -1)}B`,
      'é'.repeat(86),
    ]) {
      expect(parseRefreshToken(wrong), JSON.stringify(wrong)).toBeUndefined();
    }
  });

  test('any text either is the one canonical form or does not parse', () => {
    const { token } = firstToken(SESSION);
    const nearly = fc
      .tuple(fc.nat(85), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, character]) => token.slice(0, at) + character + token.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ maxLength: 100 })), (text) => {
        const result = parseRefreshToken(text);
        if (result === undefined) return;
        const id = Buffer.from(result.sessionId.replaceAll('-', ''), 'hex');
        expect(Buffer.concat([id, result.secret, result.tag]).toString('base64url')).toBe(text);
      }),
      { numRuns: runs(150) },
    );
  });

  test('a session id that is no UUID is a mistake of the caller', () => {
    expect(() => firstToken('session-1')).toThrow(TypeError);
    expect(parsed(firstToken(SESSION.toUpperCase()).token).sessionId).toBe(SESSION);
  });

  test('randomness comes from the given source', () => {
    const random = (bytes: number) => Buffer.alloc(bytes, 7);
    expect(firstToken(SESSION, random)).toEqual(firstToken(SESSION, random));
    expect(firstToken(SESSION).token).not.toBe(firstToken(SESSION).token);
  });
});

describe('presenting a token', () => {
  const first = firstToken(SESSION);

  test('the live token rotates', () => {
    const second = rotate(first.state, first.token);
    expect(second.token).not.toBe(first.token);
    expect(parsed(second.token).sessionId).toBe(SESSION);
    expect(second.state.recent).toHaveLength(1);
    expect(rotate(second.state, second.token).token).not.toBe(second.token);
  });

  test('the given state is left as it was', () => {
    const before = JSON.stringify(first.state);
    rotate(first.state, first.token);
    expect(JSON.stringify(first.state)).toBe(before);
  });

  test('a retry gets the same successor, up to the last millisecond of the grace period', () => {
    const second = rotate(first.state, first.token);
    for (const later of [0, 1, GRACE]) {
      expect(present(stored(second.state), first.token, NOW + later)).toEqual({
        kind: 'retried',
        token: second.token,
      });
    }
    expect(present(second.state, first.token, NOW + GRACE + 1)).toEqual({ kind: 'reused' });
  });

  test('a retry that was overtaken by further rotations gets the live token', () => {
    const second = rotate(first.state, first.token, NOW);
    const third = rotate(second.state, second.token, NOW + 10);
    const fourth = rotate(third.state, third.token, NOW + 20);
    for (const token of [first.token, second.token, third.token]) {
      expect(present(stored(fourth.state), token, NOW + 30)).toEqual({
        kind: 'retried',
        token: fourth.token,
      });
    }
  });

  test('a retry does not extend the grace period', () => {
    const second = rotate(first.state, first.token);
    expect(present(second.state, first.token, NOW + GRACE).kind).toBe('retried');
    expect(present(second.state, first.token, NOW + GRACE + 1).kind).toBe('reused');
  });

  test('rotations older than the grace period are forgotten, and their tokens count as reused', () => {
    const second = rotate(first.state, first.token, NOW);
    const third = rotate(second.state, second.token, NOW + GRACE + 1);
    expect(third.state.recent).toHaveLength(1);
    expect(present(third.state, first.token, NOW + GRACE + 1)).toEqual({ kind: 'reused' });
  });

  test('a forged tag never ends a session, nor does it open one', () => {
    const second = rotate(first.state, first.token);
    fc.assert(
      fc.property(
        fc.constantFrom(first.token, second.token),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.integer({ min: 0, max: 10 * GRACE }),
        (token, tag, later) => {
          const forged = { ...parsed(token), tag: Buffer.from(tag) };
          fc.pre(!forged.tag.equals(parsed(token).tag));
          const outcome = presentRefresh(second.state, forged, NOW + later, GRACE, randomBytes(32));
          expect(outcome).toEqual({ kind: 'invalid' });
        },
      ),
    );
  });

  test('a guessed secret, and a token of another session, are invalid', () => {
    const guess = { sessionId: SESSION, secret: randomBytes(32), tag: randomBytes(16) };
    expect(presentRefresh(first.state, guess, NOW, GRACE, randomBytes(32))).toEqual({ kind: 'invalid' });
    expect(present(first.state, firstToken(SESSION).token)).toEqual({ kind: 'invalid' });
  });

  test('a clock that went backwards neither ends the session nor breaks the chain', () => {
    const second = rotate(first.state, first.token, NOW);
    expect(present(second.state, first.token, NOW - 3_600_000)).toEqual({
      kind: 'retried',
      token: second.token,
    });
    // The second rotation is stamped earlier than the first, and by now out of grace; the first is not.
    const third = rotate(second.state, second.token, NOW - 10_000);
    const fourth = rotate(third.state, third.token, NOW + GRACE - 5_000);
    expect(present(fourth.state, first.token, NOW + GRACE - 5_000)).toEqual({
      kind: 'retried',
      token: fourth.token,
    });
    expect(present(fourth.state, second.token, NOW + GRACE - 5_000)).toEqual({ kind: 'reused' });
  });

  test('a client that refreshes in a loop does not grow the row', () => {
    let live = first;
    const tokens = [first.token];
    for (let i = 0; i < MAX_RECENT_ROTATIONS * 2; i++) {
      live = rotate(live.state, live.token);
      tokens.push(live.token);
    }
    expect(live.state.recent).toHaveLength(MAX_RECENT_ROTATIONS);
    const kinds = tokens.map((token) => present(live.state, token).kind);
    expect(kinds.slice(-MAX_RECENT_ROTATIONS - 1)).toEqual([
      ...Array<string>(MAX_RECENT_ROTATIONS).fill('retried'),
      'rotated',
    ]);
    expect(new Set(kinds.slice(0, -MAX_RECENT_ROTATIONS - 1))).toEqual(new Set(['reused']));
  });

  test('a damaged row refuses without calling it theft', () => {
    const second = rotate(first.state, first.token);
    const [rotation] = second.state.recent;
    if (rotation === undefined) throw new Error('no rotation');
    const damaged = { ...second.state, recent: [{ ...rotation, salt: 'AAAA' }] };
    expect(present(damaged, first.token)).toEqual({ kind: 'invalid' });
    const cut = { ...second.state, recent: [{ ...rotation, usedHash: rotation.usedHash.slice(0, 8) }] };
    expect(present(cut, first.token)).toEqual({ kind: 'reused' });
  });

  test('the salt must be whole', () => {
    const attempt = () => presentRefresh(first.state, parsed(first.token), NOW, GRACE, Buffer.alloc(16));
    expect(attempt).toThrow(RangeError);
  });

  test('the row holds no token, neither live nor used', () => {
    const second = rotate(first.state, first.token);
    const row = JSON.stringify({
      ...second.state,
      tagKey: second.state.tagKey.toString('base64url'),
      currentHash: second.state.currentHash.toString('base64url'),
    });
    for (const token of [first.token, second.token]) {
      expect(row).not.toContain(parsed(token).secret.toString('base64url'));
    }
  });
});

/**
 * A model of the rules in words: who presents which of the tokens ever issued, when, on a clock that may jump.
 * `rotatedAt[i]` is when token i was used; the last token of `issued` is the live one.
 */
describe('any history of a session', () => {
  const step = fc.record({
    // Mostly recent tokens, so that retries and races are common.
    back: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40)),
    elapsed: fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 2 * GRACE }),
      fc.integer({ min: -GRACE, max: 0 }),
    ),
  });
  const history = fc.array(step, { maxLength: 40 });

  test('follows the rules and keeps one live chain', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let { token, state } = firstToken(SESSION);
        const issued = [token];
        const rotatedAt: number[] = [];
        let now = NOW;
        for (const { back, elapsed } of steps) {
          now += elapsed;
          const live = issued.length - 1;
          const chosen = Math.max(0, live - back);
          const outcome = present(state, issued[chosen] ?? '', now);
          const usedAt = rotatedAt[chosen];
          if (usedAt === undefined) {
            if (outcome.kind !== 'rotated') throw new Error(`live token: ${outcome.kind}`);
            ({ token } = outcome);
            state = stored(outcome.state);
            expect(issued).not.toContain(token);
            issued.push(token);
            rotatedAt.push(now);
          } else {
            const kept = chosen >= live - state.recent.length;
            const inGrace = kept && now - usedAt <= GRACE;
            expect(outcome).toEqual(inGrace ? { kind: 'retried', token: issued.at(-1) } : { kind: 'reused' });
          }
          const rotating = issued.filter((any) => present(state, any, now).kind === 'rotated');
          expect(rotating).toEqual([issued.at(-1)]);
          expect(state.recent.length).toBeLessThanOrEqual(MAX_RECENT_ROTATIONS);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('on a clock that only goes forward, every use within grace works and its token rotates; none later does', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let { token, state } = firstToken(SESSION);
        const issued = [token];
        const rotatedAt: number[] = [];
        let now = NOW;
        for (const { back, elapsed } of steps.slice(0, MAX_RECENT_ROTATIONS)) {
          now += Math.abs(elapsed);
          const chosen = Math.max(0, issued.length - 1 - back);
          const outcome = present(state, issued[chosen] ?? '', now);
          const usedAt = rotatedAt[chosen];
          if (outcome.kind === 'rotated') {
            ({ token } = outcome);
            state = stored(outcome.state);
            issued.push(token);
            rotatedAt.push(now);
          } else if (usedAt !== undefined && now - usedAt <= GRACE) {
            if (outcome.kind !== 'retried') throw new Error(`a retry within grace was ${outcome.kind}`);
            expect(present(state, outcome.token, now).kind).toBe('rotated');
          } else {
            expect(outcome).toEqual({ kind: 'reused' });
          }
        }
      }),
      { numRuns: runs(40) },
    );
  });
});
