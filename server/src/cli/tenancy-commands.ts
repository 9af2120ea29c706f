import { Command } from 'commander';
import { findTenant, insertGame, insertTenant, isSlug } from '../features/tenancy/tenants.js';
import { StartupError } from '../lib/startup-error.js';
import { say, withDatabase } from './terminal.js';

export function tenantCommands(): Command {
  const tenant = new Command('tenant').description('studios');
  tenant
    .command('create <tenant-id>')
    .description('create a studio; the id goes into X-Tenant-ID')
    .option('--name <name>', 'display name (default: the id)')
    .action(async (slug: string, options: { name?: string }) => {
      requireSlug('tenant', slug);
      await withDatabase(async ({ pool }) => {
        if (!(await insertTenant(pool, slug, options.name ?? slug))) {
          throw new StartupError(`There is a tenant "${slug}" already.`);
        }
        say(`Created tenant ${slug}. Next: savepoint game create <game-id> --tenant ${slug}`);
      });
    });
  return tenant;
}

export function gameCommands(): Command {
  const game = new Command('game').description('games of a studio');
  game
    .command('create <game-id>')
    .description('create a game; the id goes into X-Game-Id')
    .requiredOption('--tenant <tenant-id>', 'the studio it belongs to')
    .option('--name <name>', 'display name (default: the id)')
    .action(async (slug: string, options: { tenant: string; name?: string }) => {
      requireSlug('game', slug);
      await withDatabase(async ({ pool }) => {
        if (!(await findTenant(pool, options.tenant))) {
          throw new StartupError(
            `There is no tenant "${options.tenant}". Create it: savepoint tenant create ${options.tenant}`,
          );
        }
        if (!(await insertGame(pool, options.tenant, slug, options.name ?? slug))) {
          throw new StartupError(`There is a game "${slug}" of ${options.tenant} already.`);
        }
        say(`Created game ${slug}. Next: savepoint key create --tenant ${options.tenant} --game ${slug}`);
      });
    });
  return game;
}

function requireSlug(what: string, slug: string): void {
  if (isSlug(slug)) return;
  throw new StartupError(
    `"${slug}" cannot be a ${what} id: use lower-case letters, digits and hyphens, 63 at the most.`,
  );
}
