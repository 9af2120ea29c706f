import { Command, Option } from 'commander';
import { holdoutLines } from '../../experiments/cli/holdout-lines.js';
import { compareGroups } from '../../experiments/holdouts/comparison.js';
import { findNewestComparison } from '../../experiments/holdouts/holdout-queries.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { DaySpan } from '../../studio/admin-api/day-span.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { listBreakdownTotals } from '../analytics/breakdowns/breakdown.js';
import { findSumming } from '../analytics/breakdowns/days-behind.js';
import { DIMENSIONS, type Dimension } from '../analytics/breakdowns/dimensions.js';
import { gameDashboard } from '../analytics/dashboard.js';
import { forecastResponse } from '../analytics/forecast/forecast-response.js';
import { listRevenueDays } from '../analytics/forecast/revenue-days.js';
import type { FunnelDimension } from '../analytics/funnels/funnel-queries.js';
import { MAX_WINDOW_HOURS } from '../analytics/funnels/funnel-schemas.js';
import { runFunnel } from '../analytics/funnels/run-funnel.js';
import { type InstallDimension, PERIODS, type Period } from '../analytics/installs/install-cohorts.js';
import { revenuePerInstall } from '../analytics/installs/revenue-per-install.js';
import { type Difference, type Recount, type RecountProgress, recountGame } from '../analytics/recount.js';
import { recountInWords } from '../analytics/recount-words.js';
import { breakdownTable } from './breakdown-table.js';
import { dashboardLines } from './dashboard-table.js';
import { forecastLines } from './forecast-lines.js';
import { funnelLines } from './funnel-lines.js';
import { installTable } from './install-table.js';
import { summingLines } from './summing-lines.js';

type GameOptions = { tenant: string; game: string };

const MAX_DAYS = 366;
/** More can be had from the database; a screenful shows what is wrong. */
const SHOWN_DIFFERENCES = 50;

const ORIGINALS = [
  '--originals',
  'money in the currencies it was paid in, not in the reporting currency',
  false,
] as const;

export function rollupCommands(): Command {
  const rollups = new Command('rollups').description('the numbers of a game, day by day');
  withGame(rollups.command('show'))
    .description('show the last days: players, sessions, events, revenue and retention')
    .option('--days <number>', 'how many, up to today (UTC)', '30')
    .addOption(
      new Option('--by <dimension>', 'the same days added up, by one of these').choices([...DIMENSIONS]),
    )
    .option(...ORIGINALS)
    .action(show);
  withGame(rollups.command('holdout'))
    .description('compare the players who are held out of targeting with the rest')
    .action(holdout);
  withGame(rollups.command('ltv'))
    .description('revenue per install by days since the start, by week or month, country or source')
    .option('--days <number>', 'players who started in the last days (UTC)', '90')
    .addOption(new Option('--by <dimension>', 'by one of these').choices(['cohort', 'country', 'source']))
    .addOption(new Option('--period <period>', 'of a cohort').choices([...PERIODS]))
    .option(...ORIGINALS)
    .action(ltv);
  withGame(rollups.command('forecast'))
    .description('forecast the revenue of the next 28 days, with an interval')
    .option('--currency <code>', 'payments in this currency only; by default all, in the reporting currency')
    .action(forecast);
  withGame(rollups.command('funnel'))
    .description('how many players go from one type of event to the next, counted from the stored events')
    .requiredOption('--steps <types>', 'two to six types of events in their order, with commas between')
    .option('--window-hours <number>', 'all steps come within this time after the first', '24')
    .option('--days <number>', 'players whose first step was in the last days (UTC)', '30')
    .addOption(
      new Option('--by <dimension>', 'also by one of these').choices(['country', 'platform', 'build']),
    )
    .action(funnel);
  withGame(rollups.command('check'))
    .description('count everything again from the events, slowly, and print what differs')
    .action(check);
  return rollups;
}

function lastDays(text: string, nowMs: number): DaySpan {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_DAYS) throw new StartupError(`--days is "${text}": give 1 to ${MAX_DAYS}.`);
  return { from: utcDay(nowMs - (days - 1) * DAY_MS), to: utcDay(nowMs) };
}

async function show(
  options: GameOptions & { days: string; by?: Dimension; originals: boolean },
): Promise<void> {
  const now = Date.now();
  const span = lastDays(options.days, now);
  const lines = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, options.tenant, options.game);
    const rates = options.originals ? null : await findRateTable(pool, id);
    if (options.by === undefined)
      return dashboardLines(await gameDashboard(pool, id, span.from, span.to, now), rates);
    const totals = await listBreakdownTotals(pool, id, options.by, span, rates?.changeDays);
    const summing = await findSumming(pool, id, span, now);
    return [...summingLines(summing), ...breakdownTable(options.by, totals, rates)];
  });
  for (const line of lines) say(line);
}

async function holdout({ tenant, game }: GameOptions): Promise<void> {
  const stored = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return findNewestComparison(pool, id);
  });
  for (const line of holdoutLines(
    stored && { ...stored, ...compareGroups(stored.sums, stored.holdoutPercent) },
  ))
    say(line);
}

type LtvOptions = GameOptions & {
  days: string;
  by?: 'cohort' | InstallDimension;
  period?: Period;
  originals: boolean;
};

async function ltv({
  tenant,
  game,
  days,
  by = 'cohort',
  period = 'week',
  originals,
}: LtvOptions): Promise<void> {
  const now = Date.now();
  const span = lastDays(days, now);
  const curves = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return revenuePerInstall(pool, id, { by, period, ...span }, now);
  });
  for (const line of installTable(curves, originals)) say(line);
}

async function forecast({ tenant, game, currency }: GameOptions & { currency?: string }): Promise<void> {
  const now = Date.now();
  const shown = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const rates = await findRateTable(pool, id);
    return forecastResponse(await listRevenueDays(pool, id, now), { currency, rates, nowMs: now });
  });
  for (const line of forecastLines(shown)) say(line);
}

type FunnelOptions = GameOptions & {
  steps: string;
  windowHours: string;
  days: string;
  by?: FunnelDimension;
};

async function funnel({ tenant, game, days, by, ...options }: FunnelOptions): Promise<void> {
  const steps = options.steps.split(',').map((step) => step.trim());
  if (steps.length < 2 || steps.length > 6 || steps.includes(''))
    throw new StartupError('--steps takes two to six types of events, such as Session_Start,Purchase.');
  const windowHours = /^\d{1,4}$/.test(options.windowHours) ? Number(options.windowHours) : 0;
  if (windowHours < 1 || windowHours > MAX_WINDOW_HOURS)
    throw new StartupError(`--window-hours is "${options.windowHours}": give 1 to ${MAX_WINDOW_HOURS}.`);
  const span = lastDays(days, Date.now());
  const line = createProgressLine();
  const onProgress = ({ done, total }: { done: number; total: number }) =>
    line.show(`${progressBar(done, total)} reading players`);
  const result = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return runFunnel(pool, { gameId: id, steps, windowHours, by: by ?? null, ...span, onProgress });
  }).finally(() => line.end());
  if (result !== null) for (const each of funnelLines(steps, result)) say(each);
}

async function check({ tenant, game }: GameOptions): Promise<void> {
  const line = createProgressLine();
  const recount = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return recountGame(pool, id, { onProgress: (progress) => line.show(describeProgress(progress)) });
  }, 'Nothing was changed.').finally(() => line.end());
  for (const line of describeRecount(recount)) say(line);
  if (recount.differenceCount > 0) process.exitCode = 1;
}

function describeProgress({ step, done, total }: RecountProgress): string {
  return `${progressBar(done, total)} ${step === 'events' ? 'reading events' : 'comparing players'}`;
}

function describeRecount(recount: Recount): string[] {
  const { differences, differenceCount } = recount;
  const left = differenceCount - SHOWN_DIFFERENCES;
  return [
    ...recountInWords(recount),
    ...differences.slice(0, SHOWN_DIFFERENCES).map(describe),
    ...(left > 0 ? [`  and ${grouped(left)} more`] : []),
  ];
}

function describe({ table, key, name, kept, recounted }: Difference): string {
  return `  ${table} ${key} ${printable(name)}: kept ${printable(kept ?? 'null')}, counted ${printable(recounted ?? 'null')}`;
}
