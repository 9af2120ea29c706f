import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { printable } from '../../studio/cli/printable.js';
import type { Reactions } from '../../studio/cli/simulator-module.js';
import { tell, withDatabase } from '../../studio/cli/terminal.js';
import { findExperiment } from '../experiment-views.js';
import { type Admin, askExperiment } from './admin-experiment.js';

type Published = Pick<ExperimentEntry, 'state' | 'variants'>;

type Asked = Readonly<{
  admin: Admin | undefined;
  game: string;
  /** Undefined where the database cannot be reached from here. */
  gameId: number | undefined;
}>;

/** A run lasts for days: what would only show at its end is refused before it begins. */
export async function checkReactions(reactions: Reactions, { admin, game, gameId }: Asked): Promise<void> {
  const { experimentId } = reactions;
  if (admin !== undefined) {
    requireArms(reactions, await publishedByApi(admin, game, experimentId));
  } else if (gameId !== undefined) {
    requireArms(reactions, await publishedByDatabase(gameId, experimentId));
  } else {
    tell(`Without --admin-token-file it is not checked whether ${printable(experimentId)} runs.`);
  }
}

/** Nobody would be told an arm that does not exist, or one of an experiment that does not run. */
export function requireArms({ experimentId, changes }: Reactions, published: Published | undefined): void {
  const name = printable(experimentId);
  if (published === undefined) {
    throw new StartupError(
      `--react: the published version of the game has no experiment "${name}". Publish one that is running, or list them: savepoint experiments list`,
    );
  }
  const { state, variants } = published;
  if (state !== 'running') {
    throw new StartupError(
      `--react: the experiment ${name} does not run, its state is ${state}. Publish it with the state running.`,
    );
  }
  const ids = variants.map(({ variantId }) => variantId);
  const unknown = Object.keys(changes).find((variantId) => !ids.includes(variantId));
  if (unknown === undefined) return;
  throw new StartupError(
    `--react: the experiment ${name} has no variant "${printable(unknown)}". It has ${ids.join(', ')}.`,
  );
}

async function publishedByApi(
  admin: Admin,
  game: string,
  experimentId: string,
): Promise<Published | undefined> {
  const answer = await askExperiment(admin, game, experimentId);
  if (answer.ok) return answer.shown.isFormer ? undefined : answer.shown.experiment;
  if (answer.code === 'experiment_not_found') return undefined;
  throw new StartupError(
    `The verdict could not be read at the end: the admin API at ${admin.url} ${printable(answer.why)} Check --admin-token-file, --admin-url and --game.`,
  );
}

function publishedByDatabase(gameId: number, experimentId: string): Promise<Published | undefined> {
  return withDatabase(async ({ pool }) => {
    const { nowMs } = await commandActor(pool);
    return (await findExperiment(pool, gameId, experimentId, nowMs))?.experiment;
  });
}
