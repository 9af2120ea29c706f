import { describe, expect, it } from 'vitest';
import { bucketOf, HOLDOUT_SALT, isInShare, userIdBytes } from '../../../src/decide/compile/bucket.js';
import { holdoutLines } from '../../../src/experiments/cli/holdout-lines.js';
import { compareGroups } from '../../../src/experiments/holdouts/comparison.js';
import { addPlayers, noSums } from '../../../src/experiments/holdouts/group-sums.js';

const PERCENT = 50;
const isHeldOut = (userId: string) => isInShare(bucketOf(HOLDOUT_SALT, userIdBytes(userId)), PERCENT);
const userIds = Array.from({ length: 4_000 }, (_, n) => `player-${n}`);
const [heldOut, targeted] = [userIds.filter(isHeldOut), userIds.filter((userId) => !isHeldOut(userId))];

/** `payers` of the first players of a group pay one after the other of these amounts. */
function sumsOf(groups: { users: readonly string[]; payers: number; amounts: readonly number[] }[]) {
  const sums = noSums(null);
  for (const { users, payers, amounts } of groups) {
    const players = users.map((userId, n) => {
      const amount = n < payers ? amounts[n % amounts.length] : undefined;
      const revenue: Record<string, number> = amount === undefined ? {} : { USD: amount };
      return { userId, purchases: amount === undefined ? 0 : 1, revenue, dated: [] };
    });
    addPlayers(sums, { userIds: [], buying: players }, PERCENT, null);
  }
  return sums;
}

const AMOUNTS = [1, 2, 5, 10, 20];
const compare = (...groups: Parameters<typeof sumsOf>[0]) => compareGroups(sumsOf(groups), PERCENT);

describe('held-out players and the rest', () => {
  it('differ where targeting doubles conversion, and revenue with it', () => {
    const { conversion, revenuePerPlayer, sampleRatio } = compare(
      { users: heldOut, payers: 100, amounts: AMOUNTS },
      { users: targeted, payers: 300, amounts: AMOUNTS },
    );
    expect(sampleRatio.isMismatch).toBe(false);
    expect(conversion.state).toBe('higher');
    expect(revenuePerPlayer.USD?.state).toBe('higher');
    expect(revenuePerPlayer.USD?.interval?.low).toBeGreaterThan(0);
  });

  it('are not proven to differ by what one look would call a difference', () => {
    // 100 of 2,000 against 135 of 2,000: about 2.3 standard errors.
    const { conversion } = compare(
      { users: heldOut, payers: 100, amounts: AMOUNTS },
      { users: targeted, payers: 135, amounts: AMOUNTS },
    );
    expect(conversion.difference).toBeGreaterThan(0.01);
    expect(conversion.state).toBe('no_difference_seen');
  });

  it('are judged alike with and without a whale, and the report says that its amount is capped', () => {
    const of = (whale: number) =>
      compare(
        { users: heldOut, payers: 100, amounts: AMOUNTS },
        { users: targeted, payers: 300, amounts: [...AMOUNTS, ...AMOUNTS, ...Array(289).fill(5), whale] },
      ).revenuePerPlayer.USD;
    expect(of(1e6)).toEqual(of(500));
    expect(of(1e6)?.capped).toMatchObject({ players: 1 });
    expect(of(1e6)?.capped?.at).toBeLessThan(21);
  });

  it('get no verdict with fewer than 30 payers in a group', () => {
    const {
      conversion,
      revenuePerPlayer,
      heldOut: group,
    } = compare(
      { users: heldOut, payers: 29, amounts: AMOUNTS },
      { users: targeted, payers: 300, amounts: AMOUNTS },
    );
    expect([conversion, revenuePerPlayer.USD].map((of) => of?.state)).toEqual(['too_few', 'too_few']);
    expect(group.conversionInterval).toBeNull();
  });

  it('get no verdict if their numbers are not those of the share', () => {
    const comparison = compare(
      { users: heldOut.slice(0, 1_500), payers: 100, amounts: AMOUNTS },
      { users: targeted, payers: 300, amounts: AMOUNTS },
    );
    expect(comparison.sampleRatio.isMismatch).toBe(true);
    expect(comparison.conversion).toMatchObject({ state: 'sample_ratio_mismatch', interval: null });
    const lines = holdoutLines({
      ...comparison,
      from: '2026-10-18',
      to: '2026-11-14',
      holdoutPercent: PERCENT,
    });
    expect(lines[1]).toMatch(/^The groups do not have as many players as the share says\./);
    expect(lines.at(-1)).toMatch(/: no verdict, the groups cannot be compared/);
  });

  it('are nothing while there are none', () => {
    const { conversion, heldOut: group } = compare();
    expect(conversion).toEqual({ difference: 0, interval: null, state: 'too_few', capped: null });
    expect(group).toMatchObject({ players: 0, conversion: null, conversionInterval: null });
  });
});
