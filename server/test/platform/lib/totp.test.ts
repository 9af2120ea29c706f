import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeAt, findStep, otpauthUri, stepAt, toBase32 } from '../../../src/platform/lib/totp.js';
import { fromBase32 } from '../../support/account-calls.js';

const SECRET = Buffer.from('12345678901234567890');

describe('a one-time code', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i seconds is that of RFC 6238, appendix B', (seconds, code) => {
    expect(codeAt(SECRET, stepAt(seconds * 1_000), 8)).toBe(code);
  });

  it('is that of RFC 4226, appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, step) => codeAt(SECRET, step));
    expect(codes).toEqual([
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ]);
  });

  it('is taken in its interval, and in the one before and after it', () => {
    const now = 1_234_567_890_000;
    const step = stepAt(now);
    for (const around of [-1, 0, 1])
      expect(findStep(SECRET, codeAt(SECRET, step + around), now)).toBe(step + around);
    for (const around of [-2, 2])
      expect(findStep(SECRET, codeAt(SECRET, step + around), now)).toBeUndefined();
    for (const wrong of ['', '12345', '1234567', 'abcdef', '０００００0'])
      expect(findStep(SECRET, wrong, now)).toBeUndefined();
  });
});

describe('a secret in Base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j is %j, as RFC 4648 has it', (text, base32) => {
    expect(toBase32(Buffer.from(text))).toBe(base32);
  });

  it('can be read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect([...fromBase32(toBase32(bytes))]).toEqual([...bytes]);
      }),
    );
  });
});

it('has an address for a QR code', () => {
  expect(otpauthUri('Savepoint', 'ada@studio.example', Buffer.from('foobar'))).toBe(
    'otpauth://totp/Savepoint:ada%40studio.example?secret=MZXW6YTBOI&issuer=Savepoint',
  );
});
