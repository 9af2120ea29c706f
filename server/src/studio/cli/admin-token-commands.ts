import { Command } from 'commander';
import { DAY_MS } from '../../platform/lib/day.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import {
  createAdminToken,
  type ListedToken,
  listAdminTokens,
  revokeAdminToken,
} from '../admin-api/admin-tokens.js';
import type { Role } from '../admin-api/roles.js';
import { MAX_TOKEN_DAYS } from '../games-and-keys/admin-token-schemas.js';
import { commandActor, currentUser } from './command-actor.js';
import { namedOrOnlyTenant, requireFilter } from './game-option.js';
import { readName } from './person-name.js';
import { roleOption } from './role-option.js';
import { say, withDatabase } from './terminal.js';

type CreateOptions = { role: Role; tenant?: string; name?: string; expiresDays?: string };

export function adminTokenCommands(): Command {
  const token = new Command('admin-token').description('tokens for the admin API');
  token
    .command('create')
    .description('create a token; it is shown once')
    .addOption(roleOption())
    .option('--tenant <tenant-id>', 'the studio; may be left out where there is only one')
    .option('--name <text>', 'the name of its holder in the audit log (default: your user name)')
    .option('--expires-days <days>', 'days until the token expires (default: it works until it is revoked)')
    .action(create);
  token
    .command('list')
    .description('list tokens; the tokens themselves are never shown again')
    .option('--tenant <tenant-id>', 'only of this studio')
    .action(async ({ tenant }: { tenant?: string }) => {
      const tokens = await withDatabase(async ({ pool }) => {
        await requireFilter(pool, tenant);
        return listAdminTokens(pool, tenant);
      });
      if (tokens.length === 0) say('There are no tokens. Create one: savepoint admin-token create --role …');
      for (const row of tokens) say(describe(row, Date.now()));
    });
  token
    .command('revoke <token-id>')
    .description('refuse a token from the next request on')
    .action(async (tokenId: string) => {
      const isRevoked = await withDatabase(async ({ pool }) =>
        revokeAdminToken(pool, tokenId, await commandActor(pool)),
      );
      if (!isRevoked) {
        throw new StartupError(
          `There is no active token "${tokenId}". List them: savepoint admin-token list`,
        );
      }
      say(`Revoked ${tokenId}.`);
    });
  return token;
}

async function create({ role, tenant: wanted, name: given, expiresDays }: CreateOptions): Promise<void> {
  const name = readName(given ?? currentUser());
  const days = expiresDays === undefined ? null : readDays(expiresDays);
  await withDatabase(async ({ pool }) => {
    const tenant = await namedOrOnlyTenant(pool, wanted);
    const actor = await commandActor(pool);
    const expiresAt = days === null ? null : actor.nowMs + days * DAY_MS;
    const { token } = await createAdminToken(pool, { tenantId: tenant.id, name, role, expiresAt }, actor);
    say(`Admin token  ${token}`);
    say(
      `The token is shown only this time. Its role is ${role} of ${tenant.slug}, its name in the audit log is ${name}.`,
    );
    say('Send it to the operations listener: Authorization: Bearer <token>');
  });
}

function readDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_TOKEN_DAYS) return days;
  throw new StartupError(`--expires-days is "${text}": give a whole number from 1 to ${MAX_TOKEN_DAYS}.`);
}

function describe(row: ListedToken, nowMs: number): string {
  const { tokenId, tenant, role, createdAt, name } = row;
  return `${tokenId}  ${tenant}  ${role}  created ${isoTime(createdAt)}  ${stateOf(row, nowMs)}  ${name}`;
}

function stateOf({ revokedAt, expiresAt }: ListedToken, nowMs: number): string {
  if (revokedAt !== null) return `revoked ${isoTime(revokedAt)}`;
  if (expiresAt === null) return 'active';
  return `${expiresAt <= nowMs ? 'expired' : 'active until'} ${isoTime(expiresAt)}`;
}
