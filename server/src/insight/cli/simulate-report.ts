import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import type {
  LiveResult,
  ResponseCounts,
  SimulationResult,
  Tally,
} from '../../studio/cli/simulator-module.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import {
  countMissingEvents,
  countRefusedEvents,
  countStoredEvents,
  type Devices,
  findPlayerTotals,
  sumStoredRevenue,
} from '../analytics/device-totals.js';

type Report = { gameId: number | undefined; options: { tenant: string; game: string }; seconds: number };

/** With a queue, events are applied a moment after they are acknowledged. */
const SETTLE_MS = 500;

/** What was sent beside what the service has. Returns how many rows differ. */
export async function reportSimulation(result: SimulationResult, report: Report): Promise<number> {
  const { responseCounts, expected, deviceIds, isResumed } = result;
  const { gameId, seconds, options } = report;
  sayResponses(responseCounts, seconds);
  if (gameId === undefined) return reportAcknowledged(result);
  const stored = await withDatabase(({ pool }) => readSettled(pool, { gameId, deviceIds }));
  const rows = compare(expected, stored);
  for (const line of tableLines([['', 'sent', 'service', ''], ...rows], isBetweenTexts)) say(line);
  const wrong = rows.filter((row) => row[3] !== '').length;
  if (wrong > 0) return wrong;
  say(`Everything agrees${isResumed ? ', also after the interruption' : ''}.`);
  if (sum(expected.swallowed) > 0) {
    say(
      `The losses, by day: savepoint losses --tenant ${options.tenant} --game ${options.game} --grace-hours 0`,
    );
  }
  return 0;
}

/** @throws StartupError if any row differs */
export function refuseDifferences(count: number): void {
  if (count === 0) return;
  throw new StartupError(
    `${count} of these differ. If the game has other players of this name or its own event schemas, that may be why; else please report it with the seed.`,
  );
}

export function reportLive(result: LiveResult): void {
  const { sessions, events, acknowledged, refused, swallowed, responseCounts } = result;
  const unsent = events - acknowledged - refused - swallowed;
  say(`Played ${grouped(sessions)} sessions with ${grouped(events)} events.`);
  say(
    `The service has ${grouped(acknowledged)} of them, in ${grouped(responseCounts.requests)} requests, and refused ${grouped(refused)}; ${grouped(swallowed)} were lost on the way on purpose.`,
  );
  if (unsent > 0) say(`${grouped(unsent)} could not be sent before the end: the service did not respond.`);
}

function sayResponses(
  { requests, accepted, duplicates, lostResponses }: ResponseCounts,
  seconds: number,
): void {
  const rate = seconds > 0 ? Math.round((accepted + duplicates) / seconds) : 0;
  say(
    `Sent ${grouped(accepted + duplicates)} events in ${grouped(requests)} requests and ${seconds.toFixed(1)} s: ${grouped(rate)} a second.`,
  );
  say(
    `The service accepted ${grouped(accepted)} and knew ${grouped(duplicates)} already; ${grouped(lostResponses)} responses were lost on purpose.`,
  );
}

/** Without the database there is what the API says. */
function reportAcknowledged({ expected, acknowledged, refused }: SimulationResult): number {
  const rows = [
    row('acknowledged events', sum(expected.events), acknowledged),
    row('refused events', sum(expected.refused), sum(refused)),
    ...rowsOf(expected.refused, refused, (code) => `  ${printable(code)}`),
  ];
  for (const line of tableLines([['', 'sent', 'service', ''], ...rows], isBetweenTexts)) say(line);
  const wrong = rows.filter((cells) => cells[3] !== '').length;
  if (wrong > 0) return wrong;
  say(
    'Everything agrees, as far as the API says. With --tenant and --game, next to the database, more can be compared.',
  );
  return 0;
}

async function readSettled(pool: Pool, devices: Devices): Promise<Tally> {
  for (let before = -1; ; ) {
    const events = await countStoredEvents(pool, devices);
    if (sum(events) === before) return readStored(pool, devices, events);
    before = sum(events);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
}

async function readStored(pool: Pool, devices: Devices, events: Tally['events']): Promise<Tally> {
  return {
    ...(await findPlayerTotals(pool, devices)),
    events,
    refused: await countRefusedEvents(pool, devices),
    swallowed: await countMissingEvents(pool, devices),
    revenue: await sumStoredRevenue(pool, devices),
  };
}

function compare(sent: Tally, stored: Tally): string[][] {
  return [
    row('players', sent.players, stored.players),
    row('events', sum(sent.events), sum(stored.events)),
    ...rowsOf(sent.events, stored.events, (type) => `  ${printable(type)}`),
    row('payers', sent.payers, stored.payers),
    row('purchases, refunds taken off', sent.purchases, stored.purchases),
    ...rowsOf(sent.revenue, stored.revenue, (currency) => `  ${currency}`, money),
    row('refused events', sum(sent.refused), sum(stored.refused)),
    ...rowsOf(sent.refused, stored.refused, (code) => `  ${code}`),
    row('lost on the way', sum(sent.swallowed), sum(stored.swallowed)),
    ...rowsOf(sent.swallowed, stored.swallowed, (key) => `  build ${printable(key.replace('|', ', '))}`),
  ];
}

function rowsOf(
  sent: Readonly<Record<string, number>>,
  stored: Readonly<Record<string, number>>,
  label: (key: string) => string,
  show = grouped,
): string[][] {
  const keys = [...new Set([...Object.keys(sent), ...Object.keys(stored)])].sort();
  return keys.map((key) => row(label(key), sent[key] ?? 0, stored[key] ?? 0, show));
}

function row(label: string, sent: number, stored: number, show = grouped): string[] {
  return [label, show(sent), show(stored), sent === stored ? '' : '✗'];
}

function money(hundredths: number): string {
  return (hundredths / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
