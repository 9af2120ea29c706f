import { Command } from 'commander';
import { loadAppleReceipts } from '../../core/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../../core/events/receipts/receipt-checks.js';
import { createRegistries, type UnusableSchema } from '../../core/events/types/registries.js';
import type { Pool } from '../../platform/db/pool.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { createOptionalErasureHashes } from '../../platform/security/optional-erasure-hashes.js';
import type { Settings } from '../../platform/settings/settings.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { type PageOptions, readPage, sayOlder, withPage } from '../../studio/cli/page-option.js';
import { printable, printableLines } from '../../studio/cli/printable.js';
import { createProgressLine } from '../../studio/cli/progress-line.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import { MAX_ID, wholeNumber } from '../../studio/cli/whole-number.js';
import {
  type FailedEventRow,
  type FailedGroup,
  type FailedGroupRow,
  findFailedEvent,
  listFailedEvents,
  listFailedGroups,
} from '../failed-events/failed-event-queries.js';
import { probablyMeant } from '../failed-events/probably-meant.js';
import {
  type ReplayProgress,
  type ReplayTools,
  replayFailedEvent,
  replayFailedGroup,
} from '../failed-events/replay.js';

type GroupOptions = { tenant?: string; game?: string; code?: string; type?: string };
type ListOptions = GroupOptions & PageOptions;

/** More than anybody reads in a terminal: clients choose the names of types. */
const MAX_GROUPS = 1_000;

const REPLAY_HELP = `
One entry as it is, or corrected:
  savepoint failed-events replay 381
  savepoint failed-events show 381 --raw > event.json      (edit event.json)
  savepoint failed-events replay 381 --file event.json
All entries of a group, for example after the schema was mended:
  savepoint failed-events replay --tenant demo-studio --game demo-game --code schema_mismatch --type Level_Complete

A replayed event counts for the player who sent it, as if it had been accepted when it was received. Nothing counts twice,
however often a replay is repeated. An entry that still fails stays, with the new reason.`;

export function failedEventCommands(): Command {
  const failedEvents = new Command('failed-events').description(
    'the inbox of events that were refused; kept for 30 days',
  );
  withPage(withGroup(failedEvents.command('list')), 20)
    .description('list what is open, by reason and type; with --code the entries of a group, newest first')
    .action(list);

  failedEvents
    .command('show <id>')
    .description('show an entry with its event as it was sent')
    .option('--raw', 'only the event', false)
    .action(show);

  withGroup(failedEvents.command('replay [id]'))
    .description('apply an entry, or all entries of a group')
    .option('--file <path>', 'apply the event in this file instead of that of the entry')
    .addHelpText('after', REPLAY_HELP)
    .action((id: string | undefined, options: GroupOptions & { file?: string }) =>
      id === undefined ? replayGroup(options) : replayOne(id, options),
    );
  return failedEvents;
}

function withGroup(command: Command): Command {
  return command
    .option('--tenant <tenant-id>', 'the studio')
    .option('--game <game-id>', 'the game')
    .option('--code <code>', 'the reason, such as schema_mismatch')
    .option('--type <event-type>', 'the event type; "" for those whose type could not be read');
}

async function list(options: ListOptions): Promise<void> {
  await withDatabase(async ({ pool }) => {
    if (options.code !== undefined) return listEntries(pool, await groupOf(pool, options), options);
    const groups = await listFailedGroups(pool, {
      gameId: await gameIdOf(pool, options),
      limit: MAX_GROUPS,
    });
    if (groups.length === 0) return say('The inbox is empty: no event was refused in the last 30 days.');
    for (const group of groups) say(describeGroup(group));
    if (groups.length === MAX_GROUPS) say(`Only the ${MAX_GROUPS} largest groups are shown.`);
    say('\nThe entries of a group: savepoint failed-events list --tenant … --game … --code … [--type …]');
  });
}

async function listEntries(pool: Pool, group: FailedGroup, options: ListOptions): Promise<void> {
  const { limit, before } = readPage(options);
  const entries = await listFailedEvents(pool, group, {
    limit,
    ...(before === null ? {} : { beforeId: String(before) }),
  });
  if (entries.length === 0) return say(`There are no ${before === null ? '' : 'more '}entries of this kind.`);
  for (const entry of entries) {
    say(
      `#${entry.id}  ${isoTime(entry.receivedAt)}  player ${entry.userId}${describeBuild(entry)}\n    ${printable(entry.message)}`,
    );
  }
  say('\nOne of them: savepoint failed-events show <id>');
  sayOlder(entries, limit, ({ id }) => id);
}

async function show(id: string, { raw }: { raw: boolean }): Promise<void> {
  const entry = await withDatabase(({ pool }) => requireEntry(pool, id));
  if (raw) return say(process.stdout.isTTY === true ? printableLines(entry.raw) : entry.raw);
  say(
    [
      `Entry     #${entry.id} of ${entry.tenant}/${entry.game}`,
      `Received  ${isoTime(entry.receivedAt)} from player ${entry.userId}${describeBuild(entry)}`,
      `Type      ${entry.eventType === null ? '(could not be read)' : printable(entry.eventType)}`,
      `Reason    ${entry.code}: ${printable(entry.message)}`,
      `Path      ${printable(entry.path) || '(the event as a whole)'}`,
      `State     ${describeState(entry)}`,
      '',
      printableLines(entry.raw),
      ...(entry.replayedAs === null ? [] : ['', 'Replayed as:', printableLines(entry.replayedAs)]),
    ].join('\n'),
  );
}

async function replayOne(id: string, options: GroupOptions & { file?: string }): Promise<void> {
  if (options.code !== undefined || options.type !== undefined) {
    throw new StartupError('Give either the id of an entry or --tenant, --game and --code of a group.');
  }
  const edited = options.file === undefined ? undefined : await readGivenFile(options.file);
  await withDatabase(async ({ pool }, settings) => {
    const entry = await requireEntry(pool, id);
    const tools = await replayTools(pool, settings);
    const actor = await commandActor(pool);
    const result = await replayFailedEvent(tools, id, { actor, ...(edited === undefined ? {} : { edited }) });
    switch (result.outcome) {
      case 'replayed':
        return say(
          result.wasNew
            ? `Replayed #${id}.`
            : `Replayed #${id}: its event had arrived another way and was counted already.`,
        );
      case 'not_open':
        return say(
          `#${id} was replayed before${entry.replayedAt === null ? '' : `, ${isoTime(entry.replayedAt)}`}.`,
        );
      case 'cut':
        throw new StartupError(
          `#${id} was too long to be kept whole. Give the corrected event: savepoint failed-events replay ${id} --file <path>`,
        );
      case 'failed':
        throw new StartupError(`Still refused, ${result.reason.code}: ${printable(result.reason.message)}`);
    }
  });
}

async function replayTools(pool: Pool, settings: Settings): Promise<ReplayTools> {
  const apple = await loadAppleReceipts(settings);
  const receipts = createReceiptChecks({ pool, apple, isLimited: false });
  const hashes = createOptionalErasureHashes(settings, pool);
  return { pool, registries: createRegistries(pool, sayUnusable), receipts, hashes };
}

function sayUnusable({ eventType, version, reason }: UnusableSchema): void {
  say(
    `Events of ${printable(eventType)} are not checked: version ${version} of its schema cannot be used. ${reason}`,
  );
}

async function replayGroup(options: GroupOptions & { file?: string }): Promise<void> {
  if (options.file !== undefined) throw new StartupError('--file corrects one entry: give its id.');
  const afterwards = 'Entries that were replayed stay so. Run the command again for the others.';
  await withDatabase(async ({ pool }, settings, signal) => {
    const group = await groupOf(pool, options);
    const line = createProgressLine();
    const tools = await replayTools(pool, settings);
    const onProgress = (progress: ReplayProgress) => line.show(describeProgress(progress));
    const run = { actor: await commandActor(pool), signal, onProgress };
    const done = await replayFailedGroup(tools, group, run).finally(line.end);
    if (done.total === 0) return say('There are no open entries of this kind.');
    const known = done.duplicates === 0 ? '' : ` (${done.duplicates} of them had arrived another way)`;
    say(`Replayed ${done.replayed} of ${done.total} entries${known}.`);
    if (done.failed > 0) {
      say(`${done.failed} still fail and stay in the inbox: savepoint failed-events list`);
      process.exitCode = 1;
    }
  }, afterwards);
}

function describeProgress({ total, replayed, failed }: ReplayProgress): string {
  const done = replayed + failed;
  return `${done} of ${total} (${total === 0 ? 100 : Math.floor((done * 100) / total)}%), ${failed} still fail`;
}

async function requireEntry(pool: Pool, id: string): Promise<FailedEventRow> {
  const entry = await findFailedEvent(pool, String(wholeNumber('The id', id, 1, MAX_ID)));
  if (entry !== undefined) return entry;
  throw new StartupError(`There is no entry #${id}. List what there is: savepoint failed-events list`);
}

async function groupOf(pool: Pool, { tenant, game, code, type }: GroupOptions): Promise<FailedGroup> {
  if (tenant === undefined || game === undefined || code === undefined) {
    throw new StartupError('Give --tenant, --game and --code of a group: savepoint failed-events list');
  }
  const { id: gameId } = await requireGame(pool, tenant, game);
  return { gameId, code, ...(type === undefined ? {} : { eventType: type === '' ? null : type }) };
}

async function gameIdOf(pool: Pool, { tenant, game }: GroupOptions): Promise<number | undefined> {
  if (tenant === undefined && game === undefined) return undefined;
  if (tenant === undefined || game === undefined) {
    throw new StartupError('Give --tenant and --game together, or neither of them.');
  }
  return (await requireGame(pool, tenant, game)).id;
}

function describeGroup(group: FailedGroupRow): string {
  const type = group.eventType === null ? '(type could not be read)' : printable(group.eventType);
  const entries = `${group.entries} ${group.entries === 1 ? 'entry' : 'entries'}`;
  const builtIn = probablyMeant(group);
  return [
    `${group.tenant}/${group.game}  ${group.code}  ${type}  ${entries}${builtIn === undefined ? '' : `  did you mean ${builtIn}?`}`,
    `    from ${isoTime(group.firstAt)} to ${isoTime(group.lastAt)}`,
    `    newest #${group.exampleId}: ${printable(group.exampleMessage)}`,
  ].join('\n');
}

function describeBuild({ clientBuild }: FailedEventRow): string {
  return clientBuild === null ? '' : `, build ${printable(clientBuild)}`;
}

function describeState({ replayedAt, isCut }: FailedEventRow): string {
  if (replayedAt !== null) return `replayed ${isoTime(replayedAt)}`;
  return isCut ? 'open, too long to be kept whole: give the corrected event to replay it' : 'open';
}
