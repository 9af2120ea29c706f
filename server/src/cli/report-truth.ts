import type { Report } from '../features/experiments/report/report-types.js';
import { printable } from './printable.js';
import type { LiveResult, Reactions, SimulatorModule } from './simulator-module.js';
import { say } from './terminal.js';
import { truthLines } from './truth-lines.js';

/** The admin API, for the verdict. */
export type Admin = Readonly<{ url: string; token: string }>;

type Rehearsed = Readonly<{
  reactions: Reactions;
  told: LiveResult['told'];
  game: string;
  /** Undefined: only the truth is shown. */
  admin: Admin | undefined;
}>;

type Shown = { sentence: string; report: Report | null };

/** What the arms change in truth, and what the service says about it so far. */
export async function reportTruth(
  { trueChange }: Pick<SimulatorModule, 'trueChange'>,
  { reactions, told, game, admin }: Rehearsed,
): Promise<void> {
  const found = admin && (await readExperiment(admin, game, reactions.experimentId));
  const report = found?.report ?? null;
  for (const line of truthLines({ reactions, told, report, trueChange })) say(printable(line));
  if (found !== undefined) say(printable(found.sentence));
}

/** By the API: after Ctrl-C a command has no database any more. Undefined if it does not say, and then it says why not. */
async function readExperiment(
  { url, token }: Admin,
  game: string,
  experimentId: string,
): Promise<Shown | undefined> {
  const path = `/admin/v1/games/${encodeURIComponent(game)}/experiments/${encodeURIComponent(experimentId)}`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, { headers }).catch(() => undefined);
  if (response?.ok === true) return ((await response.json()) as { data: Shown }).data;
  const why = response === undefined ? 'does not respond' : `responds with status ${response.status}`;
  say(`The verdict is missing: the admin API at ${url} ${why}.`);
  return undefined;
}
