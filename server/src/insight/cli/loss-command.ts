import { Command } from 'commander';
import { DAY_MS, HOUR_MS } from '../../platform/lib/day.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { wholeNumber } from '../../studio/cli/whole-number.js';
import { LOSS_GRACE_MS, type Loss, listLosses, listMissing, type Missing } from '../losses/losses.js';

const MAX_DAYS = 366;
const MAX_GRACE_HOURS = 720;

type LossOptions = { tenant: string; game: string; days: string; graceHours: string };

export function lossCommand(): Command {
  return withGame(new Command('losses'))
    .description('events that clients numbered and that never arrived, by day, build and platform')
    .option('--days <number>', 'how many days back', '30')
    .option(
      '--grace-hours <number>',
      'how long a number may be missing before it counts as lost',
      String(LOSS_GRACE_MS / HOUR_MS),
    )
    .addHelpText(
      'after',
      '\nOnly clients that send X-Install-Id and seq can be checked: see docs/event-types.md, "Numbered events".',
    )
    .action(run);
}

async function run({ tenant, game, days, graceHours }: LossOptions): Promise<void> {
  const now = Date.now();
  const span = {
    sinceMs: now - wholeNumber('--days', days, 1, MAX_DAYS) * DAY_MS,
    untilMs: now - wholeNumber('--grace-hours', graceHours, 0, MAX_GRACE_HOURS) * HOUR_MS,
  };
  const { losses, missing } = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return {
      losses: await listLosses(pool, id, span),
      missing: await listMissing(pool, id, { sinceMs: span.untilMs }),
    };
  });
  if (losses.length === 0 && missing.length === 0) return say('No numbered event is missing.');
  if (missing.length > 0) sayMissing(missing, graceHours);
  if (losses.length > 0) sayLosses(losses);
}

function sayMissing(missing: readonly Missing[], graceHours: string): void {
  const rows = missing.map((each) => [new Date(each.since).toISOString(), ...figures(each)]);
  for (const line of tableLines([['missing since', ...FIGURES], ...rows], isBetweenTexts)) say(line);
  say(
    `${countEvents(missing)} events are missing now. They may still arrive: they count as lost after ${graceHours} hours.`,
  );
}

function sayLosses(losses: readonly Loss[]): void {
  const rows = losses.map((loss) => [loss.day, ...figures(loss)]);
  for (const line of tableLines([['noticed', ...FIGURES], ...rows], isBetweenTexts)) say(line);
  say(`${countEvents(losses)} events are lost.`);
}

const FIGURES = ['events', 'players', 'build', 'platform'];

function figures({ events, players, build, platform }: Omit<Loss, 'day'>): string[] {
  return [
    grouped(events),
    grouped(players),
    build === null ? '–' : printable(build),
    platform === null ? '–' : printable(platform),
  ];
}

function countEvents(rows: readonly Readonly<{ events: number }>[]): string {
  return grouped(rows.reduce((sum, { events }) => sum + events, 0));
}
