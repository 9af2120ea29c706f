import { describe, expect, it } from 'vitest';
import { createPasswords, DEFAULT_COST, type HashOutcome } from '../../../src/platform/security/passwords.js';

const CHEAP = { logN: 4, r: 1, p: 1 };
const passwords = createPasswords(CHEAP);
const LANE = { name: 'stranger', keys: ['a'] } as const;

function outcomeOf<T>(outcome: HashOutcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.value;
}

const hash = async (password: string) => outcomeOf(await passwords.hash(password, LANE));
const verify = async (password: string, stored: string | null) =>
  outcomeOf(await passwords.verify(password, stored, LANE));

describe('a password', () => {
  it('is known by its hash, which tells what it cost and never the password', async () => {
    const stored = await hash('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verify('correct horse', stored)).toBe(true);
    for (const wrong of ['correct hors', 'correct horse ', 'Correct horse', ''])
      expect(await verify(wrong, stored)).toBe(false);
    expect(await hash('correct horse')).not.toBe(stored);
  });

  it('is the same however its accents are typed', async () => {
    expect(await verify('caf\u00e9', await hash('cafe\u0301'))).toBe(true);
  });

  it('of nobody is wrong', async () => {
    expect(await verify('', null)).toBe(false);
  });

  it('is hashed anew when hashes cost more than they did', async () => {
    const stored = await hash('correct horse');
    expect(passwords.isOutdated(stored)).toBe(false);
    const dearer = createPasswords({ ...CHEAP, logN: 5 });
    expect(dearer.isOutdated(stored)).toBe(true);
    expect(outcomeOf(await dearer.verify('correct horse', stored, LANE))).toBe(true);
  });

  it('costs 32 MiB three times over by default', async () => {
    const stored = outcomeOf(await createPasswords().hash('correct horse', LANE));
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(128 * 2 ** DEFAULT_COST.logN * DEFAULT_COST.r).toBe(32 * 1024 * 1024);
  });

  it('whose hash was tampered with is an error, and not wrong', async () => {
    await expect(verify('x', '$scrypt$ln=99$')).rejects.toThrow('cannot be read');
  });
});

describe('many at once', () => {
  it('from one network are refused beyond a few, and others are served', async () => {
    const flood = Array.from({ length: 100 }, () =>
      passwords.verify('x', null, { name: 'stranger', keys: ['flood'] }),
    );
    const other = passwords.verify('x', null, { name: 'stranger', keys: ['other'] });
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(9);
    expect((await other).ok).toBe(true);
  });

  it('from many networks are bounded all together, and keep no known device waiting', async () => {
    const flood = Array.from({ length: 200 }, (_, n) =>
      passwords.verify('x', null, { name: 'stranger', keys: [`network-${n}`] }),
    );
    const known = passwords.verify('x', null, { name: 'known', keys: ['device'] });
    let isFloodOver = false;
    const all = Promise.all(flood).then((outcomes) => {
      isFloodOver = true;
      return outcomes;
    });
    expect((await known).ok).toBe(true);
    expect(isFloodOver).toBe(false);
    expect((await all).filter(({ ok }) => ok).length).toBeLessThanOrEqual(41);
    expect((await passwords.verify('x', null, LANE)).ok).toBe(true);
  });

  it.each([
    ['48', 16, (n: number) => [`${n}/56`, '/48', '/32']],
    ['32', 24, (n: number) => [`${n}/56`, `${n}/48`, '/32']],
  ])(
    'from all of a /%s fill a part of the lane only, and the next network is next',
    async (_, waiting, keysOf) => {
      const order: string[] = [];
      const verifyFrom = (keys: string[], who: string) =>
        passwords.verify('x', null, { name: 'stranger', keys: keys as [string] }).then((outcome) => {
          order.push(who);
          return outcome;
        });
      const flood = Array.from({ length: 200 }, (_each, n) => verifyFrom(keysOf(n), 'flood'));
      const others = [1, 2].map((n) => verifyFrom([`10.0.0.${n}`, '10.0.0.0/24', '10.0.0.0/16'], 'other'));
      const outcomes = await Promise.all(flood);
      // One is at work.
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(waiting + 1);
      for (const other of others) expect((await other).ok).toBe(true);
      const served = order.filter((_who, n) => n >= 200 - (waiting + 1));
      // Refusals come at once; then the two take turns, whoever has asked for how much.
      expect(served.slice(0, 4).toSorted()).toEqual(['flood', 'flood', 'other', 'other']);
      // Nothing is kept of those who have gone.
      expect((await verifyFrom(keysOf(0), 'flood')).ok).toBe(true);
    },
  );
});
