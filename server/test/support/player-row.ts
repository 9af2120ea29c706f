import { EMPTY_GAME_CONFIG, type GameConfig } from '../../src/features/config/game-config.js';
import type { PlayerRow } from '../../src/features/player/player-row.js';

export const DAY_MS = 86_400_000;
export const NOW = Date.parse('2026-11-15T12:00:00.000Z');

/** A player who logged in for the first time at NOW and has done nothing yet. */
export function playerRow(overrides: Partial<PlayerRow> = {}): PlayerRow {
  return {
    playerId: '1',
    gameId: 1,
    userId: '0198c1f2-7d7a-7b0e-8000-000000000000',
    configVersion: 1,
    registryVersion: 0,
    createdAt: NOW,
    lastEventAt: null,
    purchaseCount: 0,
    lastPurchaseAt: null,
    ...overrides,
  };
}

export function configWith(payerForDays: number | null): GameConfig {
  return { ...EMPTY_GAME_CONFIG, flags: { isPayer: { payerForDays } } };
}
