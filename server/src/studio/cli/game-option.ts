import type { Command } from 'commander';
import {
  findGame,
  type GameRow,
  type ListedTenant,
  listGames,
  listTenants,
} from '../../platform/admin-api/tenants.js';
import type { Pool } from '../../platform/db/pool.js';
import { didYouMean, nearestName } from '../../platform/lib/nearest-name.js';
import { StartupError } from '../../platform/lib/startup-error.js';

/** A command for one game. */
export function withGame(command: Command): Command {
  return command
    .requiredOption('--tenant <tenant-id>', 'the studio')
    .requiredOption('--game <game-id>', 'the game');
}

/** The tenant of `--tenant`, or which one may be meant. */
export async function requireTenant(pool: Pool, tenant: string): Promise<ListedTenant> {
  const tenants = await listTenants(pool);
  const found = tenants.find(({ slug }) => slug === tenant);
  if (found !== undefined) return found;
  const next =
    tenants.length === 0
      ? `Create it: savepoint tenant create ${tenant}`
      : 'List them: savepoint tenant list';
  throw new StartupError(
    `There is no tenant "${tenant}".${didYouMean(nearestName(tenant, slugs(tenants)))} ${next}`,
  );
}

/** The tenant that was named, or the only one. */
export async function namedOrOnlyTenant(pool: Pool, wanted: string | undefined): Promise<ListedTenant> {
  if (wanted !== undefined) return requireTenant(pool, wanted);
  const [only, ...others] = await listTenants(pool);
  if (only === undefined) {
    throw new StartupError('There is no tenant yet. Create one: savepoint tenant create <tenant-id>');
  }
  if (others.length === 0) return only;
  const known = [only, ...others].map(({ slug }) => slug).join(', ');
  throw new StartupError(`There are several tenants. Say which one with --tenant: ${known}`);
}

/** The game of `--tenant` and `--game`, or which one may be meant. */
export async function requireGame(pool: Pool, tenant: string, game: string): Promise<GameRow> {
  const found = await findGame(pool, tenant, game);
  if (found !== undefined) return found;
  await requireTenant(pool, tenant);
  throw noSuchGame(game, await listGames(pool, tenant), tenant);
}

/** For lists with an optional filter: a list for a misspelt name would look as if there were nothing. */
export async function requireFilter(pool: Pool, tenant?: string, game?: string): Promise<void> {
  if (tenant !== undefined) await requireTenant(pool, tenant);
  if (game === undefined) return;
  const games = await listGames(pool, tenant);
  if (!games.some(({ slug }) => slug === game)) throw noSuchGame(game, games, tenant);
}

function noSuchGame(game: string, games: readonly { slug: string }[], tenant?: string): StartupError {
  const whose = tenant === undefined ? '' : ` of tenant "${tenant}"`;
  const option = ` --tenant ${tenant ?? '<tenant-id>'}`;
  const next =
    games.length === 0
      ? `Create it: savepoint game create ${game}${option}`
      : `List them: savepoint game list${tenant === undefined ? '' : option}`;
  const nearest = didYouMean(nearestName(game, slugs(games)));
  return new StartupError(`There is no game "${game}"${whose}.${nearest} ${next}`);
}

function slugs(rows: readonly { slug: string }[]): string[] {
  return rows.map(({ slug }) => slug);
}
