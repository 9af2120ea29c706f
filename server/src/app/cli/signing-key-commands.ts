import { Command } from 'commander';
import { type ListedSigningKey, listSigningKeys } from '../../core/sessions/signing-key-queries.js';
import { JWKS_MAX_AGE_SECONDS, signerOf, withoutSuperseded } from '../../core/sessions/signing-keys.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabase, withMasterKeys } from '../../studio/cli/terminal.js';
import { revokeSigningKey, rotateSigningKey } from '../../studio/sessions/signing-key-changes.js';

export function signingKeyCommands(): Command {
  const signingKey = new Command('signing-key').description('the keys that sign access tokens');
  signingKey
    .command('list')
    .description('list the keys: which one signs, which ones verify, which ones were revoked')
    .action(async () => {
      const lines = await withDatabase(async ({ pool }, settings) =>
        describeKeys(await listSigningKeys(pool), Date.now(), settings.accessTtlSeconds),
      );
      if (lines.length === 0) say('There is no signing key yet. The first start of the service makes one.');
      for (const line of lines) say(line);
    });

  signingKey
    .command('rotate')
    .description('publish a new key, which signs once every cache has seen it; no session ends')
    .option(
      '--now',
      'sign with it at once, on every node; the old key still verifies (to withdraw a leaked key, see revoke)',
      false,
    )
    .action(async (options: { now: boolean }) => {
      const { kid, signsFrom } = await withMasterKeys(async ({ pool }, _, { keys }) =>
        rotateSigningKey(pool, keys, await commandActor(pool), { immediately: options.now }),
      );
      say(
        `Published key ${kid}. New tokens are signed with it from ${new Date(signsFrom).toISOString()} on.`,
      );
    });

  signingKey
    .command('revoke <kid>')
    .description('withdraw a leaked key: every node refuses its tokens from the next request on')
    .addHelpText(
      'after',
      `
No session ends: a client whose access token is refused (401) refreshes and goes on. If the key was the one that signs, the next
published key signs at once, or a new one. Your own servers that check tokens with the public key set may keep the set for
${JWKS_MAX_AGE_SECONDS / 60} minutes: have them fetch it again.`,
    )
    .action(async (kid: string) => {
      const revocation = await withMasterKeys(async ({ pool }, _, { keys }) =>
        revokeSigningKey(pool, keys, kid, await commandActor(pool)),
      );
      if (revocation === undefined) {
        throw new StartupError(
          `There is no signing key "${kid}" that is not revoked. List them: savepoint signing-key list`,
        );
      }
      say(`Revoked key ${kid}. Every node refuses its tokens from the next request on; clients refresh.`);
      const { signer, isNew } = revocation;
      say(`Tokens are now signed with ${isNew ? 'a new key, ' : ''}${signer}.`);
    });
  return signingKey;
}

function describeKeys(
  newestFirst: readonly ListedSigningKey[],
  nowMs: number,
  accessTtlSeconds: number,
): string[] {
  if (newestFirst.length === 0) return [];
  const trusted = newestFirst.filter(({ revokedAt }) => revokedAt === null);
  const used = new Set(withoutSuperseded(trusted, nowMs, accessTtlSeconds).map(({ kid }) => kid));
  const signer = signerOf(trusted, nowMs);
  const upcoming = new Set(signer === undefined ? [] : trusted.slice(0, trusted.indexOf(signer)));
  const stateOf = (key: ListedSigningKey): string => {
    if (key.revokedAt !== null) return `revoked ${iso(key.revokedAt)}`;
    if (key === signer) return 'signs';
    if (upcoming.has(key)) return `published, signs from ${iso(key.activeFrom)}`;
    return used.has(key.kid) ? 'verifies the tokens that it signed' : 'no longer used';
  };
  const rows = newestFirst.map((key) => [key.kid, iso(key.createdAt), stateOf(key)]);
  return tableLines([['kid', 'created', 'state'], ...rows], () => false);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
