import { describe, expect, it } from 'vitest';
import type { PlayerRow } from '../../src/features/player/player-row.js';
import { segmentsOf } from '../../src/features/segments/builtin-segments.js';
import { configWith, DAY_MS, NOW, playerRow } from '../support/player-row.js';

const idsOf = (player: PlayerRow, now: number, payerForDays: number | null = null) =>
  segmentsOf(player, configWith(payerForDays), now).map(({ segmentId }) => segmentId);

describe('segmentsOf', () => {
  /** Old enough, and active just now, so that only what a test is about can put the player anywhere. */
  const regular = playerRow({ createdAt: NOW - 100 * DAY_MS, lastEventAt: NOW });

  it('lists id, name and version, and nothing of the rules', () => {
    expect(segmentsOf(regular, configWith(null), NOW)).toEqual([
      { segmentId: 'non_payer', name: 'Non-payer', version: 1 },
    ]);
  });

  it('new_player: for 7 days, to the millisecond', () => {
    const player = playerRow();
    expect(idsOf(player, NOW)).toContain('new_player');
    expect(idsOf(player, NOW + 7 * DAY_MS - 1)).toContain('new_player');
    expect(idsOf(player, NOW + 7 * DAY_MS)).not.toContain('new_player');
  });

  it('payer and non_payer: always exactly one of them, as the status says', () => {
    const payer = { ...regular, purchaseCount: 1, lastPurchaseAt: NOW };
    expect(idsOf(regular, NOW)).toEqual(['non_payer']);
    expect(idsOf(payer, NOW)).toEqual(['payer']);
    const end = NOW + DAY_MS;
    expect(idsOf({ ...payer, lastEventAt: end }, end - 1, 1)).toEqual(['payer']);
    expect(idsOf({ ...payer, lastEventAt: end }, end, 1)).toEqual(['non_payer']);
  });

  it('lapsed_payer: from 30 days after the last purchase, to the millisecond', () => {
    const end = NOW + 30 * DAY_MS;
    const payer = { ...regular, purchaseCount: 1, lastPurchaseAt: NOW, lastEventAt: end };
    expect(idsOf(payer, end - 1)).toEqual(['payer']);
    expect(idsOf(payer, end)).toEqual(['payer', 'lapsed_payer']);
    expect(idsOf(payer, end, 7)).toEqual(['non_payer', 'lapsed_payer']);
  });

  it('dormant: from 14 days after the last event, to the millisecond', () => {
    const player = { ...regular, lastEventAt: NOW };
    expect(idsOf(player, NOW + 14 * DAY_MS - 1)).toEqual(['non_payer']);
    expect(idsOf(player, NOW + 14 * DAY_MS)).toEqual(['non_payer', 'dormant']);
  });

  it('dormant: counts from the first login for a player who never sent an event', () => {
    const player = playerRow();
    expect(idsOf(player, NOW + 14 * DAY_MS - 1)).toEqual(['non_payer']);
    expect(idsOf(player, NOW + 14 * DAY_MS)).toEqual(['non_payer', 'dormant']);
  });
});
