import type { Command } from 'commander';
import type { Pool } from '../db/pool.js';
import { findGame, type GameRow } from '../features/tenancy/tenants.js';
import { StartupError } from '../lib/startup-error.js';

/** A command for one game. */
export function withGame(command: Command): Command {
  return command
    .requiredOption('--tenant <tenant-id>', 'the studio')
    .requiredOption('--game <game-id>', 'the game');
}

/** The game of `--tenant` and `--game`, or what to do if there is none. */
export async function requireGame(pool: Pool, tenant: string, game: string): Promise<GameRow> {
  const found = await findGame(pool, tenant, game);
  if (found !== undefined) return found;
  throw new StartupError(
    `There is no game "${game}" of tenant "${tenant}". Create it: savepoint game create ${game} --tenant ${tenant}`,
  );
}
