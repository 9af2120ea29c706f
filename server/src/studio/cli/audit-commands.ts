import { Command } from 'commander';
import type { AuditRow } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { type AuditLine, findAuditRow, listAuditLines } from '../games-and-keys/audit-overview.js';
import { requireGame, requireTenant } from './game-option.js';
import { type PageOptions, readPage, sayOlder, withPage } from './page-option.js';
import { printable, printableLines } from './printable.js';
import { say, withDatabase } from './terminal.js';
import { MAX_ID, wholeNumber } from './whole-number.js';

type ListOptions = PageOptions & { tenant?: string; game?: string; installation: boolean };

export function auditCommands(): Command {
  const audit = new Command('audit').description('who changed what, and when');
  withPage(audit.command('list'), 20)
    .description('list changes, newest first: of the whole installation, of a studio or of a game')
    .option('--tenant <tenant-id>', 'only of this studio')
    .option('--game <game-id>', 'only of this game of the studio')
    .option('--installation', 'only what belongs to no studio: signing keys and the master key', false)
    .addHelpText(
      'after',
      `
An entry is written in the transaction of its change, and never changed. Commands are by user@host, the console by name and
address of the person, the admin API by name and id of the token, and savepoint is the service itself. Secrets are never part of an entry.`,
    )
    .action(list);
  audit.command('show <id>').description('show an entry with all that was before and after').action(show);
  return audit;
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, game, installation } = options;
  if (installation && (tenant !== undefined || game !== undefined)) {
    throw new StartupError('Give --installation or --tenant, not both.');
  }
  if (game !== undefined && tenant === undefined) throw new StartupError('--game needs --tenant.');
  const { limit, before } = readPage(options);
  const entries = await withDatabase(async ({ pool }) =>
    listAuditLines(pool, {
      ...(await placeOf(pool, tenant, game)),
      installationOnly: installation,
      ...(before === null ? {} : { beforeId: String(before) }),
      limit,
    }),
  );
  if (entries.length === 0) say(`There are no ${before === null ? '' : 'older '}entries.`);
  for (const entry of entries) say(describe(entry));
  sayOlder(entries, limit, ({ id }) => id);
}

async function placeOf(
  pool: Pool,
  tenant: string | undefined,
  game: string | undefined,
): Promise<{ tenantId?: number; gameId?: number }> {
  if (tenant === undefined) return {};
  if (game !== undefined) return { gameId: (await requireGame(pool, tenant, game)).id };
  return { tenantId: (await requireTenant(pool, tenant)).id };
}

async function show(id: string): Promise<void> {
  const entry = await withDatabase(({ pool }) =>
    findAuditRow(pool, String(wholeNumber('The id', id, 1, MAX_ID))),
  );
  if (entry === undefined)
    throw new StartupError(`There is no entry #${id}. List them: savepoint audit list`);
  say(
    [
      `Entry   #${entry.id} of ${ownerOf(entry)}`,
      `At      ${isoTime(entry.at)}`,
      `By      ${whoDidIt(entry)}`,
      `Action  ${entry.action}`,
      `Target  ${printable(entry.target)}`,
      `Before  ${printableLines(JSON.stringify(entry.before, null, 2))}`,
      `After   ${printableLines(JSON.stringify(entry.after, null, 2))}`,
    ].join('\n'),
  );
}

function describe(entry: AuditLine): string {
  const { id, at, action, target, before, after } = entry;
  const what = `${whoDidIt(entry)}  ${action}  ${printable(target)}`;
  return [
    `#${id}  ${isoTime(at)}  ${ownerOf(entry)}  ${what}`,
    ...(before === null ? [] : [`    before ${printable(before)}`]),
    ...(after === null ? [] : [`    after  ${printable(after)}`]),
  ].join('\n');
}

/** Names are not unique. */
function whoDidIt({ actor, actorEmail, actorTokenId }: AuditRow | AuditLine): string {
  const name = printable(actor);
  if (actorEmail !== null) return `${name} <${printable(actorEmail)}>`;
  return actorTokenId === null ? name : `${name} (token ${actorTokenId})`;
}

function ownerOf({ tenant, game }: { tenant: string | null; game: string | null }): string {
  if (tenant === null) return 'the installation';
  return game === null ? tenant : `${tenant}/${game}`;
}
