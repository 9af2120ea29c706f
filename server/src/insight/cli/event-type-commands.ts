import { Command } from 'commander';
import {
  findEventType,
  type ListedEventType,
  listEventTypes,
  retireEventType,
} from '../../core/events/types/event-type-queries.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { whyUnusable } from '../../platform/lib/json-schema/bounded-schema.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { commandActor } from '../../studio/cli/command-actor.js';
import { requireGame, withGame } from '../../studio/cli/game-option.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { printable } from '../../studio/cli/printable.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { say, tell, withDatabase } from '../../studio/cli/terminal.js';
import { registerEventType } from '../event-types/event-types.js';
import { listSentTypes, SENT_DAYS, type SentType } from '../event-types/sent-types.js';

/** Among the most frequent types: a client may invent any number of them. */
const MAX_SENT = 1_000;

type GameOptions = { tenant: string; game: string };
type ShowOptions = GameOptions & { schemaVersion?: number };

const HELP = `
A schema is JSON Schema, draft 2020-12, for the whole event as it is sent:

  {
    "type": "object",
    "properties": {
      "payload": {
        "type": "object",
        "properties": { "level": { "type": "integer", "minimum": 1 } },
        "required": ["level"]
      }
    }
  }

Every node checks by it from the next request on. Events that do not match wait in the inbox: savepoint failed-events.
Of the formats, date-time, date and uuid are checked. A pattern that takes long slows down your own intake.`;

export function eventTypeCommands(): Command {
  const eventType = new Command('event-type').description('JSON Schemas of the events of a game');
  withGame(eventType.command('register <event-type>'))
    .description('register a schema as the next version of a type')
    .requiredOption('--file <path>', 'the schema, a JSON file of up to 64 KiB')
    .addHelpText('after', HELP)
    .action((name: string, options: GameOptions & { file: string }) => register(name, options));

  withGame(eventType.command('list'))
    .description(
      'list the types of a game with the version that counts, and sent ones that nearly are built-in types',
    )
    .action(list);

  withGame(eventType.command('show <event-type>'))
    .description('print a schema as it was registered')
    .option('--schema-version <number>', 'an older version (default: the newest)', toVersion)
    .action((name: string, options: ShowOptions) => show(name, options));

  withGame(eventType.command('retire <event-type>'))
    .description('stop checking this type; it then counts as not registered')
    .action((name: string, options: GameOptions) => retire(name, options));
  return eventType;
}

async function register(eventType: string, { tenant, game, file }: GameOptions & { file: string }) {
  const schemaText = await readGivenFile(file);
  await withDatabase(async ({ pool }) => {
    const { id: gameId } = await requireGame(pool, tenant, game);
    const result = await registerEventType(pool, { gameId, eventType, schemaText }, await commandActor(pool));
    if (!result.ok) throw new StartupError(`${file} cannot be registered. ${result.reason}`);
    for (const warning of result.warnings) say(`Without effect: ${printable(warning)}`);
    say(
      `Registered version ${result.version} of ${printable(eventType)}; every node checks by it from the next request on.`,
    );
  });
}

async function list({ tenant, game }: GameOptions) {
  const { types, sent } = await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    return {
      types: await listEventTypes(pool, id),
      sent: await listSentTypes(pool, id, Date.now(), { limit: MAX_SENT }),
    };
  });
  if (types.length === 0) {
    say(
      `No event type of ${tenant}/${game} is registered. Register one: savepoint event-type register <event-type> --tenant ${tenant} --game ${game} --file <path>`,
    );
  }
  for (const type of types) say(describe(type));
  for (const line of describeNearTypes(sent)) say(line);
}

/** Types that are nearly a built-in one, and therefore do less than their senders expect. */
function describeNearTypes(sent: readonly SentType[]): string[] {
  const near = sent.filter(({ looksLike }) => looksLike !== null);
  if (near.length === 0) return [];
  return [
    '',
    `Sent in the last ${SENT_DAYS} days, and nearly a built-in type:`,
    ...near.map(
      ({ eventType, events, looksLike }) =>
        `  ${printable(eventType)}  ${grouped(events)} ${events === 1 ? 'event' : 'events'}  did you mean ${looksLike}?`,
    ),
    'They are stored, but have none of the effects of the built-in type. Let the game send the built-in name, or register the type if it is intended.',
  ];
}

async function show(eventType: string, { tenant, game, schemaVersion: version }: ShowOptions) {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    const found = await findEventType(pool, id, eventType, version);
    if (found === undefined) {
      const what = version === undefined ? `"${eventType}"` : `version ${version} of "${eventType}"`;
      throw new StartupError(
        `There is no ${what}. List them: savepoint event-type list --tenant ${tenant} --game ${game}`,
      );
    }
    // The schema alone goes to standard output, so that it can be written to a file.
    tell(describe(found));
    const reason = whyUnusable(found.schemaText);
    if (reason !== undefined) tell(`It is not checked: ${reason} Register another schema.`);
    say(found.schemaText);
  });
}

async function retire(eventType: string, { tenant, game }: GameOptions) {
  await withDatabase(async ({ pool }) => {
    const { id } = await requireGame(pool, tenant, game);
    if (!(await retireEventType(pool, id, eventType, await commandActor(pool)))) {
      throw new StartupError(`"${eventType}" is not registered, or retired already.`);
    }
    say(`Retired ${printable(eventType)}. Register it again at any time.`);
  });
}

function describe({ eventType, version, author, createdAt, retiredAt }: ListedEventType): string {
  const state = retiredAt === null ? 'active' : `retired ${isoTime(retiredAt)}`;
  return `${printable(eventType)}  version ${version}  by ${author}  ${isoTime(createdAt)}  ${state}`;
}

function toVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StartupError(`--schema-version is "${text}": give the number of a version.`);
}
