import { Command } from 'commander';
import { DAY_MS } from '../../platform/lib/day.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { Settings } from '../../platform/settings/settings.js';
import { addMember, resetAccount } from '../accounts/account-changes.js';
import { isEmail } from '../accounts/account-schemas.js';
import { type ListedAccount, listAccounts } from '../accounts/member-queries.js';
import { signInPath } from '../accounts/sign-in-links.js';
import type { Role } from '../admin-api/roles.js';
import { commandActor } from './command-actor.js';
import { namedOrOnlyTenant, requireFilter } from './game-option.js';
import { readName } from './person-name.js';
import { printable } from './printable.js';
import { roleOption } from './role-option.js';
import { tableLines } from './table.js';
import { say, withDatabase } from './terminal.js';

type CreateOptions = {
  email: string;
  role: Role;
  tenant?: string;
  name?: string;
  url?: string;
  existing?: true;
};

const LINK_MS = DAY_MS;

/** People who sign in to the console. */
export function adminCommands(): Command {
  const admin = new Command('admin').description('people who sign in to the console and the admin API');
  admin
    .command('create')
    .description('add a member to a studio; a new account gets a sign-in link that works once')
    .requiredOption('--email <address>', 'what they sign in with')
    .addOption(roleOption())
    .option('--tenant <tenant-id>', 'the studio; may be left out where there is only one')
    .option('--name <text>', 'their name in the audit log (default: the part of the address before @)')
    .option('--url <url>', 'where they reach the operations listener (default: as it listens)')
    .option(
      '--existing',
      'also if the address already has an account with a password, created for another studio',
    )
    .action(create);
  admin
    .command('list')
    .description('list the accounts, with each studio they belong to')
    .option('--tenant <tenant-id>', 'only of this studio')
    .action(async ({ tenant }: { tenant?: string }) => {
      const accounts = await withDatabase(async ({ pool }) => {
        await requireFilter(pool, tenant);
        return listAccounts(pool, tenant);
      });
      if (accounts.length === 0)
        return say('There are no accounts. Create one: savepoint admin create --email … --role owner');
      const titles = ['email', 'name', 'tenant', 'role', 'password', 'second factor'];
      for (const line of tableLines([titles, ...accounts.map(toRow)], () => false)) say(line);
    });
  admin
    .command('reset')
    .description(
      'for a member who cannot sign in: removes password and second factor, ends all sessions, and prints a sign-in link',
    )
    .requiredOption('--email <address>', 'whose account')
    .option('--url <url>', 'where they reach the operations listener (default: as it listens)')
    .action(reset);
  return admin;
}

async function create(options: CreateOptions): Promise<void> {
  const email = readEmail(options.email);
  const name = readName(options.name ?? email.split('@', 1)[0] ?? email);
  const url = readUrl(options.url);
  await withDatabase(async ({ pool }, settings) => {
    const tenant = await namedOrOnlyTenant(pool, options.tenant);
    const actor = await commandActor(pool);
    const { role } = options;
    const isNewOnly = options.existing !== true;
    const linkExpiresAt = actor.nowMs + LINK_MS;
    const member = { email, name, role, tenantId: tenant.id, linkExpiresAt, isNewOnly };
    const added = await addMember(pool, member, actor);
    if (added.outcome === 'already_member') {
      throw new StartupError(
        `${email} is a member of ${tenant.slug} already. If they cannot sign in: savepoint admin reset --email ${email}`,
      );
    }
    if (added.outcome === 'account_exists') {
      throw new StartupError(
        `${email} has an account with a password already (savepoint admin list shows its studios). Its owner has not proved that the address is theirs. If you know that the account is theirs, add --existing; otherwise remove the password first: savepoint admin reset --email ${email}`,
      );
    }
    say(`${email} is ${role} of ${tenant.slug}.`);
    if (added.token === null) say('The account existed already: they sign in with the password they have.');
    else sayLink(settings, url, added.token);
  });
}

async function reset({ email: given, url: base }: { email: string; url?: string }): Promise<void> {
  const email = readEmail(given);
  const url = readUrl(base);
  await withDatabase(async ({ pool }, settings) => {
    const actor = await commandActor(pool);
    const done = await resetAccount(pool, email, actor.nowMs + LINK_MS, actor);
    if (done === undefined) {
      throw new StartupError(`There is no account of ${email}. List them: savepoint admin list`);
    }
    say(`${email} has no password and no second factor any more. Sessions ended: ${done.sessionsEnded}.`);
    sayLink(settings, url, done.token);
  });
}

function sayLink(settings: Settings, url: string | undefined, token: string): void {
  const base = url ?? httpUrl(settings.opsHost, settings.opsPort);
  say(`Sign-in link  ${base}${signInPath(token)}`);
  say('The link works once, within a day, and lets them set a password. Give it to this person only.');
}

function readEmail(text: string): string {
  const email = text.trim();
  if (isEmail(email)) return email;
  throw new StartupError(`--email is "${printable(text)}": give an address such as ada@studio.example.`);
}

function readUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.origin;
  throw new StartupError(
    `--url is "${printable(text)}": give an address such as https://ops.studio.example.`,
  );
}

function toRow({ email, name, tenant, role, hasPassword, hasSecondFactor }: ListedAccount): string[] {
  const yesNo = (is: boolean) => (is ? 'yes' : 'no');
  return [
    ...[printable(email), printable(name), tenant ?? '', role ?? ''],
    ...[yesNo(hasPassword), yesNo(hasSecondFactor)],
  ];
}
