import { describe, expect, it } from 'vitest';
import type { PlayerRow } from '../../src/features/player/player-row.js';
import { playerStatus } from '../../src/features/player/player-status.js';
import { configWith, DAY_MS, NOW, playerRow } from '../support/player-row.js';

const isPayer = (player: PlayerRow, payerForDays: number | null, now: number) =>
  playerStatus(player, configWith(payerForDays), now).isPayer;

describe('playerStatus', () => {
  const payer = playerRow({ purchaseCount: 1, lastPurchaseAt: NOW });

  it('is the default for a player without a purchase, with or without a term', () => {
    const never = { value: false, defaultValue: false, expiredAt: null };
    expect(isPayer(playerRow(), null, NOW)).toEqual(never);
    expect(isPayer(playerRow(), 30, NOW)).toEqual(never);
  });

  it('is the default again for a player whose every purchase was refunded', () => {
    expect(isPayer(playerRow({ purchaseCount: 0, lastPurchaseAt: null, lastEventAt: NOW }), 30, NOW)).toEqual(
      {
        value: false,
        defaultValue: false,
        expiredAt: null,
      },
    );
  });

  it('never ends without a term', () => {
    expect(isPayer(payer, null, NOW + 36_500 * DAY_MS)).toEqual({
      value: true,
      defaultValue: false,
      expiredAt: null,
    });
  });

  it.each([1, 30, 36_500])('ends to the millisecond %i days after the last purchase', (days) => {
    const end = NOW + days * DAY_MS;
    const expiredAt = new Date(end).toISOString();
    const at = (now: number) => isPayer(payer, days, now);
    expect(at(NOW)).toEqual({ value: true, defaultValue: false, expiredAt });
    expect(at(end - 1)).toEqual({ value: true, defaultValue: false, expiredAt });
    expect(at(end)).toEqual({ value: false, defaultValue: false, expiredAt });
    expect(at(end + 1)).toEqual({ value: false, defaultValue: false, expiredAt });
  });

  it('counts from the last purchase, not from the first', () => {
    const again = playerRow({ purchaseCount: 2, lastPurchaseAt: NOW + 5 * DAY_MS });
    expect(isPayer(again, 7, NOW + 8 * DAY_MS).value).toBe(true);
    expect(isPayer(again, 7, NOW + 12 * DAY_MS).value).toBe(false);
  });
});
