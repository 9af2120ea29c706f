import { sumBreakdowns } from '../../insight/analytics/breakdowns/sum-breakdowns.js';
import { MIN_DAYS } from '../../insight/analytics/forecast/forecast.js';
import { openFileStore } from '../../insight/event-files/open-store.js';
import { findFileTotals } from '../../insight/event-files/stored-files.js';
import { writeEventFiles } from '../../insight/event-files/writing/write-files.js';
import { trainGame } from '../../insight/predictions/train-game.js';
import { readDatabaseClock } from '../../platform/db/database-clock.js';
import {
  tryAdvisoryLock,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { utcDay } from '../../platform/lib/day.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import type { Settings } from '../../platform/settings/settings.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { grouped, progressBar } from '../../studio/cli/progress-bar.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import type { SimulationResult, Tally } from '../../studio/cli/simulator-module.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { compactEvents } from '../event-storage/compact-events.js';
import { leavePast } from '../simulated-past/leave-past.js';

type Past = Readonly<{ gameId: number; tenant: string; game: string; days: number }>;

/** For DuckDB, which takes the table first. */
const QUESTION =
  'from events select cast(received_at as date) as day, count(*) as events, count(distinct player_key) as players group by 1 order by 1';
const GO_ON = 'Go on with the same command.';
/** Each sums a month of days. */
const MAX_RUNS = 12;

/** Gives what was simulated the times of receipt of its days, does what the service does with a day that is over, and says where to look. */
export async function leaveSimulatedPast(result: SimulationResult, past: Past): Promise<void> {
  const { deviceIds, run, firstDayMs: firstMs, endMs: begunMs } = result;
  const { gameId } = past;
  await withDatabase(async ({ pool }, settings, signal) => {
    const line = createProgressLine();
    try {
      const actor = await commandActor(pool);
      await leavePast(pool, {
        ...{ gameId, run, deviceIds, firstMs, begunMs, actor, signal },
        onProgress: (done, total) =>
          line.show(
            () => `${progressBar(done, total)} receipts of ${grouped(done)} of ${grouped(total)} players`,
          ),
      });
      await workOnPast(pool, { gameId, settings, signal, show: (text) => line.show(() => text) });
    } finally {
      line.end();
    }
    const { files } = await findFileTotals(pool, gameId);
    for (const text of pastLines(result, past, { settings, fileCount: files })) say(text);
  }, GO_ON);
}

type Work = Readonly<{
  gameId: number;
  settings: Settings;
  signal: AbortSignal;
  show: (text: string) => void;
}>;

/** Otherwise it would be done by maintenance, some of it hourly, and the training on another day. */
async function workOnPast(pool: Pool, { gameId, settings, signal, show }: Work): Promise<void> {
  const { databaseMs: nowMs } = await readDatabaseClock(pool);
  show('summing the days…');
  await sumDays(pool, { gameId, nowMs, signal });
  show('closing the days…');
  for (let state = 'done'; state === 'done' && !signal.aborted; ) {
    ({ state } = await compactEvents(pool, { nowMs, signal, rests: false }));
  }
  if (settings.eventFiles !== undefined) {
    show('writing files of events…');
    const store = openFileStore(settings.eventFiles, () => nowMs, signal);
    await writeEventFiles({ pool, store, nowMs, signal, rests: false });
  }
  signal.throwIfAborted();
  show('training the models of predictions…');
  await trainGame(pool, { gameId, actor: await commandActor(pool), signal, dropsUnchanged: true });
}

/** While the service sums the days itself, nothing is left to do here. */
async function sumDays(
  pool: Pool,
  { gameId, nowMs, signal }: Readonly<{ gameId: number; nowMs: number; signal: AbortSignal }>,
): Promise<void> {
  await withDedicatedConnection(pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint maintenance', 'breakdowns'))) return;
    await walkByIndex(connection);
    for (let runs = 0; runs < MAX_RUNS; runs++) {
      const { daysSummed } = await sumBreakdowns(connection, { nowMs, signal, onlyGameId: gameId });
      if (daysSummed === 0) return;
    }
  });
}

function pastLines(
  { expected, firstDayMs }: SimulationResult,
  { tenant, game, days }: Past,
  { settings, fileCount }: Readonly<{ settings: Settings; fileCount: number }>,
): string[] {
  const pages = `${httpUrl(settings.opsHost, settings.opsPort)}/console/${tenant}/${game}`;
  const ofGame = `--tenant ${tenant} --game ${game}`;
  return [
    '',
    `The game has a past: ${grouped(days)} days since ${utcDay(firstDayMs)}, with ${grouped(expected.players)} players, ${grouped(countOf(expected.events))} events and ${grouped(expected.purchases)} purchases.`,
    'Each event has the time of receipt that it would have had then.',
    `  Days, retention   ${pages}`,
    `  Revenue curves    ${pages}/analysis`,
    `  Forecast          ${pages}/analysis?tab=forecast (from ${MIN_DAYS} days after the first purchase on: --days 89)`,
    `  Predictions       ${pages}/predictions`,
    ...(fileCount === 0 ? [] : [`  SQL               savepoint sql ${ofGame} "${QUESTION}"`]),
    `  A back-test       savepoint config back-test ${ofGame} --days 14`,
  ];
}

function countOf(counts: Tally['events']): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
