import { snapshot } from '../../platform/db/pool.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame } from '../../studio/cli/game-option.js';
import { noSuchPlayer } from '../../studio/cli/player-of-game.js';
import { tell, withDatabase } from '../../studio/cli/terminal.js';
import { writePieces } from '../../studio/cli/write-pieces.js';
import { auditPlayerExport } from '../player-exports/audit-player-export.js';
import { exportPieces } from '../player-exports/export-pieces.js';
import { createExportPool } from '../player-exports/player-exports.js';

export type PlayerExportOptions = { tenant: string; game: string; player: string; out?: string };

export const PLAYER_EXPORT_HELP = `
Everything that is stored about the player, as the JSON document that the player gets from GET /v1/player/export. It is personal data:
only you can read the file, and the audit log says that you took it.
  savepoint export player --tenant my-studio --game my-game --player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a --out player.json`;

/** `savepoint export player` */
export async function exportPlayer({ tenant, game, player, out }: PlayerExportOptions): Promise<void> {
  await withDatabase(async ({ pool, url }, _, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    if (!UUID_ANY_CASE.test(player)) throw noSuchPlayer(player, { tenant, game });
    const userId = player.toLowerCase();
    const actor = await commandActor(pool);
    const exports = createExportPool(url);
    await snapshot(exports, async (client) => {
      const pieces = await exportPieces(client, { gameId, userId, nowMs: actor.nowMs });
      if (pieces === undefined) throw noSuchPlayer(player, { tenant, game });
      await auditPlayerExport(pool, { gameId, userId }, actor);
      await writePieces(pieces, out, signal);
    }).finally(() => exports.end());
    if (out !== undefined) tell(`Exported the player to ${out}.`);
  }, 'The export is not complete.');
}
