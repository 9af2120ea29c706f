import { type Command, Option } from 'commander';
import { ApiError } from '../../platform/errors.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { readExploration } from '../exploration-request.js';
import { exploreExperiment, NOTHING_EXPLORED, type TitledGroup } from '../explore-experiment.js';
import { EXPLORED, type Explored } from '../group-queries.js';
import { percent } from '../report/words.js';

type Options = {
  tenant: string;
  game: string;
  json: boolean;
  by: Explored;
  segment?: string;
  metric?: number;
};

/** The arms of an experiment in groups of players, to find the next question. */
export function exploreCommand(experiments: Command): void {
  withGame(experiments.command('explore <experiment-id>'))
    .description('compare the arms in groups of players, by what was known at their exposure; no verdict')
    .addOption(
      new Option('--by <what>', 'how players are grouped').choices([...EXPLORED]).makeOptionMandatory(),
    )
    .option('--segment <id>', 'with --by segment: in this one, or not')
    .option('--metric <number>', 'which metric of the report, from 0 on', (text) =>
      wholeNumber('--metric', text, 0, 1000),
    )
    .option('--json', 'print everything there is, as JSON', false)
    .action(explore);
}

async function explore(
  experimentId: string,
  { tenant, game, json, by, segment, metric }: Options,
): Promise<void> {
  const explored = await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const asked = { gameId, experimentId, by, segment, metric };
    const { request, ...described } = await readExploration(
      pool,
      asked,
      (await commandActor(pool)).nowMs,
    ).catch((error) => {
      throw error instanceof ApiError ? new StartupError(printable(error.message)) : error;
    });
    return {
      ...described,
      ...(request === null ? NOTHING_EXPLORED : await exploreExperiment(pool, request)),
    };
  });
  if (json) return say(JSON.stringify(explored, null, 2));
  const { title, sentence, examined, isComplete, groups } = explored;
  say(sentence);
  if (groups.length === 0) return;
  say(
    `${printable(title)}, ${grouped(examined)} players${isComplete ? '' : ', the first of the experiment'}`,
  );
  const head = ['group', 'arm', 'players', 'mean', 'difference', 'from', 'to'];
  const write = explored.metric.kind === 'share' ? percent : String;
  const rows = groups.flatMap((group) => rowsOf(group, write));
  for (const line of tableLines([head, ...rows], (column) => column > 1)) say(line);
}

function rowsOf({ title, arms }: TitledGroup, write: (value: number) => string): string[][] {
  const cellOf = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : write(value);
  return arms.map(({ variantId, players, mean, difference, interval }) => [
    ...[printable(title), variantId, grouped(players)],
    ...[cellOf(mean), cellOf(difference), cellOf(interval?.low), cellOf(interval?.high)],
  ]);
}
