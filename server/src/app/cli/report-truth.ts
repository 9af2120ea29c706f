import { type Admin, askExperiment } from '../../experiments/cli/admin-experiment.js';
import { truthLines } from '../../experiments/cli/truth-lines.js';
import { printable } from '../../studio/cli/printable.js';
import type { LiveResult, Reactions, SimulatorModule } from '../../studio/cli/simulator-module.js';
import { say } from '../../studio/cli/terminal.js';

type Rehearsed = Readonly<{
  reactions: Reactions;
  told: LiveResult['told'];
  game: string;
  /** Undefined: only the truth is shown. */
  admin: Admin | undefined;
}>;

/** What the arms change in truth, and what the service says about it so far. */
export async function reportTruth(
  { trueChange }: Pick<SimulatorModule, 'trueChange'>,
  { reactions, told, game, admin }: Rehearsed,
): Promise<void> {
  const answer = admin && (await askExperiment(admin, game, reactions.experimentId));
  if (admin !== undefined && answer?.ok === false) {
    say(printable(`The verdict is missing: the admin API at ${admin.url} ${answer.why}`));
  }
  const found = answer?.ok === true ? answer.shown : undefined;
  const report = found?.report ?? null;
  for (const line of truthLines({ reactions, told, report, trueChange })) say(printable(line));
  if (found !== undefined) say(printable(found.sentence));
}
