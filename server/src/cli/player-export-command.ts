import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { snapshot } from '../db/pool.js';
import { streamTarget } from '../features/exports/export-target.js';
import { auditPlayerExport } from '../features/player-exports/audit-player-export.js';
import { exportPieces } from '../features/player-exports/export-pieces.js';
import { createExportPool } from '../features/player-exports/player-exports.js';
import { StartupError } from '../lib/startup-error.js';
import { UUID_ANY_CASE } from '../lib/uuid.js';
import { outputClosed } from './closed-output.js';
import { commandActor } from './command-actor.js';
import { requireGame } from './game-option.js';
import { printable } from './printable.js';
import { withDatabase } from './terminal.js';

export type PlayerExportOptions = { tenant: string; game: string; player: string; out?: string };

export const PLAYER_EXPORT_HELP = `
Everything that is stored about the player, as the JSON document that the player gets from GET /v1/player/export. It is personal data:
only you can read the file, and the audit log says that you took it.
  savepoint export player --tenant my-studio --game my-game --player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a --out player.json`;

/** `savepoint export player` */
export async function exportPlayer({ tenant, game, player, out }: PlayerExportOptions): Promise<void> {
  await withDatabase(async ({ pool, url }, _, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const noSuchPlayer = new StartupError(
      `${tenant}/${game} has no player "${printable(player)}". Give the userId of the player's login.`,
    );
    if (!UUID_ANY_CASE.test(player)) throw noSuchPlayer;
    const userId = player.toLowerCase();
    const actor = await commandActor(pool);
    const exports = createExportPool(url);
    await snapshot(exports, async (client) => {
      const pieces = await exportPieces(client, { gameId, userId, nowMs: actor.nowMs });
      if (pieces === undefined) throw noSuchPlayer;
      await auditPlayerExport(pool, { gameId, userId }, actor);
      await (out === undefined ? writeOut(pieces, signal) : writeFile(out, pieces, signal));
    }).finally(() => exports.end());
    if (out !== undefined) process.stderr.write(`Exported the player to ${out}.\n`);
  }, 'The export is not complete.');
}

async function writeOut(pieces: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
  const target = streamTarget(process.stdout, signal);
  for await (const piece of pieces) {
    if (outputClosed.aborted) return;
    await target.write(piece, 0, null);
  }
}

/** Leaves no file that is not complete. */
async function writeFile(path: string, pieces: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(pieces, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new StartupError(`${path} exists already. Delete it, or choose another name.`);
    }
    await unlink(path).catch(() => {});
    throw error;
  }
}
