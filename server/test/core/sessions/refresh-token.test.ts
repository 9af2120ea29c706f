import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstToken, parseRefreshToken } from '../../../src/core/sessions/refresh-chain.js';
import { formatSentToken, parseSentToken } from '../../../src/core/sessions/refresh-token.js';
import { bucketOfUser, uuid7InBucket } from '../../../src/platform/lib/player-buckets.js';

const SESSION = '01980000-0000-7000-8000-000000000001';

describe('the refresh token that a client holds', () => {
  it('names the bucket of its player, and carries the token of the chain', () => {
    fc.assert(
      fc.property(fc.uuid(), (userId) => {
        const { token } = firstToken(SESSION);
        const sent = formatSentToken(userId, token);
        expect(sent).toMatch(/^[A-Za-z0-9_-]{87}$/);
        expect(parseSentToken(sent)).toEqual({ ...parseRefreshToken(token), bucket: bucketOfUser(userId) });
      }),
    );
  });

  it('has a character for each bucket', () => {
    const { token } = firstToken(SESSION);
    const users = Array.from({ length: 64 }, (_, bucket) => uuid7InBucket(0, bucket));
    const buckets = users.map((userId) => parseSentToken(formatSentToken(userId, token))?.bucket);
    expect(buckets).toEqual(Array.from({ length: 64 }, (_, bucket) => bucket));
  });

  it('is not a token of the chain alone, nor one with any other character before it', () => {
    const { token } = firstToken(SESSION);
    for (const text of ['', 'A', token, `.${token}`, `é${token}`, `AA${token}`, ` ${token}`]) {
      expect(parseSentToken(text), text).toBeUndefined();
    }
  });
});
