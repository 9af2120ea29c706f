import { Command, Option } from 'commander';
import type { PinKind } from '../../decide/attributes/player-facts.js';
import { valueSentence } from '../../decide/document/parts/values.js';
import { checkStorable } from '../../platform/lib/json-body.js';
import { didYouMean } from '../../platform/lib/nearest-name.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { UUID } from '../../platform/lib/uuid.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { noSuchPlayer, requirePlayer } from '../../studio/cli/player-of-game.js';
import { printable } from '../../studio/cli/printable.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { PIN_KINDS, PIN_TARGET } from '../players/pin-kinds.js';
import { listPins } from '../players/pin-queries.js';
import { clearPin, MAX_PINS, type PinOutcome, setPin } from '../players/pins.js';
import { describeSet, reasonOf, untilOf, untilWords } from './set-for-player.js';

type PinOptions = { tenant: string; game: string; kind: PinKind };
type SetOptions = PinOptions & { value: string; reason: string; until?: string };

const MAX_SHOWN = 500;
/** Without `--kind` it is a value that is pinned. */
const OF_VARIANTS = 'For the variant of an experiment add --kind variant.';
/** Deeper than any document. */
const MAX_DEPTH = 32;

export function pinCommands(): Command {
  const pin = new Command('pin').description(
    'pin values and variants for test devices, whatever the rules say',
  );
  withGame(pin.command('list <player-id>'))
    .description('what the studio has pinned for a player, and pins now')
    .action(list);
  withKind(withGame(pin.command('set <player-id> <target>')))
    .description('pin the value of a key, or the variant of an experiment')
    .requiredOption(
      '--value <json>',
      'the value as JSON, such as 5 or \'"blue"\'; with --kind variant its id as it is',
    )
    .requiredOption('--reason <text>', 'why, for those who look back')
    .option('--until <time>', 'when the rules decide again (default: when it is cleared)')
    .action(set);
  withKind(withGame(pin.command('clear <player-id> <target>')))
    .description('let the rules decide again')
    .action(clear);
  return pin;
}

function withKind(command: Command): Command {
  return command.addOption(
    new Option('--kind <kind>', 'what is pinned').choices(Object.keys(PIN_KINDS)).default('value'),
  );
}

async function list(playerId: string, options: PinOptions): Promise<void> {
  const pins = await withDatabase(async ({ pool }) =>
    listPins(pool, await requirePlayer(pool, playerId, options), { limit: MAX_SHOWN }),
  );
  if (pins.length === 0) say('Nothing was ever pinned for this player.');
  for (const each of pins) {
    const said = `${each.kind} ${each.target} = ${printable(JSON.stringify(each.value))}`;
    say(describeSet(said, each, Date.now()));
  }
  if (pins.length === MAX_SHOWN)
    say(`Only ${MAX_SHOWN} are shown. The console shows all of them, on the page of the player.`);
}

async function set(playerId: string, target: string, options: SetOptions): Promise<void> {
  const { tenant, game, kind } = options;
  const reason = reasonOf(options.reason);
  const value = kind === 'variant' ? options.value : readValue(options.value);
  await withDatabase(async ({ pool }) => {
    const actor = await commandActor(pool);
    const until = untilOf(options.until, actor.nowMs);
    const { id: gameId } = await requireGame(pool, tenant, game);
    const place = placeOf(gameId, playerId, target, options);
    const pinned = await setPin(pool, { ...place, value, reason, until }, actor);
    if (pinned.outcome !== 'set') throw refused(pinned, playerId, target, options);
    say(`${target} of the player is ${printable(JSON.stringify(value))} from now on${untilWords(until)}.`);
  });
}

function readValue(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StartupError(`--value must be JSON: 5, true, or '"blue"' for a text. ${OF_VARIANTS}`);
  }
  if (checkStorable(value, MAX_DEPTH, true) !== undefined)
    throw new StartupError('--value holds a number or a text that cannot be stored.');
  return value;
}

async function clear(playerId: string, target: string, options: PinOptions): Promise<void> {
  const { tenant, game } = options;
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const place = placeOf(gameId, playerId, target, options);
    const outcome = await clearPin(pool, place, await commandActor(pool));
    if (outcome === 'no_such_player') throw noSuchPlayer(playerId, { tenant, game });
    if (outcome === 'no_such_pin') return say(`${target} of the player is not pinned: the rules decide.`);
    say(`The rules of ${target} decide again.`);
  });
}

function placeOf(gameId: number, userId: string, target: string, { tenant, game, kind }: PinOptions) {
  if (!UUID.test(userId)) throw noSuchPlayer(userId, { tenant, game });
  if (!PIN_TARGET.test(target)) throw noSuchTarget(target, { tenant, game, kind });
  return { gameId, userId, kind, target };
}

function refused(
  pinned: Exclude<PinOutcome, { outcome: 'set' }>,
  playerId: string,
  target: string,
  options: PinOptions,
): StartupError {
  switch (pinned.outcome) {
    case 'no_such_player':
      return noSuchPlayer(playerId, options);
    case 'no_such_target':
      return noSuchTarget(target, options, pinned.nearest);
    case 'wrong_value':
      return new StartupError(valueSentence(pinned.problem));
    case 'too_many':
      return new StartupError(`The player has ${MAX_PINS} pins. Clear another one first.`);
  }
}

function noSuchTarget(target: string, { tenant, game, kind }: PinOptions, nearest?: string): StartupError {
  const { noun } = PIN_KINDS[kind];
  const publishFirst = ` Publish the ${noun} first.${kind === 'value' ? ` ${OF_VARIANTS}` : ''}`;
  const advice = didYouMean(nearest) || publishFirst;
  return new StartupError(
    `What is published for ${tenant}/${game} has no ${noun} "${printable(target)}".${advice}`,
  );
}
