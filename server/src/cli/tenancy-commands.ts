import { Command, Option } from 'commander';
import type { UnregisteredTypes } from '../features/event-types/event-type-queries.js';
import { MAX_RETENTION_DAYS } from '../features/retention/retention-queries.js';
import { createGame, createTenant, updateGameSettings } from '../features/tenancy/tenant-changes.js';
import { findTenant, isSlug } from '../features/tenancy/tenants.js';
import { StartupError } from '../lib/startup-error.js';
import { commandActor } from './command-actor.js';
import { requireGame } from './game-option.js';
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
        if (!(await createTenant(pool, { slug, name: options.name ?? slug }, commandActor()))) {
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
        const added = { tenant: options.tenant, slug, name: options.name ?? slug };
        if (!(await createGame(pool, added, commandActor()))) {
          throw new StartupError(`There is a game "${slug}" of ${options.tenant} already.`);
        }
        say(`Created game ${slug}. Next: savepoint key create --tenant ${options.tenant} --game ${slug}`);
      });
    });
  game
    .command('set <game-id>')
    .description('change the settings of a game; every node obeys from the next request on')
    .requiredOption('--tenant <tenant-id>', 'the studio it belongs to')
    .addOption(
      new Option(
        '--unregistered-types <what>',
        'accept events of types without a schema, or hold them in the inbox of failed events (the types with a meaning, such as Purchase, are always known)',
      ).choices(['accept', 'hold']),
    )
    .option(
      '--retention-days <days>',
      'delete events this many days after their own time, or `keep` them (players and roll-ups always stay)',
    )
    .addHelpText(
      'after',
      `
Events are deleted by the hourly maintenance or by savepoint retention run. From then on events from before that time are
no longer taken either, as one that was counted and deleted could not be told from a new one. Choose a time that is
longer than players stay offline: 90 days, say.`,
    )
    .action(async (slug: string, options: GameSettings & { tenant: string }) => {
      const { tenant, unregisteredTypes } = options;
      const retentionDays = readRetentionDays(options.retentionDays);
      if (unregisteredTypes === undefined && retentionDays === undefined) {
        throw new StartupError('Say what to set: savepoint game set --help');
      }
      await withDatabase(async ({ pool }) => {
        const { id } = await requireGame(pool, tenant, slug);
        const settings = {
          ...(unregisteredTypes === undefined ? {} : { unregisteredTypes }),
          ...(retentionDays === undefined ? {} : { retentionDays }),
        };
        await updateGameSettings(pool, id, settings, commandActor());
        if (unregisteredTypes !== undefined) {
          say(`Events of unregistered types of ${tenant}/${slug}: ${unregisteredTypes}.`);
        }
        if (retentionDays !== undefined) {
          say(
            retentionDays === null
              ? `Events of ${tenant}/${slug} are kept.`
              : `Events of ${tenant}/${slug} are kept for ${retentionDays} days. What goes: savepoint retention run --dry-run`,
          );
        }
      });
    });
  return game;
}

type GameSettings = { unregisteredTypes?: UnregisteredTypes; retentionDays?: string };

/** Null: keep for ever. Undefined: not to be changed. */
function readRetentionDays(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'keep') return null;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_RETENTION_DAYS) return days;
  throw new StartupError(`--retention-days is "${text}": give 1 to ${MAX_RETENTION_DAYS}, or keep.`);
}

function requireSlug(what: string, slug: string): void {
  if (isSlug(slug)) return;
  throw new StartupError(
    `"${slug}" cannot be a ${what} id: use lower-case letters, digits and hyphens, 63 at the most.`,
  );
}
