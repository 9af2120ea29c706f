import type { GameConfig } from '../config/game-config.js';
import type { PlayerRow } from './player-row.js';

export type StatusFlag = { value: boolean; defaultValue: boolean; expiredAt: string | null };
export type PlayerStatus = { isPayer: StatusFlag };

const DAY_MS = 86_400_000;

/**
 * Who the player is to the studio, at this moment. An expiry that has passed needs no job: the value simply is the
 * default again.
 */
export function playerStatus(player: PlayerRow, config: GameConfig, nowMs: number): PlayerStatus {
  return { isPayer: isPayer(player, config, nowMs) };
}

function isPayer(player: PlayerRow, config: GameConfig, nowMs: number): StatusFlag {
  const defaultValue = false;
  if (player.purchaseCount === 0 || player.lastPurchaseAt === null) {
    return { value: defaultValue, defaultValue, expiredAt: null };
  }
  const days = config.flags.isPayer.payerForDays;
  if (days === null) return { value: true, defaultValue, expiredAt: null };
  const expiresAt = player.lastPurchaseAt + days * DAY_MS;
  return {
    value: nowMs < expiresAt ? true : defaultValue,
    defaultValue,
    expiredAt: new Date(expiresAt).toISOString(),
  };
}
