import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { loadSigningKeys } from '../../core/sessions/signing-keys.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { keepToShare } from '../../platform/lib/share-of-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { createErasureHashes, type ErasureHashes } from '../../platform/security/erasure-hashes.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import type { Settings } from '../../platform/settings/settings.js';
import { createLogger } from '../../platform/telemetry/logger.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine, type ProgressLine } from '../../studio/cli/progress-line.js';
import { tell, withMasterKeys } from '../../studio/cli/terminal.js';
import { hasDueErasures } from '../erasures/begin-queries.js';
import { listErasuresByHash } from '../erasures/erasure-queries.js';
import { createErasedListWriter, erasedListFile } from '../erasures/list-file.js';
import { requestErasures } from '../erasures/request-erasure.js';
import { ERASURE_SHARE, type ErasureRun, runErasures } from '../erasures/run-erasures.js';

type EraseOptions = { tenant: string; game: string; player?: string; file?: string };

const HELP = `
One player, or all players of a file with a userId on each line:
  savepoint erase player --tenant my-studio --game my-game --player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a
  savepoint erase player --tenant my-studio --game my-game --file players.txt > receipts.txt
Nothing brings an erased player back. If the game has set a time in which erasures can be withdrawn, the players are erased after it, by
the service. Otherwise the command erases them, beside a running service or without it, and writes a signed receipt for each of them
to standard output. After an interruption of any kind, run the same command again: it does what is left.`;

export function eraseCommands(): Command {
  const erase = new Command('erase').description('erase what is stored about players');
  withGame(erase.command('player'))
    .description('erase everything that is stored about a player, or about the players of a file')
    .option('--player <user-id>', 'userId of the login response')
    .option('--file <file>', 'a userId on each line')
    .addHelpText('after', HELP)
    .action(erasePlayers);
  return erase;
}

async function erasePlayers({ tenant, game, player, file }: EraseOptions): Promise<void> {
  const userIds = await readUserIds(player, file);
  await withMasterKeys(async ({ pool }, settings, { keys }, signal) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const hashes = await createErasureHashes(pool, async () => keys)();
    const actor = await commandActor(pool);
    const line = createProgressLine();
    try {
      const known = await requestAll({ pool, gameId, hashes, actor, line, signal }, userIds);
      const unknown = userIds.length - known.length;
      if (player !== undefined && unknown > 0) {
        throw new StartupError(
          `${tenant}/${game} has no player "${printable(player)}", and had none that was erased.`,
        );
      }
      await eraseDue(pool, settings, keys, { hashes, actor, line, signal });
      line.end();
      await writeReceipts(pool, gameId, hashes, known);
      if (unknown > 0) tell(`${grouped(unknown)} ids are of no player of ${tenant}/${game}.`);
    } finally {
      line.end();
    }
  }, 'What was erased stays erased. Run the same command again for the rest.');
}

async function readUserIds(player: string | undefined, file: string | undefined): Promise<string[]> {
  if ((player === undefined) === (file === undefined)) throw new StartupError('Give --player or --file.');
  const lines = file === undefined ? [player ?? ''] : (await readGivenFile(file)).split(/\r?\n/);
  const userIds = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' && file !== undefined) continue;
    if (!UUID_ANY_CASE.test(text)) {
      const where = file === undefined ? '--player' : `${file}:${index + 1}`;
      throw new StartupError(`${where}: "${printable(text)}" is no userId. Nothing was erased.`);
    }
    userIds.add(text.toLowerCase());
  }
  return [...userIds];
}

type Requests = Readonly<{
  pool: Pool;
  gameId: number;
  hashes: ErasureHashes;
  actor: Actor;
  line: ProgressLine;
  signal: AbortSignal;
}>;

/** Their rows are locked until the end of the transaction. */
const REQUESTS_PER_TRANSACTION = 10;
const PER_STATEMENT = 1_000;

/** Requests the erasures, and returns the players that the game has, or had. */
async function requestAll(
  { pool, gameId, hashes, actor, line, signal }: Requests,
  userIds: readonly string[],
): Promise<string[]> {
  const known: string[] = [];
  const rest = keepToShare(ERASURE_SHARE, signal);
  for (let at = 0; at < userIds.length; at += REQUESTS_PER_TRANSACTION) {
    const some = userIds.slice(at, at + REQUESTS_PER_TRANSACTION);
    const found = new Set(await requestErasures(pool, hashes, { gameId, by: actor }, some));
    const gone = some.filter((userId) => !found.has(userId));
    const erased = await listErasuresByHash(pool, gameId, gone.map(hashes.player));
    const hadErased = new Set(erased.map(({ playerHash }) => playerHash.toString('hex')));
    known.push(...found, ...gone.filter((userId) => hadErased.has(hashes.player(userId).toString('hex'))));
    line.show(
      () => `${progressBar(at, userIds.length)} ${grouped(at)} of ${grouped(userIds.length)} requested`,
    );
    await rest();
  }
  return known;
}

const PAUSE_MS = 1_000;

/** Erases all players that are due, or waits while a running service does. */
async function eraseDue(
  pool: Pool,
  settings: Settings,
  masterKeys: MasterKeys,
  { hashes, actor, line, signal }: Pick<Requests, 'hashes' | 'actor' | 'line' | 'signal'>,
): Promise<void> {
  const startedAt = performance.now();
  const now = () => actor.nowMs + performance.now() - startedAt;
  const logger = createLogger(settings);
  const { accessTtlSeconds, tokenIssuer: issuer } = settings;
  const keys = await loadSigningKeys({ pool, masterKeys, clock: { now }, accessTtlSeconds, logger });
  const run: ErasureRun = {
    pool,
    hashes,
    signer: { issuer, current: keys.current },
    now,
    signal,
    onErasing: createErasedListWriter(pool, erasedListFile(settings), now, logger),
    onProgress: (erased) => line.show(() => `${grouped(erased)} players erased`),
  };
  try {
    while (await hasDueErasures(pool, now())) {
      const { state } = await runErasures(run);
      signal.throwIfAborted();
      if (state !== 'done') await sleep(PAUSE_MS, undefined, { signal });
    }
  } finally {
    keys.stop();
  }
}

async function writeReceipts(
  pool: Pool,
  gameId: number,
  hashes: ErasureHashes,
  userIds: readonly string[],
): Promise<void> {
  let done = 0;
  for (const some of chunksOf(userIds, PER_STATEMENT)) {
    for (const { receipt } of await listErasuresByHash(pool, gameId, some.map(hashes.player))) {
      if (receipt === null) continue;
      process.stdout.write(`${receipt}\n`);
      done++;
    }
  }
  tell(`${grouped(done)} of ${grouped(userIds.length)} players are erased.`);
  if (done < userIds.length) tell('The others are erased when their time to withdraw is over.');
}
