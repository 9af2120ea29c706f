import type { GameConfig } from '../config/game-config.js';
import type { PlayerRow } from '../player/player-row.js';
import { playerStatus } from '../player/player-status.js';

export type Segment = { segmentId: string; name: string; version: number };

const DAY_MS = 86_400_000;
const NEW_PLAYER_DAYS = 7;
const LAPSED_PAYER_DAYS = 30;
const DORMANT_DAYS = 14;

type Rule = Segment & { contains: (player: PlayerRow, config: GameConfig, nowMs: number) => boolean };

/** The segments every game has, in the order they are listed. Pure rules over the player's row. */
const RULES: readonly Rule[] = [
  {
    segmentId: 'new_player',
    name: 'New player',
    version: 1,
    contains: (player, _config, now) => now - player.createdAt < NEW_PLAYER_DAYS * DAY_MS,
  },
  {
    segmentId: 'non_payer',
    name: 'Non-payer',
    version: 1,
    contains: (player, config, now) => !playerStatus(player, config, now).isPayer.value,
  },
  {
    segmentId: 'payer',
    name: 'Payer',
    version: 1,
    contains: (player, config, now) => playerStatus(player, config, now).isPayer.value,
  },
  {
    segmentId: 'lapsed_payer',
    name: 'Lapsed payer',
    version: 1,
    contains: (player, _config, now) =>
      player.lastPurchaseAt !== null && now - player.lastPurchaseAt >= LAPSED_PAYER_DAYS * DAY_MS,
  },
  {
    segmentId: 'dormant',
    name: 'Dormant',
    version: 1,
    contains: (player, _config, now) =>
      now - (player.lastEventAt ?? player.createdAt) >= DORMANT_DAYS * DAY_MS,
  },
];

export function segmentsOf(player: PlayerRow, config: GameConfig, nowMs: number): Segment[] {
  return RULES.filter((rule) => rule.contains(player, config, nowMs)).map(({ segmentId, name, version }) => ({
    segmentId,
    name,
    version,
  }));
}
