import { Command, Option } from 'commander';
import type { UnregisteredTypes } from '../../platform/admin-api/tenants.js';
import { isSlug, listGames, listTenants, SLUG_RULE } from '../../platform/admin-api/tenants.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { MAX_ERASURE_WAIT_DAYS, MAX_RETENTION_DAYS } from '../games-and-keys/game-schemas.js';
import { createGame, createTenant, updateGameSettings } from '../games-and-keys/tenant-changes.js';
import { commandActor } from './command-actor.js';
import { requireFilter, requireGame, requireTenant } from './game-option.js';
import { printable } from './printable.js';
import { tableLines } from './table.js';
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
        if (!(await createTenant(pool, { slug, name: options.name ?? slug }, await commandActor(pool)))) {
          throw new StartupError(`There is a tenant "${slug}" already.`);
        }
        say(`Created tenant ${slug}. Next, a member with a link to the console, or a game:`);
        say(`  savepoint admin create --email you@studio.example --role owner --tenant ${slug}`);
        say(`  savepoint game create <game-id> --tenant ${slug}`);
      });
    });
  tenant
    .command('list')
    .description('list the studios')
    .action(async () => {
      const tenants = await withDatabase(({ pool }) => listTenants(pool));
      if (tenants.length === 0)
        return say('There is no tenant yet. Create one: savepoint tenant create <tenant-id>');
      const rows = tenants.map(({ slug, name, games, createdAt }) => [
        ...[slug, printable(name), String(games), isoTime(createdAt)],
      ]);
      sayTable([['tenant', 'name', 'games', 'created'], ...rows], [2]);
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
        await requireTenant(pool, options.tenant);
        const added = { tenant: options.tenant, slug, name: options.name ?? slug };
        if (!(await createGame(pool, added, await commandActor(pool)))) {
          throw new StartupError(`There is a game "${slug}" of ${options.tenant} already.`);
        }
        say(`Created game ${slug}. Next: savepoint key create --tenant ${options.tenant} --game ${slug}`);
      });
    });
  game
    .command('list')
    .description('list the games, with the settings of each')
    .option('--tenant <tenant-id>', 'only of this studio')
    .action(async ({ tenant }: { tenant?: string }) => {
      const games = await withDatabase(async ({ pool }) => {
        await requireFilter(pool, tenant);
        return listGames(pool, tenant);
      });
      if (games.length === 0) {
        const whose = tenant ?? '<tenant-id>';
        return say(`There is no game yet. Create one: savepoint game create <game-id> --tenant ${whose}`);
      }
      const rows = games.map((row) => [
        ...[row.tenant, row.slug, printable(row.name), String(row.publishedVersion), String(row.keys)],
        ...[row.retentionDays === null ? 'for ever' : `${row.retentionDays} days`, row.unregisteredTypes],
      ]);
      const titles = ['tenant', 'game', 'name', 'version', 'keys', 'events kept', 'unregistered types'];
      sayTable([titles, ...rows], [3, 4]);
    });
  game
    .command('set <game-id>')
    .description('change the settings of a game; every node applies them from the next request on')
    .requiredOption('--tenant <tenant-id>', 'the studio it belongs to')
    .addOption(
      new Option(
        '--unregistered-types <what>',
        'accept events of types without a schema, or hold them in the inbox of failed events (built-in types, such as Purchase, are always known)',
      ).choices(['accept', 'hold']),
    )
    .option(
      '--retention-days <days>',
      'delete events this many days after their receipt, or `keep` them (players and roll-ups always stay)',
    )
    .option(
      '--erasure-wait-days <days>',
      `for how many days a request to erase a player can be withdrawn: 0 (at once) to ${MAX_ERASURE_WAIT_DAYS}`,
    )
    .addOption(
      new Option(
        '--erasure-page <what>',
        'a public page on which players who have removed the game ask for erasure (default: off)',
      ).choices(['on', 'off']),
    )
    .addHelpText(
      'after',
      `
Events are deleted by the hourly maintenance or by savepoint retention run, by the UTC day of their receipt. What they counted for
stays, and an event that is sent again after its deletion is still recognised. explain, export and rollups check see only
the events that are left.`,
    )
    .action(async (slug: string, options: GameSettings & { tenant: string }) => {
      const { tenant, unregisteredTypes } = options;
      const retentionDays = readRetentionDays(options.retentionDays);
      const erasureWaitDays = readErasureWaitDays(options.erasureWaitDays);
      const erasurePage = options.erasurePage === undefined ? undefined : options.erasurePage === 'on';
      const given = [unregisteredTypes, retentionDays, erasureWaitDays, erasurePage];
      if (given.every((setting) => setting === undefined)) {
        throw new StartupError('Say what to set: savepoint game set --help');
      }
      await withDatabase(async ({ pool }) => {
        const { id } = await requireGame(pool, tenant, slug);
        const settings = {
          ...(unregisteredTypes === undefined ? {} : { unregisteredTypes }),
          ...(retentionDays === undefined ? {} : { retentionDays }),
          ...(erasureWaitDays === undefined ? {} : { erasureWaitDays }),
          ...(erasurePage === undefined ? {} : { erasurePage }),
        };
        await updateGameSettings(pool, id, settings, await commandActor(pool));
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
        if (erasureWaitDays !== undefined) {
          say(`Players of ${tenant}/${slug} are erased ${erasureWaitDays} days after the request.`);
        }
        if (erasurePage === true) {
          say(
            `Players of ${tenant}/${slug} can ask for erasure at /erase/${tenant}/${slug} of the player API.`,
          );
        }
        if (erasurePage === false) say(`${tenant}/${slug} has no page for requests of erasure.`);
      });
    });
  return game;
}

function sayTable(rows: readonly (readonly string[])[], numbers: readonly number[]): void {
  for (const line of tableLines(rows, (column) => numbers.includes(column))) say(line);
}

type GameSettings = {
  unregisteredTypes?: UnregisteredTypes;
  retentionDays?: string;
  erasureWaitDays?: string;
  erasurePage?: 'on' | 'off';
};

function readErasureWaitDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= MAX_ERASURE_WAIT_DAYS) return days;
  throw new StartupError(`--erasure-wait-days is "${text}": give 0 to ${MAX_ERASURE_WAIT_DAYS}.`);
}

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
  throw new StartupError(`"${slug}" cannot be a ${what} id: use ${SLUG_RULE}.`);
}
