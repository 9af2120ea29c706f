import { Command, Option } from 'commander';
import { didYouMean } from '../../platform/lib/nearest-name.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { UUID } from '../../platform/lib/uuid.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { noSuchPlayer, requirePlayer } from '../../studio/cli/player-of-game.js';
import { printable } from '../../studio/cli/printable.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { rowErrorLine } from '../../studio/cli/row-errors.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { MAX_OVERRIDE_ROWS, OVERRIDE_COLUMNS, readOverrideFile } from '../players/override-file.js';
import { checkOverrides, importOverrides, type OverrideImport } from '../players/override-import.js';
import { FLAG_ID } from '../players/override-limits.js';
import { listOverrides } from '../players/override-queries.js';
import { clearOverride, setOverride } from '../players/overrides.js';
import { describeSet, reasonOf, untilOf, untilWords } from './set-for-player.js';

type GameOptions = { tenant: string; game: string };
type SetOptions = GameOptions & { value: 'true' | 'false'; reason: string; until?: string };

const MAX_SHOWN = 500;

const HELP = `
A file has a row for each flag of each player, under a header:

  playerId,flagId,value,reason,until
  0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a,isPayer,true,Paid by bank transfer,2027-01-01T00:00:00Z

value is true, false, or clear to let the rule decide again; until may be empty or left out. All rows are checked first: with anything
wrong, nothing is changed. A row that says what stands already changes nothing, so after an interruption the same command goes on.
Up to ${MAX_OVERRIDE_ROWS} rows.`;

export function overrideCommands(): Command {
  const override = new Command('override').description('flags of single players, whatever the rules say');
  withGame(override.command('list <player-id>'))
    .description('what the studio has said about the flags of a player, and says now')
    .action(list);
  withGame(override.command('set <player-id> <flag-id>'))
    .description('set a flag of a player')
    .addOption(new Option('--value <value>', 'what it is').choices(['true', 'false']).makeOptionMandatory())
    .requiredOption('--reason <text>', 'why, for those who look back')
    .option('--until <time>', 'when the rule decides again (default: when it is cleared)')
    .action(set);
  withGame(override.command('clear <player-id> <flag-id>'))
    .description('let the rule decide again')
    .action(clear);
  withGame(override.command('import'))
    .description('set flags of many players from a CSV file')
    .requiredOption('--file <path>', `CSV with the columns ${OVERRIDE_COLUMNS.join(', ')}`)
    .addHelpText('after', HELP)
    .action(importFile);
  return override;
}

async function list(playerId: string, options: GameOptions): Promise<void> {
  const overrides = await withDatabase(async ({ pool }) =>
    listOverrides(pool, await requirePlayer(pool, playerId, options), { limit: MAX_SHOWN }),
  );
  if (overrides.length === 0) say('None of the flags of this player was ever set.');
  for (const each of overrides) say(describeSet(`${each.flagId} = ${each.value}`, each, Date.now()));
  if (overrides.length === MAX_SHOWN)
    say(`Only ${MAX_SHOWN} are shown. The console shows all of them, on the page of the player.`);
}

async function set(playerId: string, flagId: string, options: SetOptions): Promise<void> {
  const { tenant, game, value } = options;
  const reason = reasonOf(options.reason);
  await withDatabase(async ({ pool }) => {
    const actor = await commandActor(pool);
    const until = untilOf(options.until, actor.nowMs);
    const { id: gameId } = await requireGame(pool, tenant, game);
    const place = placeOf(gameId, playerId, flagId, options);
    const set = await setOverride(pool, { ...place, value: value === 'true', reason, until }, actor);
    if (set.outcome === 'no_such_player') throw noSuchPlayer(playerId, { tenant, game });
    if (set.outcome === 'no_such_flag') throw noSuchFlag(flagId, tenant, game, set.nearest);
    say(`${flagId} of the player is ${value} from now on${untilWords(until)}.`);
  });
}

async function clear(playerId: string, flagId: string, options: GameOptions): Promise<void> {
  const { tenant, game } = options;
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const { outcome } = await clearOverride(
      pool,
      placeOf(gameId, playerId, flagId, options),
      await commandActor(pool),
    );
    if (outcome === 'no_such_player') throw noSuchPlayer(playerId, { tenant, game });
    if (outcome === 'no_such_override')
      return say(`${printable(flagId)} of the player is not set: its rule decides.`);
    say(`The rule of ${flagId} decides again.`);
  });
}

function placeOf(gameId: number, userId: string, flagId: string, { tenant, game }: GameOptions) {
  if (!UUID.test(userId)) throw noSuchPlayer(userId, { tenant, game });
  if (!FLAG_ID.test(flagId)) throw noSuchFlag(flagId, tenant, game);
  return { gameId, userId, flagId };
}

function noSuchFlag(flagId: string, tenant: string, game: string, nearest?: string): StartupError {
  const advice = didYouMean(nearest) || ' Publish the flag first.';
  return new StartupError(
    `What is published for ${tenant}/${game} has no flag "${printable(flagId)}".${advice}`,
  );
}

async function importFile({ tenant, game, file }: GameOptions & { file: string }): Promise<void> {
  const text = await readGivenFile(file);
  const afterwards = 'What was set stays so. Run the same command again for the rest.';
  await withDatabase(async ({ pool }, _, signal) => {
    const actor = await commandActor(pool);
    const reading = readOverrideFile(text, actor.nowMs);
    const { id: gameId, publishedVersion } = await requireGame(pool, tenant, game);
    const errors = await checkOverrides(pool, { gameId, publishedVersion }, reading);
    if (errors.length > 0)
      throw new StartupError(`Nothing of ${file} was taken:\n${errors.map(rowErrorLine).join('\n')}`);
    const line = createProgressLine();
    const onProgress = (progress: OverrideImport) => line.show(describeProgress(progress));
    const run = { actor, signal, onProgress };
    const { set, cleared, unchanged } = await importOverrides(pool, gameId, reading.rows, run).finally(
      line.end,
    );
    say(`${set} set, ${cleared} cleared, ${unchanged} as they were.`);
  }, afterwards);
}

function describeProgress({ total, set, cleared, unchanged }: OverrideImport): string {
  const done = set + cleared + unchanged;
  return `${done} of ${total} (${total === 0 ? 100 : Math.floor((done * 100) / total)}%)`;
}
